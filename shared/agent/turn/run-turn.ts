/**
 * One turn, from its lease to its last sentence: hooks, prompt, model calls, tools, sentences. Pure over its ports.
 *
 * The loop, in words: ask the policy; speak its sentences as they pass the hooks; run the tools that it called and ask
 * again; where a sentence was blocked or the stream broke, ask it to go on from what was said; stop at an answer, at the
 * deadline or at a budget; where nothing was said, speak the harness's fallback line.
 */
import { normaliseForMatch, utf8Bytes } from "../../core/text.ts";
import type { TurnOutcome, TurnTrace } from "../../contract/turn-record.ts";
import type { Sentence } from "../../contract/sentence.ts";
import type { LiveFacts, TurnLease } from "../../contract/turn-lease.ts";
import { SentenceCutter } from "../../speech/sentence-cutter.ts";
import { toSpokenForm } from "../../speech/spoken-form.ts";
import { toAppError } from "../../errors/app-error.ts";
import { evidenceBlock } from "../evidence.ts";
import { couponsAt } from "../facts/timed-coupons.ts";
import type { HookVerdict } from "../hooks/run-hooks.ts";
import { wordingsOf } from "../prompt/wordings.ts";
import { buildTurnPrompt, changesBlock } from "../prompt/build-turn-prompt.ts";
import { executeToolCall, type ToolCall } from "../tools/execute-tool-call.ts";
import { runStep, type StepResult } from "./run-step.ts";
import { createTurnHooks } from "./turn-hooks.ts";
import { CHANGE_GUARD, beginRun, elapsedMs, release, speak, takeChange, unsay, utter } from "./turn-run.ts";
import type { TurnDeps, TurnRun } from "./turn-run.ts";

/** Kept free at the end of a turn, so that the fallback line itself is in time. */
const DEADLINE_RESERVE_MS = 150;

/** Result of a call beyond the budget: the policy still gets one outcome per call, and answers from what it has. */
const OVER_BUDGET = evidenceBlock("tool:budget", [
  { error: "tool_budget_used", message: "工具次数已用完，请直接回答" },
]);

export type TurnEnd = {
  readonly outcome: Extract<TurnOutcome, "answered" | "fallback" | "silent">;
  /** `null` for a plain answer; else the error code, or `hook:<name>`, that shaped the outcome. */
  readonly reason: string | null;
  /** Sentences that no call has carried to the room yet. */
  readonly sentences: readonly Sentence[];
  /** What they were made from. */
  readonly stateSeq: number;
  /** What is still true of them in a room that has changed; a line of the harness stands for what is not. */
  readonly recheck: (now: LiveFacts) => Rechecked;
  readonly trace: Omit<TurnTrace, "prefixDigest" | "configRevision">;
  /** What was thrown inside the turn, where its code has a bug: for the log. */
  readonly bug: unknown;
  /** Settles when the observing hooks have ended, which changes nothing any more. */
  readonly observed: Promise<unknown>;
};

/** The end of a turn, looked at again. */
export type Rechecked = Pick<TurnEnd, "sentences" | "stateSeq" | "outcome" | "reason">;

/** How the conversation with the policy ended: `null` reason for a whole answer; `closed` when a hook forbids going on. */
type Ending = { readonly reason: string | null; readonly closed: "answered" | "fallback" | "silent" | null };

