/** One step of the offline policy: tool calls, or the rest of the reply. Deterministic: the request alone decides. */
import { answerQuestion, type Answer } from "./answer-question.ts";
import type { ChatRequest } from "./reading/chat-request.ts";
import { chooseTool, type ToolCall, type ToolNeed } from "./choose-tool.ts";
import { continueReply } from "./continue-reply.ts";
import { findProducts, type ProductReference } from "./reading/find-product.ts";
import { CLOSING_LINES, GREETING_LINE, UNKNOWN_LINES } from "./saying/fixed-lines.ts";
import { readRequest, type KnownWorld, type ViewerQuestion } from "./reading/read-request.ts";
import type { SkillOffer } from "./reading/read-system.ts";
import { toStandardWords } from "./reading/spoken-forms.ts";
import { contentPairs } from "./reading/subject-words.ts";
import { countShared, pairsOf, toPlain } from "./reading/text-overlap.ts";

export type OfflineReply =
  | { readonly kind: "text"; readonly sentences: readonly string[] }
  | { readonly kind: "tool-calls"; readonly calls: readonly ToolCall[] };

/** Rounds of tool calls in one turn: a product's details, then what they led to. */
const TOOL_ROUNDS_MAX = 2;
const CALLS_MAX = 3;

/** Before the answer to a question of several viewers. Without their number, which no evidence holds. */
const MANY_ASK = "好几位宝宝都在问，";
/** Sentences of a reply; a merged turn of several questions may take more than the one to three of a single one. */
const SENTENCES_MAX = 5;
const QUESTIONS_MAX = 5;

const LAST_LINES = { admissions: UNKNOWN_LINES, closings: CLOSING_LINES };

/** Words of the skill's description that the question must have. */
const SKILL_SHARED_MIN = 1;

/** Decides the next step of a turn from its whole request. */
export function offlineChat(request: ChatRequest): OfflineReply {
  const world = readRequest(request);
  const answers = answerAll(world);
  const calls = chooseCalls(world, answers);
  if (calls.length > 0) return { kind: "tool-calls", calls };
  const lines = [...new Set(answers.flatMap((answer) => answer.lines))];
  const known = answers.some((answer) => answer.isKnown) ? answers.filter((answer) => answer.isKnown) : answers;
  const useful = answers.length > 1 ? [...new Set(known.flatMap((answer) => answer.lines))] : lines;
  const spoken =
    useful.length > 0 ? useful : world.questions.length === 0 ? [GREETING_LINE] : UNKNOWN_LINES.slice(0, 1);
  const sentences = continueReply(spoken, world.said, world.blocked, LAST_LINES).slice(0, SENTENCES_MAX);
  return { kind: "text", sentences: isAskedByMany(world) ? sentences.map(withLead) : sentences };
}

/** Nothing was said yet, so nobody was told that many asked. */
function isAskedByMany({ questions, said }: KnownWorld): boolean {
  return said.length === 0 && questions.some(({ askers = 1 }) => askers > 1);
}

function withLead(sentence: string, index: number): string {
  return index === 0 ? `${MANY_ASK}${sentence}` : sentence;
}

function answerAll(world: KnownWorld): Answer[] {
  const questions = world.questions.slice(0, QUESTIONS_MAX);
  return questions.map((question, index) =>
    answerQuestion(world, question.text, inheritedBy(question, questions.slice(0, index), world)),
  );
}

/** A viewer who sends "蚕丝被那个" and then "多少钱" means the first's product with the second. */
function inheritedBy(
  question: ViewerQuestion,
  earlier: readonly ViewerQuestion[],
  world: KnownWorld,
): ProductReference | null {
  for (const { viewer, text } of earlier.toReversed()) {
    if (viewer === undefined || viewer !== question.viewer) continue;
    const reference = findProducts(toStandardWords(text), world);
    if (reference.how === "link" || reference.how === "name" || reference.how === "heard") return reference;
  }
  return null;
}

function chooseCalls(world: KnownWorld, answers: readonly Answer[]): ToolCall[] {
  const isBlocked = world.blocked.length > 0;
  if (world.tools.length === 0 || world.toolUses.length >= TOOL_ROUNDS_MAX * CALLS_MAX || isBlocked) return [];
  const used = new Set(world.toolUses.map((use) => use.name));
  const needs: ToolNeed[] = [...answers.flatMap((answer) => answer.needs), ...skillNeeds(world, answers)];
  const calls = needs.map((need) => chooseTool(need, world.tools)).filter((call) => call !== null);
  // A tool that was asked once has said what it knows of this turn's question.
  return uniqueCalls(calls.filter((call) => !used.has(call.name))).slice(0, CALLS_MAX);
}

/** Skills say what to do where facts are silent: they are read then, and only when one fits. */
function skillNeeds(world: KnownWorld, answers: readonly Answer[]): ToolNeed[] {
  const words = answers.flatMap((answer) => answer.skillWords ?? []);
  const best = words.flatMap((word) => bestSkill(word, world.skills) ?? [])[0];
  if (best === undefined || world.loadedSkills.some((skill) => skill.name === best.name)) return [];
  return [{ kind: "skill", name: best.name }];
}

function bestSkill(question: string, skills: readonly SkillOffer[]): SkillOffer | null {
  const wanted = contentPairs(question);
  const scored = skills
    .map((skill) => ({ skill, shared: countShared(wanted, pairsOf(toPlain(skill.description))) }))
    .toSorted((a, b) => b.shared - a.shared);
  const best = scored[0];
  return best === undefined || best.shared < SKILL_SHARED_MIN ? null : best.skill;
}

function uniqueCalls(calls: readonly ToolCall[]): ToolCall[] {
  return [...new Map(calls.map((call) => [`${call.name} ${call.argumentsText}`, call])).values()];
}
