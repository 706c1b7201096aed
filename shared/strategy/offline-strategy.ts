/** A strategy without a model: what can be counted, in sentences. Deterministic: the input alone decides. */
import type { PromptPrefix } from "../agent/prompt/build-prefix.ts";
import type { Product } from "../contract/room-config.ts";
import {
  ADVICE_CHARS_MAX,
  SUMMARY_CHARS_MAX,
  type StrategyInput,
  type StrategyTally,
  type TalliedTopic,
} from "../contract/strategy.ts";
import { fitSentences } from "../speech/whole-sentences.ts";
import { describeChanges, type ProductChange } from "./describe-changes.ts";
import { topicsOf } from "./question-topics.ts";
import type { StrategyText } from "./read-strategy.ts";

/** Most that one sentence lists: a host keeps no more in mind. */
const LISTED_MAX = 4;
/** Characters (code points) of a product's name, which its link number stands beside. */
const NAME_CHARS_MAX = 12;
/** As many must ask before a host is told to bring it up without being asked. */
const ASKERS_TO_ADVISE_MIN = 3;
/** As many must have waited in vain before that comes first. */
const UNANSWERED_TO_ADVISE_MIN = 2;

/** The summary and advice that stand in for a strategist's. No viewer's words are in it, and no figure but counts of people. */
export function offlineStrategy(input: StrategyInput, { products }: Pick<PromptPrefix, "products">): StrategyText {
  const all = products.products.map((entry) => entry.product);
  const changes = describeChanges(all, input.skuOverrides, input.onScreenProductId);
  const onScreen = products.byId.get(input.onScreenProductId ?? "");
  const asked = byAskers(input.tally.topics);
  const waiting = waitingTopics(input.tally);
  const sentences = [
    sayScreen(onScreen),
    sayTopics(asked),
    sayChanges(changes),
    sayWaiting(waiting),
    sayOutcomes(input.tally),
  ];
  return {
    summary: fitSentences(sentences.join(""), SUMMARY_CHARS_MAX),
    advice: fitSentences(advise({ asked, waiting, changes, onScreen }), ADVICE_CHARS_MAX),
  };
}

function sayScreen(onScreen: Product | undefined): string {
  return onScreen === undefined ? "屏幕上没有商品。" : `正在讲${nameOf(onScreen)}。`;
}

type Topic = Pick<TalliedTopic, "topic" | "askers">;

function byAskers(topics: readonly Topic[]): Topic[] {
  return topics.toSorted((a, b) => b.askers - a.askers);
}

/** What the questions are about that nobody has answered yet. */
function waitingTopics({ questions }: StrategyTally): Topic[] {
  const waiting = new Map<string, number>();
  for (const { text, unanswered } of questions) {
    if (unanswered === 0) continue;
    for (const { topic } of topicsOf(text)) waiting.set(topic, (waiting.get(topic) ?? 0) + unanswered);
  }
  return byAskers([...waiting].map(([topic, askers]) => ({ topic, askers })));
}

function sayTopics(asked: readonly Topic[]): string {
  return asked.length === 0 ? "最近没有人问商品。" : `最近问得多的：${listed(asked, sayTopic)}。`;
}

function sayTopic({ topic, askers }: Topic): string {
  return `${askers}人问${topic}`;
}

function sayChanges(changes: readonly ProductChange[]): string {
  if (changes.length === 0) return "";
  return `有变化的：${listed(changes, (change) => `${nameOf(change)}${change.changes.join("、")}`, "；")}。`;
}

function sayWaiting(waiting: readonly Topic[]): string {
  return waiting.length === 0 ? "" : `还没答上的：${listed(waiting, sayTopic)}。`;
}

function sayOutcomes({ outcomes: { expired, fallback } }: StrategyTally): string {
  const parts = [
    ...(expired > 0 ? [`${expired}条没来得及答`] : []),
    ...(fallback > 0 ? [`${fallback}条没查到答案`] : []),
  ];
  return parts.length === 0 ? "" : `最近${parts.join("，")}。`;
}

type Situation = {
  readonly asked: readonly Topic[];
  readonly waiting: readonly Topic[];
  readonly changes: readonly ProductChange[];
  readonly onScreen: Product | undefined;
};

/** What waits in vain comes first, then what most ask, then what has changed on screen. */
function advise({ asked: [asked], waiting: [waiting], changes, onScreen }: Situation): string {
  if (waiting !== undefined && waiting.askers >= UNANSWERED_TO_ADVISE_MIN) {
    return `${waiting.askers}人问${waiting.topic}还没答上，下一句先讲${waiting.topic}`;
  }
  if (asked !== undefined && asked.askers >= ASKERS_TO_ADVISE_MIN) {
    return `最近${asked.askers}人问${asked.topic}，下一句主动讲${asked.topic}`;
  }
  const change = changes.find(({ link }) => link === onScreen?.link);
  return change === undefined ? "" : `${change.link}号${change.changes.join("、")}，跟大家说一声`;
}

function listed<Each>(items: readonly Each[], say: (item: Each) => string, separator = "、"): string {
  const rest = items.length > LISTED_MAX ? "等" : "";
  return items.slice(0, LISTED_MAX).map(say).join(separator) + rest;
}

function nameOf({ link, name }: { readonly link: number; readonly name: string }): string {
  const chars = [...name];
  return `${link}号${chars.length > NAME_CHARS_MAX ? `${chars.slice(0, NAME_CHARS_MAX).join("")}…` : name}`;
}