/** Runs the turn to its one outcome. Never throws: a bug in it ends with the fallback line and the code `internal`. */
export async function runTurn(lease: TurnLease, deps: TurnDeps): Promise<TurnEnd> {
  const hooks = createTurnHooks({
    set: deps.harness.hooks,
    // A hook has no more time than the turn: what is late for the turn is late for its guards.
    deps: { ...deps.hookDeps, remainingMs: () => lease.deadlineAtMs - DEADLINE_RESERVE_MS - deps.clock.nowMs() },
    room: lease.room,
    turn: lease.turn,
    question: wordingsOf(lease.messages)
      .map((message) => message.text)
      .join("\n"),
    evidence: deps.prefix.evidence,
  });
  const run = beginRun(lease, deps, hooks);
  const limitMs = Math.max(0, lease.deadlineAtMs - deps.clock.nowMs() - DEADLINE_RESERVE_MS);
  const cancelDeadline = deps.timer.after(limitMs, () => run.abort.abort());
  const cancelFiller = scheduleFiller(run);
  let turnPrompt = "";
  let ending: Ending;
  let bug: unknown = null;
  try {
    const inputs = await submitPrompts(run);
    const fixed = "closed" in inputs ? inputs : await answerFaq(run, inputs.texts);
    if ("closed" in inputs || fixed !== null) ending = fixed ?? { reason: null, closed: null };
    else {
      const prompt = buildTurnPrompt(deps.harness, deps.prefix, lease, { ...inputs, nowMs: deps.clock.nowMs() });
      turnPrompt = prompt.text;
      for (const text of prompt.evidence) hooks.addEvidence(text);
      run.messages.push(
        { role: "system", content: deps.prefix.system },
        { role: "user", content: `${deps.prefix.room}\n\n${turnPrompt}` },
      );
      // A turn that was interrupted before it said anything begins anew.
      if (lease.attempt > 1 && run.nextSeq > 0) goOn(run, "retry", { reason: "runner_lost" });
      ending = await converse(run);
    }
  } catch (thrown) {
    bug = thrown;
    ending = { reason: toAppError(thrown).code, closed: null };
  } finally {
    cancelDeadline();
    cancelFiller();
  }
  const end = decideEnd(run, ending);
  await speakOut(run);
  return { ...closeTurn(run, afterChange(run, end), turnPrompt), bug };
}

/** Of whose answer nothing is left, because the room has changed, is not answered. */
function afterChange(run: TurnRun, end: Pick<TurnEnd, "outcome" | "reason">): Pick<TurnEnd, "outcome" | "reason"> {
  const isLost = end.outcome === "answered" && run.said.length === 0 && run.changes.length > 0;
  return isLost ? { outcome: "fallback", reason: `hook:${CHANGE_GUARD}` } : end;
}

/** Where sentences wait for the room's voice, waits for the last one's time: the turn ends with it. */
async function speakOut(run: TurnRun): Promise<void> {
  if (!run.speech.isPaced()) return;
  run.deps.onMade?.();
  await run.speech.lastDue();
  // Nobody is asked again so late: a line stands for what no longer holds.
  while (takeStale(run) !== null) {
    speak(run, run.deps.harness.bundle.lines.changed, "fallback");
    await run.speech.lastDue();
  }
}

/** UserPromptSubmit on each wording. A fixed answer closes the turn with the harness's own words. */
async function submitPrompts(run: TurnRun): Promise<Ending | { texts: string[]; contexts: string[] }> {
  const texts: string[] = [];
  const contexts: string[] = [];
  for (const message of wordingsOf(run.lease.messages)) {
    const verdict = await run.hooks.run({ hook_event_name: "UserPromptSubmit", prompt: message.text });
    if (verdict.verdict === "answer") return answerFixed(run, verdict);
    // Refused on purpose, a message gets no words. Refused because the guard itself is broken, it gets the fallback line.
    if (verdict.verdict === "deny")
      return { reason: reasonOf(verdict), closed: verdict.code === null ? "silent" : "fallback" };
    texts.push(verdict.text ?? message.text);
    contexts.push(...verdict.contexts);
  }
  return { texts, contexts };
}

