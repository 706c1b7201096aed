import { describe, it } from "vitest";
import { helloFrameSchema } from "../../../../shared/contract/room-frame.ts";
import { openTurnViewSchema, roomViewSchema } from "../../../../shared/contract/room-view.ts";
import { toHello, toOpenTurnView, toRoomView } from "../../../../workers/room/room-view.ts";
import { withConfiguration } from "../../../../workers/room/stored-room.ts";
import { aRoomConfig } from "../../../helpers/rooms.ts";
import { HARNESS, START_MS, aPolicy, aRoom, post } from "./a-room.ts";

const { state } = post(aRoom(), "m1", "m2");
const setup = { config: aRoomConfig(), harness: HARNESS, sessionContext: [] };
const room = { ...withConfiguration(null, "room-1", { setup, policy: aPolicy() }), state };

describe("toRoomView", () => {
  it("shows what the contract promises, as of the last frame", ({ expect }) => {
    expect(roomViewSchema.parse(toRoomView(room, 12))).toMatchObject({
      room: "room-1",
      seq: 4,
      openTurns: ["t2", "t3"],
      rowsWritten: 12,
      release: { seq: 0, trial: null, refused: null },
    });
  });

  it("shows its trial, and the version that it should run and could not take", ({ expect }) => {
    const refused = { version: "b".repeat(64), code: "harness_corrupt", atMs: START_MS };
    const release = { seq: 7, trial: { id: "s", arm: "baseline" as const }, refused };
    expect(roomViewSchema.parse(toRoomView({ ...room, release }, 0)).release).toEqual(release);
  });
});

describe("toHello", () => {
  it("greets with the log's two ends", ({ expect }) => {
    expect(helloFrameSchema.parse(toHello(room, 2))).toMatchObject({
      room: "room-1",
      seq: 4,
      firstSeq: 2,
      openTurns: ["t2", "t3"],
    });
  });
});

describe("toOpenTurnView", () => {
  it("tells the turn that is spoken from the one that waits", ({ expect }) => {
    const views = state.turns.map((turn) => openTurnViewSchema.parse(toOpenTurnView("room-1", turn)));
    expect(views.map(({ status, attempt }) => [status, attempt])).toEqual([
      ["speaking", 1],
      ["waiting", 0],
    ]);
    expect(views[0]?.acceptedAtMs).toBe(START_MS);
  });
});
