import { describe, it } from "vitest";
import { readFacts, type Served } from "../../bench/load/served.ts";
import type {
  AdmissionRecord,
  ServedBy,
  StepRecord,
  TurnRecord,
  TurnTrace,
} from "../../../shared/contract/turn-record.ts";

const MAIN: Partial<ServedBy> = { endpoint: "gpu", tier: "main" };
const OFFLINE: Partial<ServedBy> = { endpoint: "offline", tier: "offline" };
const TRIES = [{ endpoint: "gpu", code: "model_unavailable", ms: 3 }];

function aStep(servedBy: Partial<ServedBy>): StepRecord {
  return {
    index: 0,
    startedMs: 0,
    firstDeltaMs: 1,
    endedMs: 2,
    finish: "stop",
    code: null,
    text: "有货。",
    usage: null,
    servedBy: {
      endpoint: "",
      model: "m",
      tier: "main",
      firstTokenMs: 1,
      acceptanceLength: null,
      tries: [],
      ...servedBy,
    },
    toolCalls: [],
  };
}

function aTrace(steps: readonly Partial<ServedBy>[], admission: Partial<AdmissionRecord> | null): TurnTrace {
  return {
    prefixDigest: "",
    configRevision: 1,
    turnPrompt: "",
    continuation: [],
    model: { endpoint: "gpu", model: "m" },
    admission: admission && { endpoint: "gpu", waitedMs: 12, local: false, refusals: [], ...admission },
    steps: steps.map(aStep),
    hooks: [],
    hookRuns: 0,
  };
}

function aRecord(change: Partial<TurnRecord>): TurnRecord {
  return {
    schema: "kaibo.turn/1",
    room: "r",
    turn: "t1",
    attempt: 1,
    messages: [],
    harness: { name: "live-host", version: "" },
    configRevision: 1,
    snapshot: { onScreenProductId: null, skuOverrides: {}, heard: [] },
    acceptedAtMs: 0,
    endedAtMs: 1,
    outcome: "answered",
    reason: null,
    timings: { waitedMs: 0, firstSentenceMs: 1, totalMs: 1 },
    sentences: [],
    trace: aTrace([MAIN], {}),
    ...change,
  };
}

const refused = (...reasons: string[]) => ({
  endpoint: null,
  refusals: reasons.map((reason) => ({ endpoint: "gpu", reason, expectedWaitMs: 0 })),
});

describe("readFacts", () => {
  it.for<[string, TurnTrace | null, Served]>([
    ["every call by a main endpoint", aTrace([MAIN, MAIN], {}), "main"],
    ["the endpoint had it, and the policy in here went on", aTrace([MAIN, OFFLINE], {}), "failed"],
    ["no endpoint admitted it: the last reason counts", aTrace([OFFLINE], refused("breaker_open", "busy")), "busy"],
    ["a request that was taken back is no reason", aTrace([OFFLINE], refused("queue_full", "cancelled")), "queue_full"],
    ["a reason that is not known", aTrace([OFFLINE], refused("moon")), "failed"],
    ["no call was made", aTrace([], {}), "no_call"],
    ["no runner lived to tell", null, "no_call"],
  ])("tells who answered: %s", ([, trace, served], { expect }) => {
    expect(readFacts(aRecord({ trace })).served).toBe(served);
  });

  it.for(["fallback", "expired", "silent", "interrupted"] as const)(
    "leaves an outcome as it is: %s",
    (outcome, { expect }) => {
      expect(readFacts(aRecord({ outcome })).served).toBe(outcome);
    },
  );

  it("counts tries that failed, and names the endpoints in order", ({ expect }) => {
    const trace = aTrace(
      [
        { ...MAIN, tries: TRIES },
        { ...MAIN, endpoint: "other", tries: [...TRIES, ...TRIES] },
      ],
      {},
    );
    expect(readFacts(aRecord({ trace }))).toMatchObject({ retries: 3, endpoints: ["gpu", "other"], waitedMs: 12 });
  });

  it("counts words that were said twice", ({ expect }) => {
    const sentences = ["有货。", "今天发。", "有货。"].map((text, seq) => ({
      seq,
      text,
      speech: text,
      kind: "answer" as const,
      atMs: 0,
    }));
    expect(readFacts(aRecord({ sentences })).repeated).toBe(1);
    expect(readFacts(aRecord({ sentences: sentences.slice(0, 2) })).repeated).toBe(0);
  });
});