async function converse(run: TurnRun): Promise<Ending> {
  const { budgets } = run.deps.harness.bundle;
  while (run.steps.length < budgets.stepsMax) {
    // What the room no longer holds true may show while tools run.
    const stale = takeStale(run);
    if (stale !== null && !tryAgain(run, stale.hook, { blocked: stale.text, reason: stale.reason })) {
      return { reason: `hook:${stale.hook}`, closed: "fallback" };
    }
    const refused = await beforeModelCall(run);
    if (refused !== null) return refused;
    const result = await runStep(run);
    const ending = result.type === "tools" ? await runTools(run, result) : await settle(run, result);
    if (ending !== null) return ending;
    if (run.abort.signal.aborted) return { reason: "deadline_exceeded", closed: null };
  }
  return { reason: "steps_exhausted", closed: null };
}

async function beforeModelCall(run: TurnRun): Promise<Ending | null> {
  // Measuring the prompt costs more than most hooks would.
  if (!run.deps.harness.hooks.byEvent.has("PreModelCall")) return null;
  const asked = run.hooks.run({
    hook_event_name: "PreModelCall",
    step: run.steps.length,
    prompt_bytes: run.messages.reduce((sum, message) => sum + utf8Bytes(message.content), 0),
  });
  const verdict = asked instanceof Promise ? await asked : asked;
  if (verdict.verdict === "deny") return { reason: reasonOf(verdict), closed: "fallback" };
  if (verdict.contexts.length > 0) {
    const records = verdict.contexts.map((text) => ({ text }));
    run.messages.push({ role: "user", content: evidenceBlock("context", records) });
  }
  return null;
}

/** What follows a step without tool calls: the end, or another try from what was said. */
async function settle(run: TurnRun, result: Exclude<StepResult, { type: "tools" }>): Promise<Ending | null> {
  switch (result.type) {
    case "done": {
      const ending = await settleReply(run);
      return run.stale === null ? ending : null;
    }
    case "blocked": {
      const again = tryAgain(run, result.hook, { blocked: result.sentence, reason: result.reason });
      return again ? null : { reason: `hook:${result.hook}`, closed: "fallback" };
    }
    case "broken":
      return result.retry && tryAgain(run, "retry", { reason: result.code })
        ? null
        : { reason: result.code, closed: null };
  }
}

function takeStale(run: TurnRun): TurnRun["stale"] {
  const { stale } = run;
  run.stale = null;
  return stale;
}

/** Asks the Stop hooks about the whole reply. A held reply that they refuse is never heard; a spoken one gets another try. */
async function settleReply(run: TurnRun): Promise<Ending | null> {
  const verdict = await run.hooks.run({
    hook_event_name: "Stop",
    reply: run.said.join(""),
    stop_hook_active: run.retriesCount > 0,
    tools_used: run.toolsUsed,
  });
  if (verdict.verdict === "answer") {
    unsay(run);
    return answerFixed(run, verdict);
  }
  if (verdict.verdict !== "deny") return { reason: null, closed: null };
  const wasHeld = run.held.length > 0;
  if (wasHeld) unsay(run);
  if (tryAgain(run, "stop", { reason: verdict.reason })) return null;
  return { reason: reasonOf(verdict), closed: wasHeld ? "fallback" : null };
}

/** Sends the policy back, within the retry budget. */
function tryAgain(run: TurnRun, source: string, facts: { blocked?: string; reason: string }): boolean {
  if (run.retriesCount >= run.deps.harness.bundle.budgets.retriesMax) return false;
  run.retriesCount += 1;
  run.hooks.markRetry();
  goOn(run, source, facts);
  return true;
}

/** Shows the policy what was heard and why it must go on. What was refused stands in the fence: it may quote a viewer. */
function goOn(run: TurnRun, source: string, facts: { blocked?: string; reason: string }): void {
  const heard = run.said.slice(run.shownCount).join("");
  if (heard !== "") run.messages.push({ role: "assistant", content: heard });
  run.shownCount = run.said.length;
  const blocks = [evidenceBlock(`hook:${source}`, [{ ...facts, said: run.said }])];
  if (source === CHANGE_GUARD) {
    const productIds = run.changes.flatMap(({ skus }) => skus.map(({ productId }) => productId));
    const changes = changesBlock(run.deps.prefix, run.live, [...new Set(productIds)]);
    run.hooks.addEvidence(changes);
    blocks.unshift(changes);
  }
  run.messages.push({ role: "user", content: `${blocks.join("\n")}\n${run.deps.harness.bundle.lines.goOn}` });
}

