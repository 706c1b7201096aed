/** What one turn carries from step to step. Made once, changed only by the functions of this folder. */
import type { Clock } from "../../core/clock.ts";
import { pause, type Timer } from "../../core/timer.ts";
import type { Sentence, SentenceKind } from "../../contract/sentence.ts";
import type { LiveFacts, RoomSetup, SayResult, TurnLease } from "../../contract/turn-lease.ts";
import type { StepRecord } from "../../contract/turn-record.ts";
import { isSpeakable } from "../../speech/is-speakable.ts";
import { toPlainText } from "../../speech/plain-text.ts";
import { toSpokenForm } from "../../speech/spoken-form.ts";
import type { CompiledHarness } from "../compiled-harness.ts";
import { type RoomChange, roomChanges } from "../facts/room-change.ts";
import { type StaleClaim, findStaleClaim } from "../facts/stale-claims.ts";
import type { HookDeps } from "../hooks/run-hooks.ts";
import type { ChatMessage, ModelClient } from "../model-client.ts";
import type { PromptPrefix } from "../prompt/build-prefix.ts";
import type { HttpTool } from "../tools/execute-tool-call.ts";
import { createSpeechQueue, type SpeechQueue } from "./speech-queue.ts";
import type { TurnHooks } from "./turn-hooks.ts";

export type TurnDeps = {
  readonly harness: CompiledHarness;
  readonly setup: RoomSetup;
  readonly prefix: PromptPrefix;
  readonly model: ModelClient;
  readonly http: HttpTool;
  readonly hookDeps: HookDeps;
  readonly clock: Clock;
  readonly timer: Timer;
  /** `stateSeq`: what the sentences were made from. */
  readonly say: (sentences: readonly Sentence[], stateSeq: number) => Promise<SayResult>;
  /** Aborted when the room no longer wants the turn: nothing more is said, and the call in flight is closed. */
  readonly stopped?: AbortSignal;
  /** Called when the policy is not asked any more, though what it said is still being spoken. */
  readonly onMade?: () => void;
};

export type TurnRun = {
  readonly lease: TurnLease;
  readonly deps: TurnDeps;
  readonly hooks: TurnHooks;
  /** Aborted at the deadline, and when the room has taken the turn away. */
  readonly abort: AbortController;
  readonly speech: SpeechQueue;
  /** Only ever appended to: each call's prompt is a prefix of the next one's. */
  readonly messages: ChatMessage[];
  readonly steps: StepRecord[];
  /** Sentences of the answer in this turn, an earlier attempt's included; fillers are none. */
  readonly said: string[];
  /** How many of {@link said} led up to tool calls: "我帮您查一下" is no answer yet. */
  preambleCount: number;
  /** PostUtterance hooks that have not ended: nobody waits for them before the turn's end. */
  readonly observing: Promise<unknown>[];
  /** Texts that wait for the Stop hooks, when the harness releases whole replies; the last ones of {@link said}. */
  held: string[];
  nextSeq: number;
  readonly toolsUsed: string[];
  toolCallsCount: number;
  retriesCount: number;
  /** Texts of {@link said} that the message list shows the policy already. */
  shownCount: number;
  /** What the room shows and sells, as far as this turn knows. */
  live: LiveFacts;
  /** What has changed in it since the turn began: no sentence may claim what held before. */
  readonly changes: RoomChange[];
  /** A sentence that had passed the guards and was untrue before the room took it: it and what followed were taken back. */
  stale: Extract<Utterance, { spoken: false }> | null;
  /** Ends the model call in flight; what it says is made from what no longer holds. */
  stopCall: () => void;
};

/** Names the guard against what has changed, beside the harness's own hooks. */
export const CHANGE_GUARD = "room.changed";

export function beginRun(lease: TurnLease, deps: TurnDeps, hooks: TurnHooks): TurnRun {
  const abort = new AbortController();
  if (deps.stopped?.aborted === true) abort.abort();
  else deps.stopped?.addEventListener("abort", () => abort.abort(), { once: true });
  const run: TurnRun = {
    lease,
    deps,
    hooks,
    abort,
    speech: createSpeechQueue({
      say: (sentences) => deps.say(sentences, run.live.stateSeq),
      clock: deps.clock,
      pause: (delayMs) => pause(deps.timer, delayMs),
      sayAtMs: lease.sayAtMs,
      stopped: deps.stopped ?? null,
      onLost: () => abort.abort(),
      onChanged: (now, unsaid) => takeChange(run, now, unsaid),
    }),
    messages: [],
    steps: [],
    said: lease.spoken.filter(({ kind }) => kind === "answer").map(({ text }) => text),
    preambleCount: 0,
    observing: [],
    held: [],
    nextSeq: lease.spoken.length,
    toolsUsed: [],
    toolCallsCount: 0,
    retriesCount: 0,
    shownCount: 0,
    live: { snapshot: lease.snapshot, stateSeq: lease.stateSeq },
    changes: [],
    stale: null,
    stopCall: () => {},
  };
  return run;
}

