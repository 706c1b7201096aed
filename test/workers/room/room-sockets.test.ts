/** Who follows a room gets every frame once, whatever sleeps or breaks in between. */
import { evictDurableObject } from "cloudflare:test";
import { describe, it } from "vitest";
import { parseJson } from "../../../shared/core/json.ts";
import type { HelloFrame, RoomFrame } from "../../../shared/contract/room-frame.ts";
import { HISTORY_CHARS_MAX, STRAY_MESSAGES_MAX } from "../../../workers/room/room-sockets.ts";
import { inRoom, type RoomStub, aFinish, openRoom, readTypes, runAlarmAfter, useRoomClock } from "./open-room.ts";
import { NEWEST, aMessage, aSentence } from "../../unit/workers/room/a-room.ts";
import { leasesOf, until } from "./started-leases.ts";

useRoomClock();

class Follower {
  readonly frames: RoomFrame[] = [];
  readonly hellos: HelloFrame[] = [];
  readonly pongs: string[] = [];
  /** How many frames came in each text. */
  readonly texts: number[] = [];
  readonly closes: { code: number; reason: string }[] = [];
  readonly socket: WebSocket;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.addEventListener("message", ({ data }) => {
      if (typeof data !== "string") throw new Error("frames are text");
      this.#read(data);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      this.closes.push({ code, reason });
    });
    socket.accept();
  }

  #read(text: string): void {
    if (text === "pong") {
      this.pongs.push(text);
      return;
    }
    const value = parseJson(text) as HelloFrame | RoomFrame | RoomFrame[];
    const frames = Array.isArray(value) ? value : [value];
    this.texts.push(frames.length);
    for (const frame of frames) {
      if (frame.type === "hello") this.hellos.push(frame);
      else this.frames.push(frame);
    }
  }

  seqs(): number[] {
    return this.frames.map(({ seq }) => seq);
  }

  async hasSeen(seq: number): Promise<void> {
    await until(() => this.frames.at(-1)?.seq === seq);
  }
}

type FollowOptions = {
  readonly after?: number;
  readonly role?: "room" | "viewer";
  readonly protocol?: string;
  readonly query?: string;
};

function upgrade(
  room: RoomStub,
  { after, role = "room", protocol, query: asked }: FollowOptions = {},
): Promise<Response> {
  const query = asked ?? (after === undefined ? "" : `?after=${after}`);
  return room.fetch(`https://room.invalid/stream${query}`, {
    headers: {
      upgrade: "websocket",
      "x-kaibo-role": role,
      ...(protocol !== undefined && { "sec-websocket-protocol": protocol }),
    },
  });
}

async function follow(room: RoomStub, options: FollowOptions = {}): Promise<Follower> {
  const { webSocket } = await upgrade(room, options);
  if (webSocket === null) throw new Error("no socket");
  return new Follower(webSocket);
}

