import { describe, it } from "vitest";
import { viewerMessageSchema } from "../../../shared/contract/message.ts";
import { roomPatchSchema } from "../../../shared/contract/room-state.ts";
import { readSampleRoom } from "../../replay/sample-room.ts";
import { type ScriptEvent, writeScript } from "../../replay/script.ts";
import { amountsOf, numbersOf } from "../../replay/telling-numbers.ts";

const { config, comments } = await readSampleRoom();
const options = { config, comments, seed: 7, minutes: 60, startMs: 1_000_000 };
const script = writeScript(options);

const countOf = (kind: string) => script.filter((event) => "kind" in event && event.kind === kind).length;

describe("writeScript", () => {
  it("gives the same events for the same seed, and others for another", ({ expect }) => {
    expect(writeScript(options)).toEqual(script);
    expect(writeScript({ ...options, seed: 8 })).not.toEqual(script);
  });

  it("gives events that the room's contracts take, in the order of their times", ({ expect }) => {
    const times = script.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    for (const event of script) {
      if (event.type === "message") expect(viewerMessageSchema.parse(event.message)).toEqual(event.message);
      if (event.type === "patch") expect(roomPatchSchema.parse(event.patch)).toEqual(event.patch);
    }
  });

  it("has about as many messages as it was asked for, and some of every kind", ({ expect }) => {
    const messages = script.filter(({ type }) => type === "message").length;
    expect(Math.abs(messages - 4_000)).toBeLessThan(200);
    for (const kind of ["question", "hot", "burst", "flood", "emoji", "advertising", "resent"]) {
      expect(countOf(kind), kind).toBeGreaterThan(10);
    }
    for (const kind of ["switch", "price", "stock", "sold-out", "back"]) expect(countOf(kind), kind).toBeGreaterThan(3);
    expect(script.some((event) => event.type === "speech" && event.speech.isFinal === false)).toBe(true);
  });

  it("has fewer events where a room is quieter", ({ expect }) => {
    const quiet = writeScript({ ...options, figures: { messages: 200, burstMessages: 0, floods: 0, speeches: 0 } });
    expect(quiet.filter(({ type }) => type === "message").length).toBeLessThan(230);
    expect(quiet.some(({ type }) => type === "speech")).toBe(false);
  });

  it("sets numbers that stand for one thing only: no other price, sum or stock, and no word of the room's", ({
    expect,
  }) => {
    const owners = new Map<number, string>();
    const own = (numbers: readonly number[], owner: string) => {
      for (const number of numbers) expect(owners.get(number) ?? owner, `${number}`).toBe(owner);
      for (const number of numbers) owners.set(number, owner);
    };
    own([...numbersOf(config, comments)], "the room");
    for (const patch of script.flatMap((event: ScriptEvent) => (event.type === "patch" ? [event.patch] : []))) {
      for (const { priceCents, stock = 0 } of patch.skus ?? []) {
        if (priceCents !== undefined) own(amountsOf(priceCents, config.coupons), `price ${priceCents}`);
        if (stock > 0) own([stock], `stock ${stock}`);
      }
    }
  });
});