async function runTools(run: TurnRun, step: Extract<StepResult, { type: "tools" }>): Promise<Ending | null> {
  const { budgets } = run.deps.harness.bundle;
  run.messages.push({
    role: "assistant",
    content: step.text,
    tool_calls: step.calls.map(({ id, name, argumentsText }) => ({
      id,
      type: "function",
      function: { name, arguments: argumentsText },
    })),
  });
  run.shownCount = run.said.length;
  run.preambleCount = run.said.length;
  const allowed = step.calls.slice(0, Math.max(0, budgets.toolCallsMax - run.toolCallsCount));
  run.toolCallsCount += step.calls.length;
  const outcomes = await Promise.all(allowed.map((call) => executeCall(run, call)));
  for (const [index, call] of step.calls.entries()) {
    const outcome = outcomes[index];
    const content = outcome?.content ?? OVER_BUDGET;
    run.messages.push({ role: "tool", tool_call_id: call.id, content });
    if (outcome?.record.outcome === "tool-result") run.toolsUsed.push(call.name);
    if (outcome !== undefined && outcome.evidence !== "") run.hooks.addEvidence(outcome.evidence);
  }
  run.steps.at(-1)?.toolCalls.push(...outcomes.map(({ record }) => record));
  return run.abort.signal.aborted ? { reason: "deadline_exceeded", closed: null } : null;
}

function executeCall(run: TurnRun, call: ToolCall) {
  const { harness, setup, prefix, http, timer, clock } = run.deps;
  const { turn } = run.lease;
  const config = { ...setup.config, coupons: couponsAt(setup.config.coupons, clock.nowMs()) };
  return executeToolCall(call, {
    harness,
    world: { turn, config, snapshot: run.live.snapshot, products: prefix.products },
    hooks: run.hooks,
    http,
    timer,
    elapsedMs: () => elapsedMs(run),
    signal: run.abort.signal,
  });
}

/** Speaks a hook's fixed line, through the guards that every sentence passes. */
function answerFixed(run: TurnRun, verdict: HookVerdict): Promise<Ending> {
  return speakFixed(run, verdict.fixedAnswer ?? "", reasonOf(verdict));
}

async function speakFixed(run: TurnRun, text: string, reason: string): Promise<Ending> {
  const cutter = new SentenceCutter({ charsMax: run.deps.harness.bundle.budgets.sentenceCharsMax });
  for (const piece of [...cutter.push(text), ...cutter.flush()]) {
    const utterance = await utter(run, piece);
    if (!utterance.spoken) return { reason: `hook:${utterance.hook}`, closed: "fallback" };
  }
  return { reason, closed: "answered" };
}

function bareWords(text: string): string {
  return normaliseForMatch(text).replaceAll(/[\p{P}\p{S}\s]/gu, "");
}

/** The merchant's own answer to a question that is word for word one of theirs. A guard that refuses it leaves it to the policy. */
async function answerFaq(run: TurnRun, texts: readonly string[]): Promise<Ending | null> {
  const [text, ...others] = texts;
  if (!run.deps.harness.bundle.answersFaq || text === undefined || others.length > 0 || run.nextSeq > 0) return null;
  const asked = bareWords(text);
  const entry = run.deps.setup.config.faq.find(({ question, similar }) =>
    [question, ...similar].some((wording) => bareWords(wording) === asked),
  );
  if (entry === undefined) return null;
  const ending = await speakFixed(run, entry.answer, "faq");
  if (ending.closed === "answered") return ending;
  return run.said.length > 0 ? ending : null;
}

