/** A recorded turn, run again where nobody hears it: no call to its room, no record, no spans. */
import { createRecordedTools } from "../../shared/agent/turn/replay-tools.ts";
import { replayStartsAtMs, toReplayLease } from "../../shared/agent/turn/replay-lease.ts";
import { runTurn, type TurnEnd } from "../../shared/agent/turn/run-turn.ts";
import type { ReplayRequest, ReplayedTurn } from "../../shared/contract/replay.ts";
import type { Sentence } from "../../shared/contract/sentence.ts";
import type { TurnLease } from "../../shared/contract/turn-lease.ts";
import type { Clock } from "../../shared/core/clock.ts";
import { estimateSpeakingMs } from "../../shared/speech/speaking-time.ts";
import type { TurnModel } from "../../shared/inference/turn-model.ts";
import { openTurnModel } from "../inference/open-turn-model.ts";
import { loadHarness } from "../platform/harness-loader.ts";
import { reportFailure } from "../platform/report-failure.ts";
import { systemClock } from "../platform/system-clock.ts";
import { prepareRoom } from "./prepared-room.ts";
import { openTurnPorts } from "./turn-ports.ts";

type WaitUntil = (work: Promise<unknown>) => void;

/**
 * Ends within the harness's deadline, which its schema bounds.
 *
 * @throws AppError as `loadHarness`
 */
export async function replayTurn(env: Env, request: ReplayRequest, waitUntil: WaitUntil): Promise<ReplayedTurn> {
  const { record, setup, onTools } = request;
  const harness = await loadHarness(env, setup.harness.version);
  const { prefix, digest } = await prepareRoom(harness, setup);
  const lease = toReplayLease(request, harness.bundle.budgets.deadlineMs);
  const calls = record.trace?.steps.flatMap(({ toolCalls }) => toolCalls) ?? [];
  const { http, unrecordedCalls } = createRecordedTools(calls);
  const model = await openModel(env, lease, { deadlineMs: harness.bundle.budgets.deadlineMs, waitUntil });
  const clock = startClock(replayStartsAtMs(record));
  const speech = createListener(() => clock.nowMs() - lease.acceptedAtMs);
  let end: TurnEnd;
  try {
    end = await runTurn(lease, {
      harness,
      setup,
      prefix,
      ...openTurnPorts(env, harness, { clock, acceptedAtMs: lease.acceptedAtMs }),
      ...(onTools === "recorded" && { http }),
      model,
      say: async (sentences) => ({ ok: true, value: { spokenCount: speech.hear(sentences), sayAtMs: null } }),
    });
  } finally {
    await model.close(null);
  }
  if (end.bug !== null) reportFailure("replay", end.reason ?? "internal", end.bug);
  waitUntil(end.observed);
  speech.hear(end.sentences);
  const sentences = speech.heard();
  return {
    harness: setup.harness,
    outcome: end.outcome,
    reason: end.reason,
    timings: {
      waitedMs: record.timings.waitedMs,
      firstSentenceMs: sentences[0]?.atMs ?? null,
      totalMs: clock.nowMs() - lease.acceptedAtMs,
      speakingMs: Math.round(sentences.reduce((sumMs, sentence) => sumMs + estimateSpeakingMs(sentence.speech), 0)),
    },
    sentences,
    trace: { ...end.trace, prefixDigest: digest, configRevision: setup.revision },
    unrecordedCalls: [...unrecordedCalls],
  };
}

/**
 * After all turns in its order, and with a slot of its own: two replays of one turn must not share it. What no endpoint takes
 * ends with the fallback line: words of the policy in here would say nothing about the version.
 */
async function openModel(
  env: Env,
  { room, turn, merchant, priority }: TurnLease,
  { deadlineMs, waitUntil }: { readonly deadlineMs: number; readonly waitUntil: WaitUntil },
): Promise<TurnModel> {
  const deadlineAtMs = systemClock.nowMs() + deadlineMs;
  const asked = { room, turn: `replay-${turn}-${crypto.randomUUID()}`, merchant, priority, deadlineAtMs };
  const model = await openTurnModel(env, asked, waitUntil);
  model.setPolicy({ hedgeAfterMs: null, offlineFallback: false });
  return model;
}

/** The time since now, on top of another moment. */
function startClock(startsAtMs: number): Clock {
  const startedAtMs = systemClock.nowMs();
  return { nowMs: () => startsAtMs + systemClock.nowMs() - startedAtMs };
}

/** In place of the room: keeps each sentence once, with the time of the first call that carried it. */
function createListener(elapsedMs: () => number) {
  const heard = new Map<number, ReplayedTurn["sentences"][number]>();
  return {
    hear(sentences: readonly Sentence[]): number {
      for (const sentence of sentences) {
        if (!heard.has(sentence.seq)) heard.set(sentence.seq, { ...sentence, atMs: elapsedMs() });
      }
      return heard.size;
    },
    heard: () => [...heard.values()],
  };
}