/**
 * The room has changed under the turn. Sentences that still hold are kept, up to the first that does not: what followed it
 * may build on it. The policy is told what holds now, and goes on from there.
 */
export function takeChange(run: TurnRun, now: LiveFacts, unsaid: readonly Sentence[]): readonly Sentence[] {
  const change = roomChanges(run.live.snapshot, now.snapshot, run.deps.setup.config);
  run.live = now;
  if (change === null) return unsaid;
  run.changes.push(change);
  const claims = unsaid.map(({ kind, text }) => (kind === "answer" ? findStaleClaim(text, change) : null));
  const first = claims.findIndex((claim) => claim !== null);
  const claim = claims[first];
  const sentence = unsaid[first];
  if (claim === undefined || claim === null || sentence === undefined) return unsaid;
  const takenBack = unsaid.slice(first).filter(({ kind }) => kind === "answer").length;
  run.said.splice(run.said.length - run.held.length - takenBack, takenBack);
  run.shownCount = Math.min(run.shownCount, run.said.length);
  run.nextSeq = sentence.seq;
  run.stale = { spoken: false, hook: CHANGE_GUARD, reason: describeClaim(claim), text: sentence.text };
  run.stopCall();
  return unsaid.slice(0, first);
}

function describeClaim({ claim, now }: StaleClaim): string {
  return `${claim} → ${now}`;
}

/** From the turn's acceptance by the room, as all times of its record. */
export function elapsedMs(run: TurnRun): number {
  return Math.max(0, run.deps.clock.nowMs() - run.lease.acceptedAtMs);
}

/** Says a sentence of the answer: at once, or with the whole reply where the harness releases replies. */
function answer(run: TurnRun, text: string): void {
  run.said.push(text);
  if (run.deps.harness.bundle.release === "reply") run.held.push(text);
  else speak(run, text, "answer");
}

/** Gives the text the turn's next number and its spoken form, and sends it to the room. */
export function speak(run: TurnRun, text: string, kind: SentenceKind): void {
  const speech = toSpokenForm(text, run.deps.harness.lexicon) || text;
  run.speech.push({ seq: run.nextSeq, text, speech, kind });
  run.nextSeq += 1;
}

/** Releases the reply that was held. */
export function release(run: TurnRun): void {
  for (const text of run.held) speak(run, text, "answer");
  run.held = [];
}

/** Forgets a held reply: it was never heard. */
export function unsay(run: TurnRun): void {
  run.said.splice(run.said.length - run.held.length);
  run.shownCount = Math.min(run.shownCount, run.said.length);
  run.held = [];
}

/** What the room no longer holds true, whatever the harness's own guards let pass. */
function findStale({ changes }: TurnRun, text: string): Extract<Utterance, { spoken: false }> | null {
  for (const change of changes) {
    const claim = findStaleClaim(text, change);
    if (claim !== null) return { spoken: false, hook: CHANGE_GUARD, reason: describeClaim(claim), text };
  }
  return null;
}

export type Utterance =
  | { readonly spoken: true }
  | { readonly spoken: false; readonly hook: string; readonly reason: string; readonly text: string };

/** Asks the PreUtterance hooks about a sentence as it was cut, and speaks what they leave of it. */
export async function utter(run: TurnRun, piece: string): Promise<Utterance> {
  const text = toPlainText(piece);
  if (!isSpeakable(text)) return { spoken: true };
  // Made to go on, by a retry or after another runner, an answer often begins again. What was heard is not heard twice, and
  // is no fault to be blocked for.
  if ((run.retriesCount > 0 || run.lease.attempt > 1) && run.said.includes(text)) return { spoken: true };
  const call = { seq: run.nextSeq, said: run.said, tools_used: run.toolsUsed };
  const asked = run.hooks.run({ hook_event_name: "PreUtterance", text, ...call });
  const verdict = asked instanceof Promise ? await asked : asked;
  if (verdict.verdict !== "allow") {
    return { spoken: false, hook: verdict.hook ?? "unnamed", reason: verdict.reason, text };
  }
  const final = verdict.text ?? text;
  if (!isSpeakable(final)) return { spoken: true };
  const stale = findStale(run, final);
  if (stale !== null) return stale;
  answer(run, final);
  const observed = run.hooks.run({ hook_event_name: "PostUtterance", text: final, ...call });
  if (observed instanceof Promise) run.observing.push(observed);
  return { spoken: true };
}
