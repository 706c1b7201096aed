/** Finds the words of a list in a sentence, in any disguise that folding undoes. */
import { foldText, foldWord, replaceSpans, sourceSpan, type FoldedText, type Span } from "./fold-text.ts";

export type WordHit = Span & {
  /** The word as the list has it, folded. */
  readonly word: string;
  /** The text as it was written. */
  readonly written: string;
};

export type WordList = {
  /** Hits from left to right, the longest word first at each place, none inside another one or inside an exception. */
  readonly find: (text: string) => readonly WordHit[];
  /** The text with every hit replaced; `undefined` when a hit has no replacement. */
  readonly correct: (text: string) => string | undefined;
};

export type WordListOptions = {
  readonly words: readonly string[];
  readonly replacements?: Readonly<Record<string, string>>;
  /** A word inside one of these is meant differently: 第一 in 第一次. */
  readonly exceptions?: readonly string[];
  /** The same, but only where the text starts with it: "第一，" counts points, "销量第一，" does not. */
  readonly openings?: readonly string[];
};

/** Words by their first character, longest first. */
type Buckets = ReadonlyMap<string, readonly string[]>;

/**
 * Makes a list ready. Replaced words belong to the list whether or not `words` names them. A word that begins or ends
 * with a Latin letter or a digit is not found inside a longer run of them: "vx" is not in "vxl", "1688" not in "21688".
 */
export function compileWordList(options: WordListOptions): WordList {
  const replacements = new Map(
    Object.entries(options.replacements ?? {}).map(([word, by]) => [foldWord(word), by] as const),
  );
  const words = toBuckets([...options.words.map(foldWord), ...replacements.keys()]);
  const exceptions = toBuckets((options.exceptions ?? []).map(foldWord));
  const openings = (options.openings ?? []).map(foldWord).filter((word) => word !== "");
  const find = (folded: FoldedText): WordHit[] => {
    const candidates = findCandidates(folded.text, words);
    if (candidates.length === 0) return [];
    const excused = spansOf(folded.text, exceptions);
    for (const opening of openings)
      if (folded.text.startsWith(opening)) excused.push({ start: 0, end: opening.length });
    return pickHits(folded, candidates, excused);
  };
  return {
    find: (text) => find(foldText(text)),
    correct(text) {
      const folded = foldText(text);
      const spans = find(folded).map((hit) => ({ ...hit, by: replacements.get(hit.word) }));
      return spans.every(hasReplacement) ? replaceSpans(folded, spans) : undefined;
    },
  };
}

function hasReplacement<Hit extends { by: string | undefined }>(hit: Hit): hit is Hit & { by: string } {
  return hit.by !== undefined;
}

function toBuckets(words: readonly string[]): Buckets {
  const buckets = new Map<string, string[]>();
  for (const word of new Set(words)) {
    if (word === "") continue;
    const bucket = buckets.get(word.charAt(0));
    if (bucket === undefined) buckets.set(word.charAt(0), [word]);
    else bucket.push(word);
  }
  for (const bucket of buckets.values()) bucket.sort((a, b) => b.length - a.length);
  return buckets;
}

type Candidate = Span & { readonly word: string };

function findCandidates(text: string, buckets: Buckets): Candidate[] {
  const found: Candidate[] = [];
  for (let at = 0; at < text.length; at += 1) {
    for (const word of buckets.get(text.charAt(at)) ?? []) {
      if (text.startsWith(word, at) && isWhole(text, at, word)) found.push({ start: at, end: at + word.length, word });
    }
  }
  return found;
}

function spansOf(text: string, buckets: Buckets): Span[] {
  return findCandidates(text, buckets).map(({ start, end }) => ({ start, end }));
}

function pickHits(folded: FoldedText, candidates: readonly Candidate[], excused: readonly Span[]): WordHit[] {
  const hits: WordHit[] = [];
  let from = 0;
  for (const { start, end, word } of candidates) {
    if (start < from || excused.some((span) => span.start <= start && span.end >= end)) continue;
    const written = sourceSpan(folded, { start, end });
    hits.push({ start, end, word, written: folded.source.slice(written.start, written.end) });
    from = end;
  }
  return hits;
}

function isWhole(text: string, start: number, word: string): boolean {
  const end = start + word.length;
  return !continues(text, start - 1, start) && !continues(text, end - 1, end);
}

/** True when both places hold Latin letters, or both hold digits. */
function continues(text: string, left: number, right: number): boolean {
  const kind = kindAt(text, left);
  return kind !== null && kind === kindAt(text, right);
}

function kindAt(text: string, at: number): "letter" | "digit" | null {
  const code = text.charCodeAt(at);
  if (code >= 0x61 && code <= 0x7a) return "letter";
  return code >= 0x30 && code <= 0x39 ? "digit" : null;
}
