/** Counts what was asked in a room, turn by turn, in bounded memory. */
import type { Intent } from "../contract/intake-policy.ts";
import {
  TALLY_QUESTION_CHARS_MAX,
  TALLY_QUESTIONS_MAX,
  type StrategyTally,
  type TalliedQuestion,
  type TalliedTopic,
} from "../contract/strategy.ts";
import { toMessageKey } from "../intake/message-key.ts";
import { readIntents } from "../intake/read-intents.ts";
import { topicsOf, type Topic } from "./question-topics.ts";

export type EndedTurn = {
  /** The turn's first message. */
  readonly text: string;
  /** Viewers' messages that asked it. */
  readonly askers: number;
  readonly outcome: keyof StrategyTally["outcomes"];
};

/** The tally with one more turn that has ended. A question that comes again adds to itself, in whatever wording. */
export function countTurn(tally: StrategyTally, turn: EndedTurn): StrategyTally {
  const intents = readIntents(turn.text);
  const isTalk = intents.length > 0 && intents.every((intent) => TALK.has(intent));
  return {
    outcomes: { ...tally.outcomes, [turn.outcome]: tally.outcomes[turn.outcome] + 1 },
    topics: topicsOf(turn.text).reduce((topics, topic) => withTopic(topics, topic, turn.askers), tally.topics),
    questions: isTalk ? tally.questions : withQuestion(tally.questions, turn),
  };
}

/** Turns that have ended since the tally was empty. */
export function turnsOf({ outcomes }: StrategyTally): number {
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0);
}

/** Intents that ask nothing about the shop. */
const TALK: ReadonlySet<Intent> = new Set(["greeting", "chat"]);

function withTopic(topics: StrategyTally["topics"], { intent, topic }: Topic, askers: number): TalliedTopic[] {
  const known = topics.find((each) => each.topic === topic && each.intent === intent);
  if (known === undefined) return [...topics, { intent, topic, askers }];
  return topics.map((each) => (each === known ? { ...known, askers: known.askers + askers } : each));
}

function withQuestion(questions: StrategyTally["questions"], turn: EndedTurn): TalliedQuestion[] {
  const key = toMessageKey(turn.text);
  if (key === "") return [...questions];
  const known = questions.find((question) => question.key === key);
  if (known !== undefined) {
    const counts = { askers: known.askers + turn.askers, unanswered: unansweredAfter(turn, known.unanswered) };
    return questions.map((each) => (each === known ? { ...known, ...counts } : each));
  }
  const text = [...turn.text].slice(0, TALLY_QUESTION_CHARS_MAX).join("");
  return [...withRoom(questions), { key, text, askers: turn.askers, unanswered: unansweredAfter(turn, 0) }];
}

function unansweredAfter({ outcome, askers }: EndedTurn, before: number): number {
  if (outcome === "answered") return 0;
  return outcome === "silent" ? before : before + askers;
}

/** What fewest have asked makes room; among equals what came first, for it is the oldest. */
function withRoom(questions: StrategyTally["questions"]): readonly TalliedQuestion[] {
  if (questions.length < TALLY_QUESTIONS_MAX) return questions;
  const fewest = Math.min(...questions.map(({ askers }) => askers));
  const index = questions.findIndex(({ askers }) => askers === fewest);
  return questions.toSpliced(index, 1);
}