describe("following", () => {
  it("greets, then tells only what happens from now on", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.post([aMessage("m1")]);
    const follower = await follow(room);
    await room.say({ stateSeq: NEWEST, turn: "t2", attempt: 1, sentences: [aSentence(0)] });
    await follower.hasSeen(4);
    expect(follower.hellos).toEqual([
      { type: "hello", protocol: "kaibo.v1", room: name, seq: 3, firstSeq: 1, openTurns: ["t2"] },
    ]);
    expect(follower.seqs()).toEqual([4]);
  });

  it("brings history first when asked, from inside a row too, and no frame twice", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1"), aMessage("m2")]);
    const follower = await follow(room, { after: 2 });
    await room.finish(aFinish("t2", { sentences: [aSentence(0)] }));
    await follower.hasSeen(7);
    expect(follower.seqs()).toEqual([3, 4, 5, 6, 7]);
  });

  it("misses nothing and repeats nothing when it joins amid a burst", async ({ expect }) => {
    const { room } = await openRoom({ intake: { backlogMax: 100 } });
    const posts = Array.from({ length: 20 }, (_, index) => room.post([aMessage(`a${index}`), aMessage(`b${index}`)]));
    const followers = await Promise.all([follow(room, { after: 0 }), follow(room, { after: 0 })]);
    await Promise.all(posts);
    const view = await room.view();
    const lastSeq = view.ok ? view.value.seq : 0;
    for (const follower of followers) {
      await follower.hasSeen(lastSeq);
      expect(follower.seqs()).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
    }
  });

  it("outlives the room's sleep, and a cut client goes on where it was", async ({ expect }) => {
    const { room } = await openRoom();
    const follower = await follow(room, { after: 0 });
    await room.post([aMessage("m1")]);
    await follower.hasSeen(3);
    await evictDurableObject(room, { webSockets: "hibernate" });
    await room.say({ stateSeq: NEWEST, turn: "t2", attempt: 1, sentences: [aSentence(0)] });
    await follower.hasSeen(4);
    expect(follower.seqs()).toEqual([1, 2, 3, 4]);

    follower.socket.close(1000, "left");
    await room.say({ stateSeq: NEWEST, turn: "t2", attempt: 1, sentences: [aSentence(1)] });
    const resumed = await follow(room, { after: 4 });
    await room.finish(aFinish("t2"));
    await resumed.hasSeen(6);
    expect(resumed.seqs()).toEqual([5, 6]);
    expect(follower.seqs()).toEqual([1, 2, 3, 4]);
  });

  it("keeps a viewer's eyes a viewer's over the room's sleep", async ({ expect }) => {
    const { room } = await openRoom();
    const follower = await follow(room, { role: "viewer", after: 0 });
    const viewer = { id: "openid-8841", name: "张***" };
    await room.post([{ ...aMessage("m1"), viewer }]);
    await evictDurableObject(room);
    await room.post([{ ...aMessage("m2"), viewer }]);
    await room.finish(aFinish("t2", { outcome: "fallback", reason: "hook:price" }));
    await follower.hasSeen(6);
    expect(JSON.stringify(follower.frames)).not.toMatch(/openid-8841|hook:price/);
    expect(follower.frames.filter(({ type }) => type === "message")).toMatchObject([
      { message: { viewer: { name: "张***" } } },
      { message: { viewer: { name: "张***" } } },
    ]);
    const operator = await follow(room, { after: 0 });
    await operator.hasSeen(6);
    expect(JSON.stringify(operator.frames)).toContain("openid-8841");
  });

  it("cuts a history that is too long for one connection, and says where to go on", async ({ expect }) => {
    const { room } = await openRoom();
    const text = "货".repeat(1_000);
    await inRoom(room, (instance) => {
      for (let line = 0; line < HISTORY_CHARS_MAX / 1_000; line += 1) instance.hear({ text, speaker: "小美" });
    });
    const first = await follow(room, { after: 0 });
    await until(() => first.closes.length === 1);
    const stopped = first.frames.at(-1)?.seq ?? 0;
    expect(first.closes).toEqual([{ code: 4001, reason: `resume after ${stopped}` }]);
    const second = await follow(room, { after: stopped });
    await second.hasSeen(HISTORY_CHARS_MAX / 1_000 + 1);
    expect([...first.seqs(), ...second.seqs()]).toEqual(
      Array.from({ length: HISTORY_CHARS_MAX / 1_000 + 1 }, (_, index) => index + 1),
    );
  });
});

describe("the upgrade", () => {
  it("names the subprotocol only when it was asked for", async ({ expect }) => {
    const { room } = await openRoom();
    const asked = await upgrade(room, { protocol: "kaibo.v1, kaibo.token.abc" });
    expect([asked.status, asked.headers.get("sec-websocket-protocol")]).toEqual([101, "kaibo.v1"]);
    const silent = await upgrade(room);
    expect([silent.status, silent.headers.get("sec-websocket-protocol")]).toEqual([101, null]);
    for (const { webSocket } of [asked, silent]) webSocket?.accept();
  });

  it("refuses what is no upgrade or no position", async ({ expect }) => {
    const { room } = await openRoom();
    const plain = await room.fetch("https://room.invalid/stream");
    expect([plain.status, await plain.json()]).toEqual([426, { code: "upgrade_required" }]);
    const nowhere = await room.fetch("https://room.invalid/stream?after=x", { headers: { upgrade: "websocket" } });
    expect(nowhere.status).toBe(426);
  });
});

