/**
 * One spelling for finding words in text that may be disguised, with the way back to the original.
 *
 * Folding is character by character, so that every place of the folded text has its place in the original: NFKC
 * (full width, circled, mathematical letters), lower case, traditional characters and look-alike letters to their common
 * form. Invisible characters, white space, combining marks, pictures and signs are left out: 微❤信 and `加 v\u200b信` become
 * 微信 and 加v信. Marks that end a clause stay, so that no word is found across them; so does a point between digits.
 */

export type FoldedText = {
  readonly source: string;
  readonly text: string;
  /** For each code unit of `text`: where its character starts in `source`. */
  readonly starts: readonly number[];
  /** For each code unit of `text`: where its character ends in `source`. */
  readonly ends: readonly number[];
};

/** Traditional and look-alike characters, each before its common form. Only those that the shipped lists need. */
const PAIRS =
  "網网價价絕绝對对國国級级頂顶獨独無无號号聯联係系電电話话碼码掃扫維维開开發发說说規规則则設设統统詞词貓猫聲声視视過过變变" +
  "從从現现輸输顯显內内這这條条給给滿满記记請请錄录據据們们個个為为與与實实質质優优買买賣卖藥药療疗醫医術术極极強强寶宝" +
  "貨货傳传殺杀癒愈歷历難难產产獎奖領领導导業业銷销當当會会機机員员態态調调試试權权獲获斷断續续訊讯簡简單单雙双帳帐賬账" +
  "讓让須须聽听將将裡里裏里違违遞递誰谁還还進进億亿萬万兩两塊块錢钱壹一貳二叁三佔占樣样種种時时間间點点師师應应該该綠绿" +
  "隱隐觀观複复復复讀读應应覆复關关鍵键動动態态擬拟隨随問问題题禮礼練练習习緊紧構构標标準准類类認认識识資资訓训總总數数" +
  "аaеeоoрpсcхxуyіiѕsνvαaοoρpυuκkτt";

const COMMON: ReadonlyMap<string, string> = new Map(
  Array.from({ length: PAIRS.length / 2 }, (_, index) => [PAIRS.charAt(index * 2), PAIRS.charAt(index * 2 + 1)]),
);

/** Ends of clauses, kept. Everything else that is neither letter nor digit is left out. */
const CLAUSE_MARKS = new Set([",", "!", "?", ";", ":", "、", "。", "…", "\n"]);

let last: FoldedText = { source: "", text: "", starts: [], ends: [] };

/** Folds a text. The result of the last call is kept: several checks look at the same sentence in turn. */
export function foldText(source: string): FoldedText {
  if (last.source !== source) last = fold(source);
  return last;
}

/** Folds a word of a list, without places. */
export function foldWord(word: string): string {
  return fold(word).text;
}

function fold(source: string): FoldedText {
  const starts: number[] = [];
  const ends: number[] = [];
  let text = "";
  for (let at = 0; at < source.length;) {
    const char = charAt(source, at);
    const end = at + char.length;
    const folded = foldChar(char, source, at);
    for (let unit = 0; unit < folded.length; unit += 1) {
      starts.push(at);
      ends.push(end);
    }
    text += folded;
    at = end;
  }
  return { source, text, starts, ends };
}

function charAt(source: string, at: number): string {
  return String.fromCodePoint(source.codePointAt(at) ?? 0);
}

function foldChar(char: string, source: string, at: number): string {
  const code = char.charCodeAt(0);
  if (code >= 0x4e00 && code <= 0x9fff) return COMMON.get(char) ?? char;
  if (code >= 0x61 && code <= 0x7a) return char;
  if (char === ".") return isDigitAt(source, at - 1) && isDigitAt(source, at + 1) ? char : "";
  return foldOther(char);
}

function foldOther(char: string): string {
  let folded = "";
  for (const part of char.normalize("NFKC").toLowerCase()) {
    if (CLAUSE_MARKS.has(part) || /[\p{L}\p{N}%]/u.test(part)) folded += COMMON.get(part) ?? part;
  }
  return folded;
}

function isDigitAt(source: string, at: number): boolean {
  const code = source.charCodeAt(at);
  return (code >= 0x30 && code <= 0x39) || (code >= 0xff10 && code <= 0xff19);
}

export type Span = { readonly start: number; readonly end: number };

/** The original text of a span of the folded one. */
export function sourceSpan(folded: FoldedText, { start, end }: Span): Span {
  return { start: folded.starts[start] ?? 0, end: folded.ends[end - 1] ?? folded.source.length };
}

/** The source with spans of the folded text replaced. Spans are in order and do not overlap. */
export function replaceSpans(folded: FoldedText, spans: readonly (Span & { readonly by: string })[]): string {
  let result = "";
  let from = 0;
  for (const span of spans) {
    const { start, end } = sourceSpan(folded, span);
    result += folded.source.slice(from, start) + span.by;
    from = end;
  }
  return result + folded.source.slice(from);
}

/** Simplified characters for the traditional and look-alike ones of the table; everything else as it is. Same length. */
export function toCommonCharacters(text: string): string {
  return text.replaceAll(/\P{ASCII}/gu, (char) => COMMON.get(char) ?? char);
}
