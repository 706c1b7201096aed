/** How long a sentence takes to say, before any voice has said it. */
import { invariant } from "../core/assert.ts";

/**
 * Chinese characters a second while somebody speaks, pauses not counted. With the pauses below this comes to some 245 a
 * minute. A newsreader on air says 250 to 270 (China National Radio, 新闻和报纸摘要); people who read a text aloud say 5.2
 * syllables a second when silences are cut out (Pellegrino, Coupé, Marsico: A cross-language perspective on speech
 * information rate, Language 87:3, 2011). Rather too slow than too fast: what is queued after it must not come too soon.
 */
const CHARS_PER_SECOND = 4.5;

/** What a syllable of a Latin word takes of a Chinese character's time. The same paper: English 6.19 syllables a second. */
const LATIN_SYLLABLE = 0.84;

/** Pauses of ordinary reading: a breath at a comma, more than twice that where a sentence ends. */
const CLAUSE_PAUSE_MS = 150;
const STOP_PAUSE_MS = 350;

/** A word in Latin letters, a run of marks, or one other character that is said. A point inside a word or number is silent. */
const PART =
  /(?<word>\p{Script=Latin}+(?:['’]\p{Script=Latin}+)*)|(?<marks>(?:[，、：,:—。｡！？!?；;…\n]|\.(?![\p{Script=Latin}\p{N}]))+)|[\p{L}\p{N}]/gu;
const STOP_MARK = /[。｡！？!?；;…\n.]/u;
const VOWELS = /[aeiouyàâäáéèêëíìîïóòôöúùûü]+/giu;

/**
 * Milliseconds that a text takes to say. An estimate: voices differ by a fifth, and formant synthesis at its usual rate takes half as long again. Linear in the text, and the
 * sum of its sentences.
 *
 * @param speech - In spoken form: numbers in words. Digits that are left are taken as said one by one.
 * @param options - `charsPerSecond`: Chinese characters a second, above 0. Pauses shorten with it.
 */
export function estimateSpeakingMs(speech: string, options: { readonly charsPerSecond?: number } = {}): number {
  const charsPerSecond = options.charsPerSecond ?? CHARS_PER_SECOND;
  invariant(charsPerSecond > 0, "a speaking rate is above 0");
  let syllables = 0;
  let pauseMs = 0;
  for (const { groups } of speech.matchAll(PART)) {
    if (groups?.["marks"] !== undefined) pauseMs += pauseOf(groups["marks"]);
    else syllables += groups?.["word"] === undefined ? 1 : latinSyllables(groups["word"]) * LATIN_SYLLABLE;
  }
  return Math.round((syllables * 1_000) / charsPerSecond + (pauseMs * CHARS_PER_SECOND) / charsPerSecond);
}

/** `SPF` and `USB` are spelled, and W has three syllables; in `Made` the last e is silent. */
function latinSyllables(word: string): number {
  if (/^\p{Lu}{1,5}$/u.test(word)) return word.length + 2 * (word.match(/W/gu)?.length ?? 0);
  const silent = /[^aeiouyl]e$/iu.test(word) ? 1 : 0;
  return Math.max(1, (word.match(VOWELS)?.length ?? 0) - silent);
}

/** A run of marks is one pause, the longest of its marks. */
function pauseOf(marks: string): number {
  return STOP_MARK.test(marks) ? STOP_PAUSE_MS : CLAUSE_PAUSE_MS;
}