describe("what a client sends", () => {
  it("is answered by the platform when it is a ping", async ({ expect }) => {
    const { room } = await openRoom();
    const follower = await follow(room);
    await evictDurableObject(room);
    follower.socket.send("ping");
    await until(() => follower.pongs.length === 1);
    expect(follower.closes).toEqual([]);
  });

  it("is ignored, and ends the socket when it does not stop", async ({ expect }) => {
    const { room } = await openRoom();
    const follower = await follow(room);
    for (let text = 0; text < STRAY_MESSAGES_MAX; text += 1) follower.socket.send("关闭");
    await room.hear({ text: "还在", speaker: "host" });
    await follower.hasSeen(2);
    expect(follower.closes).toEqual([]);
    follower.socket.send(new Uint8Array([1, 2, 3]));
    await until(() => follower.closes.length === 1);
    expect(follower.closes).toEqual([{ code: 1008, reason: "nothing is read here" }]);
  });

  it.for([
    [1000, "left"],
    [3001, "my own"],
  ] as const)("closes with %i and gets the same back", async ([code, reason], { expect }) => {
    const { room } = await openRoom();
    const [leaving, staying] = await Promise.all([follow(room), follow(room)]);
    leaving.socket.close(code, reason);
    await until(() => leaving.closes.length === 1);
    expect(leaving.closes[0]?.code).toBe(code);
    await room.hear({ text: "欢迎", speaker: "host" });
    await staying.hasSeen(2);
  });

  it("is answered with a code that can be sent when it leaves without one", async ({ expect }) => {
    const { room } = await openRoom();
    const [leaving, staying] = await Promise.all([follow(room), follow(room)]);
    leaving.socket.close();
    await until(() => leaving.closes.length === 1);
    await room.hear({ text: "欢迎", speaker: "host" });
    await staying.hasSeen(2);
    expect(await inRoom(room, (_, state) => state.getWebSockets().length)).toBe(1);
  });

  it.for([1006, 1015])("closes nothing by itself when the connection was lost with %i", async (code, { expect }) => {
    const { room } = await openRoom();
    const follower = await follow(room);
    await inRoom(room, (instance, state) => {
      for (const socket of state.getWebSockets()) instance.webSocketClose(socket, code);
    });
    await room.hear({ text: "还在", speaker: "host" });
    await follower.hasSeen(2);
    expect(follower.closes).toEqual([]);
  });

  it("does not keep others from their frames when its socket fails", async ({ expect }) => {
    const { room } = await openRoom();
    const [broken, healthy] = await Promise.all([follow(room), follow(room)]);
    await inRoom(room, (instance, state) => {
      const [first] = state.getWebSockets();
      if (first === undefined) throw new Error("there are sockets");
      first.send = () => {
        throw new TypeError("Network connection lost");
      };
      instance.hear({ text: "欢迎", speaker: "host" });
    });
    await until(() => broken.frames.length + healthy.frames.length === 1);
    await until(() => broken.closes.length + healthy.closes.length === 1);
    expect([...broken.closes, ...healthy.closes]).toEqual([{ code: 1011, reason: "send failed" }]);
  });
});

describe("a flood", () => {
  it("comes in few texts, and what is said comes at once behind it", async ({ expect }) => {
    const { room } = await openRoom({ intake: { backlogMax: 100 } });
    await room.post([aMessage("m0")]);
    const follower = await follow(room);
    for (let batch = 0; batch < 10; batch += 1) await room.post([aMessage(`a${batch}`), aMessage(`b${batch}`)]);
    await room.say({ stateSeq: NEWEST, turn: "t2", attempt: 1, sentences: [aSentence(0)] });
    await follower.hasSeen(24);
    expect(follower.seqs()).toEqual(Array.from({ length: 21 }, (_, index) => index + 4));
    expect(follower.texts.length).toBeLessThan(10);
  });

  it("reaches a quiet room's followers without another event", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m0")]);
    const follower = await follow(room);
    await room.post([aMessage("m1")]);
    await follower.hasSeen(4);
    expect(follower.seqs()).toEqual([4]);
  });

  it("is no matter for who follows the speech alone", async ({ expect }) => {
    const { room } = await openRoom();
    const follower = await follow(room, { query: "?follow=speech&after=0" });
    await room.post([aMessage("m1"), aMessage("m2")]);
    await room.finish(aFinish("t2", { sentences: [aSentence(0)] }));
    await follower.hasSeen(7);
    expect(follower.frames.map(({ type, seq }) => `${seq} ${type}`)).toEqual([
      "4 turn-start",
      "5 sentence",
      "6 turn-end",
      "7 turn-start",
    ]);
  });
});

