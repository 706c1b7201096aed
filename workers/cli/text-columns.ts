/** Texts by the columns that they take in a terminal, where Chinese letters take two. Pure. */

/** East Asian Wide and Fullwidth (UAX #11) without the rare blocks. Ambiguous ones, such as “ and …, take one column. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303e\u3200-\u33ff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u;
/** Kana and Hangul that are narrow on purpose. */
const HALF_WIDTH = /[\uff61-\uffdc]/u;
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]*$/u;
/** Punctuation that may not begin a line. */
const CLOSING = /^[\p{Pe}\p{Pf}，。！？、；：…,.!?;:%％~～]+$/u;

const graphemes = new Intl.Segmenter("zh", { granularity: "grapheme" });
const words = new Intl.Segmenter("zh", { granularity: "word" });

export function columnsOf(text: string): number {
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += columnsOfGrapheme(segment);
  return columns;
}

function columnsOfGrapheme(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  return WIDE.test(grapheme) && !HALF_WIDTH.test(grapheme) ? 2 : 1;
}

/** The text with spaces after it; one that is too wide stays as it is. */
export function padColumns(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}

/**
 * Lines of no more than so many columns, broken between words, and inside one only where it is longer than a line.
 *
 * @param columns - At least 2: a Chinese letter must fit.
 * @returns At least one line.
 */
export function wrapColumns(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const piece of piecesOf(text, columns)) {
    if (line !== "" && columnsOf(line + piece.trimEnd()) > columns) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += line === "" ? piece.trimStart() : piece;
  }
  return [...lines, line.trimEnd()];
}

/** Words with the punctuation that closes them; longer ones in pieces. */
function piecesOf(text: string, columns: number): string[] {
  const pieces: string[] = [];
  for (const { segment } of words.segment(text)) {
    const last = pieces.at(-1);
    const isClosing = last !== undefined && CLOSING.test(segment) && columnsOf(last + segment) <= columns;
    if (isClosing) pieces[pieces.length - 1] = last + segment;
    else if (columnsOf(segment) <= columns) pieces.push(segment);
    else for (const grapheme of graphemes.segment(segment)) pieces.push(grapheme.segment);
  }
  return pieces;
}
