/**
 * Reads a strategist's answer: plain text with two labelled parts, 【小结】 and 【提示】. Models write the labels in many
 * ways and talk around them; what they mean is read, and what may not stand is refused.
 */
import { ADVICE_CHARS_MAX, SUMMARY_CHARS_MAX } from "../contract/strategy.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { ThinkFilter } from "../agent/stream/think-filter.ts";
import { toPlainText } from "../speech/plain-text.ts";
import { fitSentences } from "../speech/whole-sentences.ts";
import { findFault, type Grounds, type StrategyFault } from "./find-fault.ts";

export type StrategyText = { readonly summary: string; readonly advice: string };

/** `no_summary`: the answer has no summary, or an empty one. The others: {@link StrategyFault}. */
export type StrategyRefusal = { readonly reason: "no_summary"; readonly found: string } | StrategyFault;

export type ReadOptions = Grounds & {
  /** The advice that stands, kept where the answer has none. Empty for none. */
  readonly advice: string;
};

type Part = "summary" | "advice";
type Label = { readonly part: Part; readonly start: number; readonly end: number };

const SUMMARY_WORDS = "直播间小结|滚动小结|小结|小結|总结|總結|摘要|概要|概况|概況";
const ADVICE_WORDS = "给主播的提示|主播提示|提示|建议|建議|提醒";
const WORDS = `(?:(${SUMMARY_WORDS})|(${ADVICE_WORDS}))`;

/** In brackets a label may stand anywhere: 【小结】, **[提示]**：. */
const BRACKETED = new RegExp(
  `[*_#> ]*[【\\[［〔〖「『（(]\\s*${WORDS}\\s*[】\\]］〕〗」』）)][*_ ]*[:：]?[*_ ]*`,
  "gu",
);
/** Without brackets it opens a line or follows a sentence, and a colon or the line's end closes it: ## 小结, 2. 提示：. */
const BARE = new RegExp(`(?:^|(?<=[。！？!?；;]))[ \\t>#*_•\\-\\d.、]*${WORDS}[*_ \\t]*(?:[:：][*_ \\t]*|$)`, "gmu");

/** Says that there is none. */
const NOTHING = /^(?:[暂暫]?[无無]|没有|(?:暂时)?没有?(?:什么)?(?:提示|建议|需要提示的)|none|n\/?a|-+)[。.!！]?$/iu;
/** Said to whoever asked, not to the room. */
const CLOSING =
  /^(?:以上|希望(?:对|能|这)|如(?:果|需|有)(?:您|你|需|还)|需要我|请(?:问|告诉我)|(?:好的|当然)[，,。！!])/u;
const LINE_STOPPED = /[。！？!?；;…，,、：:]["”』」）)]*$/u;
/** Fewer letters sum up nothing. */
const SUMMARY_LETTERS_MIN = 4;

/** What the answer says; the last of several versions counts. Too long parts end at the last sentence that fits. */
export function readStrategy(text: string, options: ReadOptions): Result<StrategyText, StrategyRefusal> {
  const parts = partsOf(withoutThoughts(text));
  const raw = { summary: lastOf(parts, "summary", toSummary), advice: lastOf(parts, "advice", toAdvice) };
  const summary = fitSentences(raw.summary, SUMMARY_CHARS_MAX);
  if ((summary.match(/\p{L}/gu)?.length ?? 0) < SUMMARY_LETTERS_MIN) {
    return fail({ reason: "no_summary", found: summary });
  }
  const advice = fitSentences(raw.advice, ADVICE_CHARS_MAX);
  // The whole parts as they came: plain text has no addresses any more, and whoever writes one is not to be trusted.
  const written = parts.map((part) => part.text).join("\n");
  const fault = findFault(written, options);
  if (fault !== null) return fail(fault);
  return ok({ summary, advice: advice === "" ? options.advice : advice });
}

/** A `</think>` without its beginning ends thoughts: the chat template may have opened them. */
function withoutThoughts(text: string): string {
  const close = text.lastIndexOf("</think>");
  const isOpened = close !== -1 && text.slice(0, close).includes("<think>");
  const filter = new ThinkFilter({ startsInsideThinking: close !== -1 && !isOpened });
  return filter.push(text) + filter.flush();
}

function partsOf(text: string): { readonly part: Part; readonly text: string; readonly isLast: boolean }[] {
  const labels = [...labelsIn(text, BRACKETED), ...labelsIn(text, BARE)].toSorted((a, b) => a.start - b.start);
  return labels.map(({ part, end }, index) => {
    const next = labels[index + 1];
    return { part, text: text.slice(end, next?.start ?? text.length), isLast: next === undefined };
  });
}

function labelsIn(text: string, pattern: RegExp): Label[] {
  return [...text.matchAll(pattern)].map((match) => ({
    part: match[1] === undefined ? "advice" : "summary",
    start: match.index,
    end: match.index + match[0].length,
  }));
}

function lastOf(
  parts: ReturnType<typeof partsOf>,
  part: Part,
  read: (text: string, isLast: boolean) => string,
): string {
  return parts.filter((each) => each.part === part).reduce((last, each) => read(each.text, each.isLast) || last, "");
}

/** Its lines as one text. At the end of the answer it has one paragraph: what follows is talk. */
function toSummary(text: string, isLast: boolean): string {
  const body = isLast ? (text.trim().split(/\n\s*\n/u)[0] ?? "") : text;
  const lines = plainLines(body).filter((line) => !CLOSING.test(line));
  return lines.map((line) => (LINE_STOPPED.test(line) ? line : `${line}。`)).join("");
}

function toAdvice(text: string): string {
  const line = plainLines(text)[0] ?? "";
  return NOTHING.test(line) ? "" : line;
}

function plainLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => toPlainText(line))
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
}
