import { describe, it } from "vitest";
import { parseJson } from "../../../../shared/core/json.ts";
import { type TurnRecord, type TurnTrace, turnRecordSchema } from "../../../../shared/contract/turn-record.ts";
import { activityOf, buildTurnRecord, serializeRecord, timingsOf } from "../../../../workers/room/build-turn-record.ts";
import type { OpenTurn } from "../../../../workers/room/room-state.ts";
import { HARNESS, aMessage, aSentence, aTrace } from "./a-room.ts";

const aTurn = (fields: Partial<OpenTurn> = {}): OpenTurn => ({
  id: "t2",
  acceptedAtMs: 1_000,
  waitsUntilMs: 31_000,
  onScreenProductId: null,
  messages: [aMessage("m1")],
  askers: 1,
  priority: null,
  attemptsBefore: 0,
  waitedMs: 100,
  lease: null,
  sentences: [],
  ...fields,
});

function aRecord(trace: TurnTrace | null, reason: string | null = null): TurnRecord {
  const basis = { room: "room-1", turn: aTurn({ sentences: [{ ...aSentence(0), atMs: 1_400 }] }), endedAtMs: 2_000 };
  return buildTurnRecord({ ...basis, harness: HARNESS, revision: 1 }, { outcome: "answered", reason, trace });
}

const read = (text: string) => turnRecordSchema.parse(parseJson(text));

describe("timingsOf", () => {
  it("counts from acceptance", ({ expect }) => {
    const turn = aTurn({
      sentences: [
        { ...aSentence(0), atMs: 1_400 },
        { ...aSentence(1), atMs: 1_900 },
      ],
    });
    expect(timingsOf(turn, 2_000)).toEqual({ waitedMs: 100, firstSentenceMs: 400, totalMs: 1_000, speakingMs: 3_812 });
  });

  it("knows no first sentence where none was said, and a whole life of waiting where no runner came", ({ expect }) => {
    expect(timingsOf(aTurn({ waitedMs: null }), 2_000)).toEqual({
      waitedMs: 1_000,
      firstSentenceMs: null,
      totalMs: 1_000,
      speakingMs: 0,
    });
  });
});

describe("activityOf", () => {
  it("is null for a turn whose runner died", ({ expect }) => {
    expect(activityOf(null)).toBeNull();
  });

  it("bounds what goes to everyone who watches", ({ expect }) => {
    const hook = {
      hook: "price",
      event: "PreUtterance",
      verdict: "deny" as const,
      atMs: 1,
      subject: "",
      reason: "错".repeat(900),
    };
    const activity = activityOf(aTrace({ hooks: Array.from({ length: 70 }, () => hook) }));
    expect(activity?.hooks).toHaveLength(50);
    expect(activity?.hooks[0]?.reason).toHaveLength(300);
  });
});

describe("serializeRecord", () => {
  const message = { role: "tool" as const, content: "货".repeat(1_000), tool_call_id: "c1" };
  const step = {
    index: 0,
    startedMs: 0,
    firstDeltaMs: 1,
    endedMs: 2,
    finish: "stop",
    code: null,
    usage: null,
    toolCalls: [],
  };

  it("gives the record whole when it fits to the byte", ({ expect }) => {
    const record = aRecord(aTrace({ continuation: [message] }));
    const bytes = Buffer.byteLength(JSON.stringify(record));
    expect(read(serializeRecord(record, bytes))).toEqual(record);
    expect(read(serializeRecord(record, bytes - 1)).trace?.continuation).toEqual([]);
  });

  it("says that it was cut, and keeps a reason that is there already", ({ expect }) => {
    const trace = aTrace({ continuation: [message] });
    expect(read(serializeRecord(aRecord(trace), 2_500)).reason).toBe("record_too_large");
    expect(read(serializeRecord(aRecord(trace, "deadline_exceeded"), 2_500)).reason).toBe("deadline_exceeded");
  });

  it("lets go of what steps put out next, and of the trace last", ({ expect }) => {
    const record = aRecord(aTrace({ continuation: [message], steps: [{ ...step, text: "货".repeat(1_000) }] }));
    expect(read(serializeRecord(record, 2_500)).trace?.steps).toEqual([{ ...step, text: "" }]);
    expect(read(serializeRecord(record, 10))).toEqual({ ...record, reason: "record_too_large", trace: null });
  });
});
