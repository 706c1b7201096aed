import { describe, it } from "vitest";
import { replayStartsAtMs, toReplayLease } from "../../../../../shared/agent/turn/replay-lease.ts";
import { PRIORITY_BACKGROUND } from "../../../../../shared/contract/admission.ts";
import { aSetup } from "../../../../helpers/rooms.ts";
import { aTurnRecord } from "../../../../helpers/turn-records.ts";

describe("toReplayLease", () => {
  it("asks what was asked, as the room was then, under the harness of the replay", ({ expect }) => {
    const record = aTurnRecord({ attempt: 2 });
    const setup = aSetup({ revision: 7, harness: { name: "live-host", version: "b".repeat(64) } });
    expect(toReplayLease({ record, setup }, 8_000)).toMatchObject({
      room: "r1",
      turn: "t12",
      merchant: "m1",
      messages: record.messages,
      askers: 3,
      snapshot: record.snapshot,
      harness: setup.harness,
      configRevision: 7,
    });
  });

  it("begins anew, unheard and after all turns, though the turn had been resumed", ({ expect }) => {
    const lease = toReplayLease({ record: aTurnRecord({ attempt: 2 }), setup: aSetup() }, 8_000);
    expect(lease).toMatchObject({ attempt: 1, spoken: [], sayAtMs: null, priority: PRIORITY_BACKGROUND });
  });

  it("has the time of then: it starts when the turn's runner did, and lasts as long as the harness lets it", ({
    expect,
  }) => {
    const record = aTurnRecord();
    expect(replayStartsAtMs(record)).toBe(record.acceptedAtMs + 12);
    const { acceptedAtMs, deadlineAtMs } = toReplayLease({ record, setup: aSetup() }, 8_000);
    expect([acceptedAtMs, deadlineAtMs]).toEqual([record.acceptedAtMs, record.acceptedAtMs + 8_012]);
  });

  it("counts the messages of a record from before askers were counted", ({ expect }) => {
    const { askers: _askers, ...old } = aTurnRecord();
    expect(toReplayLease({ record: old, setup: aSetup() }, 8_000).askers).toBe(1);
  });
});
