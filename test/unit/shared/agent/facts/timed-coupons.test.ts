import { describe, it } from "vitest";
import { buildPrefix } from "../../../../../shared/agent/prompt/build-prefix.ts";
import { buildTurnPrompt } from "../../../../../shared/agent/prompt/build-turn-prompt.ts";
import { couponsAt, isTimed } from "../../../../../shared/agent/facts/timed-coupons.ts";
import { couponSchema } from "../../../../../shared/contract/room-config.ts";
import { aHarness } from "../../../../helpers/harnesses.ts";
import { aLease, aRoomConfig, aSetup } from "../../../../helpers/rooms.ts";

const always = { id: "c1", name: "满100减10", minCents: 10_000, offCents: 1_000 };
const evening = {
  id: "c2",
  name: "晚八点满200减50",
  minCents: 20_000,
  offCents: 5_000,
  startsAtMs: 1_000,
  endsAtMs: 2_000,
};

describe("couponsAt", () => {
  it.for([
    [999, ["c1"]],
    [1_000, ["c1", "c2"]],
    [1_999, ["c1", "c2"]],
    [2_000, ["c1"]],
  ] as const)("at %i ms gives %j", ([nowMs, ids], { expect }) => {
    expect(couponsAt([always, evening], nowMs).map(({ id }) => id)).toEqual(ids);
  });

  it("tells which offers have a time", ({ expect }) => {
    expect([always, evening].map(isTimed)).toEqual([false, true]);
  });
});

describe("an offer with a time", () => {
  const harness = aHarness({
    sections: { system: ["identity"], merchant: [], room: ["coupons"], turn: ["state"] },
    prompt: { identity: "你是主播。", coupons: "{{ room.coupons }}", state: "{{ turn.state }}" },
  });
  const prefix = buildPrefix(harness, aSetup({ config: aRoomConfig({ coupons: [always, evening] }) }));
  const at = (nowMs: number) => buildTurnPrompt(harness, prefix, aLease(), { texts: ["有券吗"], contexts: [], nowMs });

  it("never changes the stable part of a prompt", ({ expect }) => {
    expect([prefix.room.includes(always.name), prefix.room.includes(evening.name)]).toEqual([true, false]);
  });

  it("is evidence while it holds, for the policy and its guards", ({ expect }) => {
    expect([at(1_500).text.includes(evening.name), at(1_500).evidence.join("").includes(evening.name)]).toEqual([
      true,
      true,
    ]);
    expect([at(500), at(2_500)].map(({ text }) => text.includes(evening.name))).toEqual([false, false]);
  });

  it("must begin before it ends", ({ expect }) => {
    expect(couponSchema.safeParse(evening).success).toBe(true);
    expect(couponSchema.safeParse({ ...evening, endsAtMs: 1_000 }).success).toBe(false);
  });
});
