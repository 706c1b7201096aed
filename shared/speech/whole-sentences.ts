/** Texts of several sentences, shortened without a half sentence at the end. */
import { countCodePoints } from "../core/text.ts";
import { SentenceCutter } from "./sentence-cutter.ts";

/** Longer than any text that is taken apart here: a sentence is cut at its end alone. */
const UNCUT_CHARS = 10_000;

/** The sentences of a text in order, each with its stop. */
export function splitSentences(text: string): string[] {
  return cut(text, UNCUT_CHARS);
}

/**
 * The leading sentences that fit into `charsMax` characters (code points). A first sentence that is too long alone ends
 * at a clause, or where it must.
 */
export function fitSentences(text: string, charsMax: number): string {
  const sentences = splitSentences(text);
  const [first = ""] = sentences;
  if (countCodePoints(first) > charsMax) return fitClauses(first, charsMax);
  return takeWhole(sentences, charsMax);
}

/** Pieces at clause marks. One character less, for a piece may end in one stop more. */
function fitClauses(sentence: string, charsMax: number): string {
  const fitted = takeWhole(cut(sentence, charsMax - 1), charsMax);
  return fitted === "" ? [...sentence].slice(0, charsMax).join("") : fitted;
}

function takeWhole(pieces: readonly string[], charsMax: number): string {
  let taken = "";
  let chars = 0;
  for (const piece of pieces) {
    chars += countCodePoints(piece);
    if (chars > charsMax) break;
    taken += piece;
  }
  return taken;
}

function cut(text: string, charsMax: number): string[] {
  const cutter = new SentenceCutter({ charsMax });
  return [...cutter.push(text), ...cutter.flush()];
}
