/** What one turn carries from step to step. Made once, changed only by the functions of this folder. */
import type { Clock } from "../../core/clock.ts";
import type { Timer } from "../../core/timer.ts";
import type { Sentence, SentenceKind } from "../../contract/sentence.ts";
import type { RoomSetup, SayResult, TurnLease } from "../../contract/turn-lease.ts";
import type { StepRecord } from "../../contract/turn-record.ts";
import { isSpeakable } from "../../speech/is-speakable.ts";
import { toPlainText } from "../../speech/plain-text.ts";
import { toSpokenForm } from "../../speech/spoken-form.ts";
import type { CompiledHarness } from "../compiled-harness.ts";
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
  readonly say: (sentences: readonly Sentence[]) => Promise<SayResult>;
};

export type TurnRun = {
  readonly lease: TurnLease;
  readonly deps: TurnDeps;
  readonly hooks: TurnHooks;
  readonly startedAtMs: number;
  /** Aborted at the deadline, and when the room has taken the turn away. */
  readonly abort: AbortController;
  readonly speech: SpeechQueue;
  /** Only ever appended to: each call's prompt is a prefix of the next one's. */
  readonly messages: ChatMessage[];
  readonly steps: StepRecord[];
  /** Texts said in this turn, an earlier attempt's included. */
  readonly said: string[];
  /** Sentences that wait for the Stop hooks, when the harness releases whole replies. */
  held: Sentence[];
  nextSeq: number;
  readonly toolsUsed: string[];
  toolCallsCount: number;
  retriesCount: number;
  /** Texts of {@link said} that the message list shows the policy already. */
  shownCount: number;
};

export function beginRun(lease: TurnLease, deps: TurnDeps, hooks: TurnHooks): TurnRun {
  const abort = new AbortController();
  return {
    lease,
    deps,
    hooks,
    startedAtMs: deps.clock.nowMs(),
    abort,
    speech: createSpeechQueue(deps.say, () => abort.abort()),
    messages: [],
    steps: [],
    said: lease.spoken.map((sentence) => sentence.text),
    held: [],
    nextSeq: lease.spoken.length,
    toolsUsed: [],
    toolCallsCount: 0,
    retriesCount: 0,
    shownCount: 0,
  };
}

export function elapsedMs(run: TurnRun): number {
  return run.deps.clock.nowMs() - run.startedAtMs;
}

/** Gives the text the turn's next number and its spoken form, and sends it to the room, or holds it for the whole reply. */
export function speak(run: TurnRun, text: string, kind: SentenceKind): void {
  const sentence: Sentence = {
    seq: run.nextSeq,
    text,
    speech: toSpokenForm(text, run.deps.harness.lexicon) || text,
    kind,
  };
  run.nextSeq += 1;
  if (kind === "answer") run.said.push(text);
  if (kind === "answer" && run.deps.harness.bundle.release === "reply") run.held.push(sentence);
  else run.speech.push(sentence);
}

export type Utterance =
  | { readonly spoken: true }
  | { readonly spoken: false; readonly hook: string; readonly reason: string; readonly text: string };

/** Asks the PreUtterance hooks about a sentence as it was cut, and speaks what they leave of it. */
export async function utter(run: TurnRun, piece: string): Promise<Utterance> {
  const text = toPlainText(piece);
  if (!isSpeakable(text)) return { spoken: true };
  const call = { seq: run.nextSeq, said: run.said, tools_used: run.toolsUsed };
  const asked = run.hooks.run({ hook_event_name: "PreUtterance", text, ...call });
  const verdict = asked instanceof Promise ? await asked : asked;
  if (verdict.verdict !== "allow") {
    const blocking = verdict.records.find((record) => record.verdict === "deny" || record.verdict === "failed");
    return { spoken: false, hook: blocking?.hook ?? "hook", reason: verdict.reason, text };
  }
  const final = verdict.text ?? text;
  if (!isSpeakable(final)) return { spoken: true };
  speak(run, final, "answer");
  const observed = run.hooks.run({ hook_event_name: "PostUtterance", text: final, ...call });
  if (observed instanceof Promise) await observed;
  return { spoken: true };
}