/** A static label for the outcome; what the hook said, which may quote a viewer, stays in the record of its verdict. */
function reasonOf(verdict: HookVerdict): string {
  return `hook:${verdict.hook ?? "unnamed"}`;
}

/** Says what is still to be said and gives the turn its one outcome. */
function decideEnd(run: TurnRun, ending: Ending): Pick<TurnEnd, "outcome" | "reason"> {
  // A reply is released whole or not at all: held sentences of a conversation that broke off are dropped.
  if (run.held.length > 0 && ending.reason !== null && ending.closed !== "answered") unsay(run);
  release(run);
  // Words that only led up to a tool call are no answer, unless the policy itself left it at them.
  const answerCount = ending.reason === null ? run.said.length : run.said.length - run.preambleCount;
  // A turn that was taken away has had its outcome from the room.
  const unsaid = run.deps.stopped?.aborted === true ? "silent" : "fallback";
  const outcome = ending.closed ?? (answerCount > 0 ? "answered" : unsaid);
  if (outcome === "fallback") speak(run, fallbackLine(run), "fallback");
  return { outcome, reason: ending.reason };
}

function closeTurn(run: TurnRun, end: Pick<TurnEnd, "outcome" | "reason">, turnPrompt: string): Omit<TurnEnd, "bug"> {
  let left: Rechecked = { ...end, sentences: run.speech.drain(), stateSeq: run.live.stateSeq };
  return {
    ...left,
    // What one change took back, the next one does not bring back.
    recheck: (now) => (left = recheckEnd(run, now, left)),
    observed: Promise.all(run.observing),
    trace: {
      turnPrompt,
      continuation: run.messages.slice(2),
      model: { endpoint: run.deps.model.endpoint, model: run.deps.model.model },
      admission: run.deps.model.admission?.() ?? null,
      steps: run.steps,
      hooks: [...run.hooks.records()],
      hookRuns: run.hooks.runs(),
    },
  };
}

function recheckEnd(run: TurnRun, now: LiveFacts, { sentences, ...end }: Rechecked): Rechecked {
  const kept = takeChange(run, now, sentences);
  const { stateSeq } = now;
  if (kept.length === sentences.length) return { ...end, sentences, stateSeq };
  const text = run.deps.harness.bundle.lines.changed;
  const speech = toSpokenForm(text, run.deps.harness.lexicon) || text;
  const line = { seq: run.nextSeq, text, speech, kind: "fallback" } as const;
  return { ...afterChange(run, end), sentences: [...kept, line], stateSeq };
}

/** A line that bridges a late first sentence: one a turn, and none right after another turn's. Never a fact. */
function scheduleFiller(run: TurnRun): () => void {
  const { filler, fillerAfterMs } = run.deps.harness.bundle.lines;
  const line = filler[turnNumber(run) % filler.length];
  const heardJustNow = run.lease.snapshot.heard.slice(-2).some(({ text }) => filler.includes(text));
  if (line === undefined || heardJustNow || run.lease.attempt > 1) return () => {};
  // While the voice still speaks the turn before, there is no silence to bridge.
  const silentInMs = run.lease.sayAtMs === null ? 0 : run.lease.sayAtMs - run.deps.clock.nowMs();
  return run.deps.timer.after(Math.max(fillerAfterMs, silentInMs), () => {
    if (run.nextSeq === 0 && !run.abort.signal.aborted) speak(run, line, "filler");
  });
}

/** The lines take turns by the turn's number, so that two fallbacks in a row do not sound alike. */
function fallbackLine(run: TurnRun): string {
  const lines = run.deps.harness.bundle.lines.fallback;
  return lines[turnNumber(run) % lines.length] ?? lines[0] ?? "";
}

function turnNumber(run: TurnRun): number {
  return Number(run.lease.turn.slice(1));
}
