/** Runs a turn against a scripted policy and a room that keeps what it is told. */
import { buildPrefix } from "../../shared/agent/prompt/build-prefix.ts";
import type { CompiledHarness } from "../../shared/agent/compiled-harness.ts";
import { runTurn, type TurnEnd } from "../../shared/agent/turn/run-turn.ts";
import type { TurnDeps } from "../../shared/agent/turn/turn-run.ts";
import type { HttpTool } from "../../shared/agent/tools/execute-tool-call.ts";
import type { HookCode } from "../../shared/agent/hooks/run-hooks.ts";
import type { Sentence } from "../../shared/contract/sentence.ts";
import type { RoomSetup, SayResult, TurnLease } from "../../shared/contract/turn-lease.ts";
import { FakeTime } from "./fake-timer.ts";
import { aLease, aSetup } from "./rooms.ts";
import { aHarness } from "./harnesses.ts";
import { ScriptedModel, type ScriptedAnswer } from "./scripted-model.ts";

export type TurnUnderTest = {
  readonly model: ScriptedModel;
  readonly time: FakeTime;
  /** Everything that the room was told, in order, the end's sentences included. */
  readonly heard: Sentence[];
  readonly end: Promise<TurnEnd>;
};

export type TurnOptions = {
  readonly answers: readonly ScriptedAnswer[];
  readonly harness?: CompiledHarness;
  readonly lease?: TurnLease;
  readonly setup?: RoomSetup;
  readonly http?: HttpTool;
  readonly code?: HookCode;
  readonly say?: TurnDeps["say"];
  readonly onMade?: () => void;
};

export function startTurn(options: TurnOptions): TurnUnderTest {
  const model = new ScriptedModel(options.answers);
  const time = new FakeTime();
  const heard: Sentence[] = [];
  const harness = options.harness ?? aHarness();
  const setup = options.setup ?? aSetup();
  const say = async (sentences: readonly Sentence[]): Promise<SayResult> => {
    heard.push(...sentences);
    return { ok: true, value: { spokenCount: heard.length, sayAtMs: null } };
  };
  const end = runTurn(options.lease ?? aLease(), {
    harness,
    setup,
    prefix: buildPrefix(harness, setup),
    model,
    http: options.http ?? { call: () => Promise.reject(new Error("no http tool in this test")) },
    hookDeps: {
      code: options.code ?? { run: () => Promise.reject(new Error("no code hook in this test")) },
      timer: time,
      elapsedMs: () => time.nowMs(),
    },
    clock: time,
    timer: time,
    say: options.say ?? say,
    ...(options.onMade !== undefined && { onMade: options.onMade }),
  }).then((result) => {
    // As the room does: what it has already is not heard again.
    heard.push(...result.sentences.filter(({ seq }) => !heard.some((known) => known.seq === seq)));
    return result;
  });
  return { model, time, heard, end };
}

export const textsOf = (sentences: readonly Sentence[]): string[] => sentences.map(({ text }) => text);
