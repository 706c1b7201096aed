import { describe, it } from "vitest";
import { ok } from "../../../../shared/core/result.ts";
import type { RoomFrame } from "../../../../shared/contract/room-frame.ts";
import type { KaiboApi } from "../../../../workers/console/api.ts";
import type { SocketEvents } from "../../../../shared/client/room-stream.ts";
import { openRoomSession } from "../../../../workers/console/room-session.ts";
import type { RoomView } from "../../../../shared/contract/room-view.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";
import { aHello, aMessage, anInterrupt, aSentence, aTurnStart, HARNESS } from "../../../helpers/frames.ts";
import { aView } from "./models.ts";

/** A session over one fake socket. `views` are what the API answers, in order. */
function aSession({ view = aView(), views = [] as RoomView[] } = {}) {
  const time = new FakeTime();
  const spoken: string[] = [];
  const left = [...views];
  let events: SocketEvents | null = null;
  const never = () => Promise.reject(new Error("not part of this test"));
  const api: KaiboApi = {
    listRooms: never,
    loadRoom: async () => ok(left.shift() ?? view),
    findStreamRefusal: async () => null,
    sendMessage: never,
    changeState: never,
    sayAsHost: never,
    interrupt: never,
    loadTurn: never,
    listEndpoints: never,
  };
  const session = openRoomSession({
    api,
    view,
    token: "a.b.c",
    socketOrigin: "ws://kaibo.test",
    clock: time,
    onChange: () => {},
    onRefused: () => {},
    onSentence: (sentence) => spoken.push(sentence.text),
    onInterrupt: (act) => spoken.push(act),
    ports: {
      timer: time,
      random: () => 0,
      openSocket: (_url, _protocols, given) => {
        events = given;
        return { send: () => {}, close: () => {} };
      },
    },
  });
  const text = (frame: RoomFrame | ReturnType<typeof aHello>) => events?.onText(JSON.stringify(frame));
  text(aHello({ seq: view.seq }));
  return { session, spoken, left, send: (...frames: readonly RoomFrame[]) => frames.forEach(text) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("openRoomSession", () => {
  it("speaks live sentences once, and none of the history", ({ expect }) => {
    const history = [aMessage(), aTurnStart(), aSentence({ seq: 3 })];
    const live = aSentence({ seq: 4, sentence: { ...aSentence().sentence, seq: 1, text: "三到五天发货。" } });
    const { spoken, send } = aSession({ view: aView({ seq: 3 }) });
    send(...history, live, live);
    expect(spoken).toEqual(["三到五天发货。"]);
  });

  it("tells the voice of a live interruption, and of none in the history", ({ expect }) => {
    const { spoken, send } = aSession({ view: aView({ seq: 2 }) });
    send(aTurnStart({ seq: 1 }), anInterrupt({ seq: 2 }), anInterrupt({ seq: 3, act: "finish" }));
    expect(spoken).toEqual(["finish"]);
  });

  it("keeps how many turns may wait", ({ expect }) => {
    const { session } = aSession();
    session.noteWaitingMax(200);
    expect(session.model().waitingMax).toBe(200);
  });

  it("reads the room again when its configuration changes, once for frames that come together", async ({ expect }) => {
    const config = aView().config;
    const views = [aView({ seq: 2, revision: 3, config: { ...config, title: "换了标题" } })];
    const { session, send, left } = aSession({ views });
    send(
      { type: "config", seq: 1, atMs: 1, revision: 2, harness: HARNESS },
      { type: "config", seq: 2, atMs: 2, revision: 3, harness: HARNESS },
    );
    await settled();
    expect(session.model()).toMatchObject({ revision: 3, config: { title: "换了标题" } });
    expect(left).toEqual([]);
  });

  it("reads once more when a newer configuration was announced while it read", async ({ expect }) => {
    const views = [aView({ seq: 1, revision: 2 }), aView({ seq: 2, revision: 3 })];
    const { session, send } = aSession({ views });
    send({ type: "config", seq: 1, atMs: 1, revision: 2, harness: HARNESS });
    send({ type: "config", seq: 2, atMs: 2, revision: 3, harness: HARNESS });
    await settled();
    expect(session.model().revision).toBe(3);
  });
});