describe("a voice", () => {
  it("makes the room keep time, by what it says and as long as it is there", async ({ expect }) => {
    const { room, name } = await openRoom();
    const voice = await follow(room, { query: "?follow=speech&speaks=1" });
    await room.post([aMessage("m1"), aMessage("m2"), aMessage("m3")]);
    const finished = await room.finish(aFinish("t2", { sentences: [aSentence(0, "这款蚕丝被是六斤的，".repeat(4))] }));
    expect(finished.ok && finished.value.sayAtMs).toBeGreaterThan(Date.now());
    expect(await readTypes(room)).not.toContain("turn-start t3");
    expect(await leasesOf(name, 1)).toHaveLength(1);
    voice.socket.send('{"type":"spoken","turn":"t2","seq":0}');
    expect((await leasesOf(name, 2)).map(({ turn }) => turn)).toEqual(["t2", "t3"]);
    await room.finish(aFinish("t3", { sentences: [aSentence(0, "这款蚕丝被是六斤的，".repeat(4))] }));
    voice.socket.close(1000, "left");
    expect((await leasesOf(name, 3)).map(({ turn }) => turn)).toEqual(["t2", "t3", "t4"]);
  });

  it("that fails is not waited for", async ({ expect }) => {
    const { room, name } = await openRoom();
    await follow(room, { query: "?follow=speech&speaks=1" });
    await room.post([aMessage("m1"), aMessage("m2")]);
    await room.finish(aFinish("t2", { sentences: [aSentence(0, "这款蚕丝被是六斤的，".repeat(4))] }));
    await inRoom(room, (instance, state) => {
      for (const socket of state.getWebSockets()) instance.webSocketError(socket);
    });
    expect((await leasesOf(name, 2)).map(({ turn }) => turn)).toEqual(["t2", "t3"]);
  });

  it.for([
    "{}",
    '{"type":"spoken","turn":"t2","seq":-1}',
    "spoken",
    `{"type":"spoken","turn":"${"t".repeat(300)}","seq":0}`,
  ])("is cut off when it goes on saying %s", async (text, { expect }) => {
    const { room } = await openRoom();
    const voice = await follow(room, { query: "?speaks=1" });
    for (let count = 0; count <= STRAY_MESSAGES_MAX; count += 1) voice.socket.send(text);
    await until(() => voice.closes.length > 0);
    expect(voice.closes).toMatchObject([{ code: 1008 }]);
  });
});

describe("a quiet room", () => {
  it("with a hundred sockets holds no alarm and no timer, sleeps, and wakes with everything it knew", async ({
    expect,
  }) => {
    const { room } = await openRoom();
    const followers = await Promise.all(Array.from({ length: 100 }, () => follow(room)));
    await room.patch({ onScreenProductId: "p2", skus: [{ skuId: "p1-blue", stock: 2 }] });
    await room.hear({ speaker: "小美", text: "大家好" });
    await room.post([aMessage("m1")]);
    await room.finish(aFinish("t4", { sentences: [aSentence(0)] }));
    // What was set for the turn's lease goes off once more, and sets nothing.
    await runAlarmAfter(room, 60_000);
    const before = await room.view();
    const timers = await inRoom(room, async (_, state) => ({
      alarm: await state.storage.getAlarm(),
      sockets: state.getWebSockets().length,
    }));
    expect(timers).toEqual({ alarm: null, sockets: 100 });
    await evictDurableObject(room, { webSockets: "hibernate" });
    expect(await room.view()).toMatchObject({ ...before, value: { snapshot: before.ok && before.value.snapshot } });
    await room.post([aMessage("m2")]);
    const view = await room.view();
    for (const follower of followers) await follower.hasSeen(view.ok ? view.value.seq : 0);
    expect(new Set(followers.map((follower) => follower.seqs().join())).size).toBe(1);
  });
});
