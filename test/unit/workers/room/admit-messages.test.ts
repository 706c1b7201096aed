/** Which messages a room takes for the same question, and which give up their place. */
import { describe, it } from "vitest";
import type { RoomNow } from "../../../../workers/room/room-draft.ts";
import { RoomIntake } from "../../../../workers/room/room-intake.ts";
import { patchState } from "../../../../workers/room/room-step.ts";
import { aBusyRoom, finish, said, take } from "./a-busy-room.ts";
import { type PolicyFields, after } from "./a-room.ts";

/** A room in which p1 is on screen. */
function aShownRoom(policy: PolicyFields = {}): RoomNow {
  const room = aBusyRoom(policy);
  return show(room, "p1");
}

function show(room: RoomNow, onScreenProductId: string): RoomNow {
  const patched = patchState(room, { onScreenProductId });
  if (!patched.ok) throw new Error(patched.error);
  return after(room, patched.value);
}

describe("a question about what was on screen", () => {
  it("is joined by none about another product, after the room has slept too", ({ expect }) => {
    let room = take(aShownRoom(), said("m1", "这个多少钱")).room;
    room = { ...show(room, "p2"), intake: new RoomIntake() };
    const { dispositions } = take(room, said("m2", "这个多少钱"));
    expect(dispositions).toMatchObject([{ disposition: "queued" }]);
    const back = take({ ...show(room, "p1"), intake: new RoomIntake() }, said("m3", "这个多少钱"));
    expect(back.dispositions).toMatchObject([{ disposition: "merged" }]);
  });

  it("is not the one that was answered about the product before", ({ expect }) => {
    const viewer = { id: "v1" };
    let room = take(aShownRoom(), said("m1", "这个多少钱", viewer)).room;
    room = finish(show(room, "p2")).room;
    room = finish(room).room;
    expect(take(room, said("m2", "这个多少钱", viewer)).dispositions).toMatchObject([{ disposition: "queued" }]);
    const again = take(show(room, "p1"), said("m3", "这个多少钱", viewer));
    expect(again.dispositions).toMatchObject([{ reason: "repeated" }]);
  });
});

describe("a crowd in one batch", () => {
  it("lets what has just come give up its place to what matters more", ({ expect }) => {
    const room = aBusyRoom({ intake: { backlogMax: 1 } });
    const texts = ["主播你好漂亮", "面料是什么", "怎么下单"];
    const { step, dispositions } = take(room, ...texts.map((text, index) => said(`m${index + 1}`, text)));
    expect(dispositions.map(({ disposition }) => disposition)).toEqual(["queued", "queued", "queued"]);
    expect(step.records.map(({ messages, reason }) => [messages[0]?.text, reason])).toEqual([
      ["主播你好漂亮", "crowded"],
      ["面料是什么", "crowded"],
    ]);
  });
});
