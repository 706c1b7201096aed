/** From what a model writes to what a viewer reads: no markup, no staging, no addresses. */
import { removeUrls } from "./silent-marks.ts";
import { isStageDirection } from "./stage-directions.ts";

/** Rounds of removal: taking one mark out may bring another to light. Real text needs two. */
const ROUNDS_MAX = 8;

/** C0 and C1 controls without white space, bidirectional controls, and halves of characters. */
const UNPRINTABLE = /[[\p{Cc}--[\t\n\v\f\r]]\p{Surrogate}\u202a-\u202e\u2066-\u2069\ufeff]/gv;
/** Tags by name, lower case: `S<M<L>XL` is a list of sizes. */
const TAG =
  /<\/?(?:think|thinking|reasoning|answer|tool_call|tool_response|br|hr|p|b|i|u|em|strong|del|s|ul|ol|li|div|span|code|pre|font|speak|break|prosody|emotion)(?:\s[^<>]*)?\/?>|<\|[a-z_]{1,30}\|>/gu;
const LINK = /!?\[([^[\]]*)\]\([^()\s]*(?:\s"[^"()]*")?\)/gu;
const STRUCK = /~~([^~]+)~~/gu;
const CODE_MARK = /`+/gu;
const TABLE_RULE = /^[ \t]*[|:-][|:\- \t]*$/gmu;
const TABLE_ROW = /^[ \t]*\|[^\n]*|^[^|\n]*(?:\|[^|\n]*){2,}$/gmu;
const LINE_RULE = /^[ \t]*(?:\*[ \t]*){3,}$|^[ \t]*[_=]{3,}[ \t]*$/gmu;
/** Marks at the start of a line. The number needs a space or a word after it: `3.5折` starts with a price. */
const LINE_START =
  /^(?:[ \t]*(?:#{1,6}[ \t]+|>+[ \t]+|>+(?=\p{Script=Han})|[-*+•▪●][ \t]+|\d{1,2}\.(?:[ \t]+|(?=\p{Script=Han}))))+/gmu;
const STRONG = /\*\*([^*\n]+)\*\*|__([^_\n]+)__/gu;
/** What is left of bold text that a cut has parted. Between digits it is arithmetic. */
const STRAY_STRONG = /(?<!\d)\*{2,}|\*{2,}(?!\d)/gu;
const STARRED = /\*([^*\n]{1,20})\*/gu;
const BRACKETED = /[（(【[［]([^（()）【】[\]［］]{0,16})[）)】\]］]/gu;
const WORD_CHAR = /[\p{L}\p{N}]/u;
const ASCII_WORD_CHAR = /[A-Za-z0-9]/;

/**
 * What subtitles show of a sentence, and what its spoken form is made from. Removes Markdown (bold, headings, list and
 * quote marks, links, code, tables), stage directions (`*微笑*`, `（笑）`, `【动作】`), addresses, left-over tags such as
 * `<think>`, control characters and halves of characters; white space becomes one space. Keeps facts in brackets
 * (`（红色）`), arithmetic (`50ml*2瓶`), comparisons (`XL<L`), emoji and kaomoji.
 * Applying it again changes nothing. May be empty.
 */
export function toPlainText(sentence: string): string {
  let text = sentence.replace(UNPRINTABLE, "");
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const next = strip(text);
    if (next === text) return text;
    text = next;
  }
  return stripEveryMark(text);
}

function strip(text: string): string {
  const inline = removeUrls(text.replace(TAG, "").replace(LINK, "$1"))
    .replace(CODE_MARK, "")
    .replace(TABLE_RULE, "")
    .replace(TABLE_ROW, readTableRow)
    .replace(LINE_RULE, "")
    .replace(LINE_START, "")
    .replace(STRUCK, "$1")
    .replace(STRONG, (_, starred: string | undefined, scored: string | undefined) => starred ?? scored ?? "")
    .replace(STRAY_STRONG, "")
    .replace(STARRED, readStarred)
    .replace(BRACKETED, (whole, content: string) => (isSilentBracket(content) ? "" : whole));
  return inline.replace(/\s+/gu, " ").trim();
}

function readTableRow(row: string): string {
  const cells = row.split("|").map((cell) => cell.trim());
  return cells.filter((cell) => cell !== "").join("，");
}

/** A stage direction goes; emphasis loses its marks; between words on both sides asterisks multiply: `长*宽*高`. */
function readStarred(whole: string, content: string, at: number, text: string): string {
  const before = text.charAt(at - 1);
  const after = text.charAt(at + whole.length);
  if (ASCII_WORD_CHAR.test(before) || ASCII_WORD_CHAR.test(after)) return whole;
  if (isStageDirection(content)) return "";
  if (/^\s|\s$/u.test(content)) return whole;
  return WORD_CHAR.test(before) && WORD_CHAR.test(after) ? whole : content;
}

/** Nothing in it, or only what a removed address has left, or a direction. */
function isSilentBracket(content: string): boolean {
  return content.trim() === "" || isStageDirection(content);
}

/** For text nested beyond reason: without the characters that make marks there is nothing left to remove. */
function stripEveryMark(text: string): string {
  const bare = text.replace(/[*_`~|#<>:=+•▪●\-（()）【】[\]［］]/gu, "").replace(/www\./giu, " ");
  return bare.replace(/\s+/gu, " ").trim().replace(LINE_START, "").trim();
}
