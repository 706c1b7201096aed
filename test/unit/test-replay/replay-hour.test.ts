import { describe, it } from "vitest";
import { turnRecordSchema } from "../../../shared/contract/turn-record.ts";
import { figuresOf, fillersOf } from "../../replay/hour-figures.ts";
import { type Replay, replayHour } from "../../replay/replay-hour.ts";
import { judgeSaid } from "../../replay/stale-judge.ts";

const MINUTES = 10;
const [spoken, silent] = [
  await replayHour({ seed: 7, minutes: MINUTES }),
  await replayHour({ seed: 7, minutes: MINUTES, hasVoice: false }),
];
const ROOMS = [
  { name: "a room with a voice", replay: spoken },
  { name: "a room without a voice", replay: silent },
];

const toBytes = ({ frames, records, dispositions }: Replay) => JSON.stringify([frames, records, dispositions]);

describe("replayHour", () => {
  it("gives the same frames and records for the same seed, byte for byte", async ({ expect }) => {
    expect(toBytes(await replayHour({ seed: 7, minutes: MINUTES }))).toBe(toBytes(spoken));
  });

  it("gives others for another seed", async ({ expect }) => {
    expect(toBytes(await replayHour({ seed: 8, minutes: MINUTES }))).not.toBe(toBytes(spoken));
  });

  it("is busy enough to show something", ({ expect }) => {
    const { outcomes, interrupts, fillers, dispositions } = figuresOf(silent);
    expect(outcomes["answered"]).toBeGreaterThan(100);
    expect(Object.keys(interrupts).toSorted()).toEqual(["host-speech", "operator", "product-switch"]);
    expect(fillers.used).toBeGreaterThan(5);
    for (const what of ["queued", "merged", "duplicate", "noise", "advertising", "viewer_rate"]) {
      expect(dispositions[what], what).toBeGreaterThan(0);
    }
    expect(figuresOf(spoken).outcomes["expired"]).toBeGreaterThan(50);
  });
});

describe.for(ROOMS)("$name", ({ replay }) => {
  const { config, script, frames, records, dispositions } = replay;

  it("gives every message one disposition, and to one turn at most", ({ expect }) => {
    const posted = script.flatMap((event) => (event.type === "message" ? [event.message.id] : []));
    expect(dispositions.map(({ id }) => id)).toEqual(posted);
    const taken = frames.flatMap((frame) => (frame.type === "message" ? [frame.message.id] : []));
    expect(new Set(taken).size).toBe(taken.length);
    const kept = dispositions.filter(({ disposition }) => disposition === "queued" || disposition === "merged");
    expect(kept.map(({ id }) => id)).toEqual(taken);
  });

  it("ends every turn with one record", ({ expect }) => {
    const opened = frames.flatMap((frame) => (frame.type === "message" ? [frame.turn] : []));
    expect(records.map(({ turn }) => turn).toSorted()).toEqual([...new Set(opened)].toSorted());
    for (const record of records) expect(turnRecordSchema.safeParse(record).error).toBeUndefined();
    expect(replay.openTurnsCount).toBe(0);
  });

  it("numbers its frames without a gap", ({ expect }) => {
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, index) => index + 1));
  });

  it("says nothing of a turn after its interruption or its end", ({ expect }) => {
    const open = new Set<string>();
    const strays = frames.filter((frame) => {
      if (frame.type === "turn-start") open.add(frame.turn);
      if (frame.type === "interrupt" || frame.type === "turn-end") open.delete(frame.turn);
      return frame.type === "sentence" && !open.has(frame.turn);
    });
    expect(strays).toEqual([]);
  });

  it("says no price and no stock that holds no more", ({ expect }) => {
    const { sentences, stale } = judgeSaid(config, frames);
    expect(sentences).toBeGreaterThan(50);
    expect(stale.filter(({ kind }) => kind !== "on-screen")).toEqual([]);
  });

  it("never fills a silence twice in a row", ({ expect }) => {
    expect(fillersOf(frames).inARow).toBe(0);
  });

  it("throws nothing", ({ expect }) => {
    expect(replay.bugs).toEqual([]);
  });
});
