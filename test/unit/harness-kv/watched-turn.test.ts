import { describe, it } from "vitest";
import { toWatchedTurn } from "../../../harness-kv/canary-watch.ts";
import type { FinishRequest } from "../../../shared/contract/turn-lease.ts";
import type { HookRecord, TurnRecord } from "../../../shared/contract/turn-record.ts";
import type { RoomNow, RoomStep } from "../../../workers/room/room-draft.ts";
import { LEASE_GRACE_MS } from "../../../workers/room/room-state.ts";
import { abandonTurn, finishTurn, interruptTurn, saySentences, tickRoom } from "../../../workers/room/room-step.ts";
import { NEWEST, aFinish, aRoom, aSentence, aTrace, after, later, post } from "../workers/room/a-room.ts";

/** From the lease to its end. */
const LEASE_MS = 8_000 + LEASE_GRACE_MS;
const FINE = { room: "room-1", error: false, fallback: false, blocked: false, totalMs: 700 };

const aSpeakingRoom = (): RoomNow => {
  const now = aRoom();
  return after(now, post(now, "m1"), 700);
};

function recordIn(step: RoomStep): TurnRecord {
  const record = step.records[0];
  if (record === undefined) throw new Error("No turn ended");
  return record;
}

const stepOf = (result: { ok: true; value: { step: RoomStep } } | { ok: false; error: string }): RoomStep => {
  if (!result.ok) throw new Error(result.error);
  return result.value.step;
};

/** The record of a turn whose runner ended it after 700 ms. */
const finished = (fields: Partial<FinishRequest>): TurnRecord =>
  recordIn(stepOf(finishTurn(aSpeakingRoom(), aFinish(fields))));

const hooked = (fields: Pick<HookRecord, "event" | "verdict">, end: Partial<FinishRequest> = {}): TurnRecord =>
  finished({ ...end, trace: aTrace({ hooks: [{ hook: "20-law", reason: "", atMs: 1, subject: "", ...fields }] }) });

/** The room when its turn has lost its first runner, and the second one has it. */
function atSecondRunner(room: RoomNow): RoomNow {
  const lost = later(room, LEASE_MS);
  return after(lost, tickRoom(lost), 100);
}

const saidOne = (room: RoomNow): RoomNow =>
  after(room, stepOf(saySentences(room, { turn: "t2", attempt: 1, sentences: [aSentence(0)], stateSeq: NEWEST })));

describe("toWatchedTurn", () => {
  it.for([
    ["a plain answer", finished({}), {}],
    ["an answer that broke off at its deadline", finished({ reason: "deadline_exceeded" }), {}],
    ["a fixed answer of a hook", hooked({ event: "UserPromptSubmit", verdict: "answer" }), {}],
    ["the harness's line", finished({ outcome: "fallback", reason: "steps_exhausted" }), { fallback: true }],
    ["no endpoint", finished({ outcome: "fallback", reason: "model_unavailable" }), { fallback: true }],
    ["code that threw", finished({ outcome: "fallback", reason: "internal" }), { error: true, fallback: true }],
    ["code that threw in mid answer", finished({ reason: "internal" }), { error: true }],
    ["a refused sentence", hooked({ event: "PreUtterance", verdict: "deny" }), { blocked: true }],
    ["a refused reply", hooked({ event: "Stop", verdict: "deny" }), { blocked: true }],
    [
      "a refused call of the policy",
      hooked({ event: "PreModelCall", verdict: "deny" }, { outcome: "fallback", reason: "hook:20-law" }),
      { blocked: true, fallback: true },
    ],
    [
      "a question that is refused on purpose",
      hooked({ event: "UserPromptSubmit", verdict: "deny" }, { outcome: "silent", reason: "hook:20-law" }),
      { blocked: true },
    ],
    ["a refused tool call", hooked({ event: "PreToolUse", verdict: "deny" }), {}],
    ["a rewritten sentence", hooked({ event: "PreUtterance", verdict: "rewrite" }), {}],
    ["a hook that failed", hooked({ event: "PreUtterance", verdict: "failed" }), {}],
  ] as const)("tells what %s says of the version", ([, record, events], { expect }) => {
    expect(toWatchedTurn(record)).toEqual({ ...FINE, ...events });
  });

  it("takes a turn that its second runner could not run for an error", ({ expect }) => {
    const room = atSecondRunner(aSpeakingRoom());
    const record = recordIn(stepOf(abandonTurn(room, { turn: "t2", attempt: 2, code: "harness_corrupt" })));
    expect(toWatchedTurn(record)).toEqual({ ...FINE, error: true, fallback: true, totalMs: 700 + LEASE_MS + 100 });
  });

  it("takes a turn that kills its runners for an error, whether it had begun to answer or not", ({ expect }) => {
    const lost = [aSpeakingRoom(), saidOne(aSpeakingRoom())].map((room) => {
      const second = later(atSecondRunner(room), LEASE_MS);
      return toWatchedTurn(recordIn(tickRoom(second)));
    });
    expect(lost).toMatchObject([
      { error: true, fallback: true, blocked: false },
      { error: true, fallback: false, blocked: false },
    ]);
  });

  it("takes a turn that its second runner answered for none", ({ expect }) => {
    const room = atSecondRunner(aSpeakingRoom());
    const record = recordIn(stepOf(finishTurn(room, aFinish({ attempt: 2 }))));
    expect(toWatchedTurn(record)).toMatchObject({ error: false, fallback: false });
  });

  it("does not count a turn that waited too long", ({ expect }) => {
    const now = aRoom({ intake: { ttlMs: 5_000 } });
    const room = after(now, post(now, "m1", "m2"), 5_000);
    const record = recordIn(tickRoom(room));
    expect([record.outcome, record.reason, toWatchedTurn(record)]).toEqual(["expired", "ttl", null]);
  });

  it("does not count a turn that gave up its place", ({ expect }) => {
    const record: TurnRecord = { ...finished({}), outcome: "expired", reason: "crowded", trace: null };
    expect(toWatchedTurn(record)).toBeNull();
  });

  it("does not count a turn that was interrupted", ({ expect }) => {
    const operator = { cause: "operator", act: "stop", reason: "operator" } as const;
    const record = recordIn(stepOf(interruptTurn(aSpeakingRoom(), operator)));
    expect([record.outcome, toWatchedTurn(record)]).toEqual(["interrupted", null]);
  });
});
