import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "vitest";
import { runRoom } from "../../../../../workers/cli/room/room-command.ts";
import { parseRoom } from "../../../../../workers/cli/room/room-options.ts";
import { FakeTime } from "../../../../helpers/fake-timer.ts";
import { aHello, aSentence, aState, HARNESS } from "../../../../helpers/frames.ts";
import { aRoomConfig } from "../../../../helpers/rooms.ts";
import { tempFolder } from "../../../../helpers/temp-folder.ts";
import { fakeSockets } from "../../../shared/client/fake-sockets.ts";
import { settled } from "../chat/a-platform.ts";
import { aRoomView } from "./a-room-view.ts";

const ROOM = "GET /v1/rooms/r1";
const NOT_FOUND = { code: "room_not_found", title: "The room does not exist", status: 404, details: {} };
const FORBIDDEN = { code: "forbidden", title: "The token is not for this", status: 403, details: {} };

describe("runRoom", () => {
  it("lists the rooms page by page, up to the limit", async ({ expect }) => {
    const pages = {
      "GET /v1/rooms?limit=100": { rooms: rooms("a", "b"), nextCursor: "b" },
      "GET /v1/rooms?limit=100&cursor=b": { rooms: rooms("c"), nextCursor: null },
    };
    const { printed, sent } = await run("list --json", pages);
    expect(JSON.parse(printed)).toEqual({ rooms: rooms("a", "b", "c"), nextCursor: null });
    expect(sent.map(([call]) => call)).toEqual(Object.keys(pages));

    const limited = await run("list --limit 2", {
      "GET /v1/rooms?limit=2": { rooms: rooms("a", "b"), nextCursor: "b" },
    });
    expect(limited.printed).toMatch(/\na [^]*\nb [^]*There are more/);
  });

  it("shows a room, and fails for one that does not exist", async ({ expect }) => {
    expect((await run("show r1", { [ROOM]: aRoomView() })).printed).toContain("r1: 测试直播间\n");
    expect(JSON.parse((await run("show r1 --json", { [ROOM]: aRoomView() })).printed)).toEqual(aRoomView());
    await expect(run("show r1", { [ROOM]: NOT_FOUND })).rejects.toMatchObject({
      message: "Room r1 could not be read.",
      next: expect.stringContaining("npx kaibo room list"),
      exitCode: 1,
    });
  });

  it("makes a room, and says what a configuration changes in one that exists", async ({ expect }) => {
    const file = path.join(await tempFolder(), "room.json");
    const config = aRoomConfig({ title: "新" });
    await writeFile(file, JSON.stringify(config));
    const saved = { room: "r1", revision: 4, harness: HARNESS };
    const made = await run(`set r1 ${file}`, { [ROOM]: NOT_FOUND, "PUT /v1/rooms/r1": { ...saved, revision: 1 } });
    expect(made.sent.at(-1)).toEqual(["PUT /v1/rooms/r1", config]);
    expect(made.printed).toBe("r1 was made: revision 1, live-host@aaaaaaaa\n");

    const before = aRoomView({ config: aRoomConfig() });
    const changed = await run(`set r1 ${file} --json`, { [ROOM]: before, "PUT /v1/rooms/r1": saved });
    expect(JSON.parse(changed.printed)).toEqual({
      ...saved,
      before: { revision: 3, harness: HARNESS },
      changes: [{ field: "title", before: "测试直播间", after: "新" }],
    });
  });

  it("sends nothing when the file does not read", async ({ expect }) => {
    await expect(run("set r1 /no/such.json", {})).rejects.toThrow("The room /no/such.json does not read.");
  });

  it.for([
    ["7", "p2"],
    ["p2", "p2"],
    ["none", null],
  ] as const)("puts %s on screen, by link number or id", async ([named, onScreenProductId], { expect }) => {
    const { sent, printed } = await run(`state r1 --on-screen ${named}`, PATCHABLE);
    expect(sent.at(-1)).toEqual(["PATCH /v1/rooms/r1/state", { onScreenProductId }]);
    expect(printed).toMatch(/^on screen: link 1, p1 纯棉毛巾 → .+\n$/);
  });

  it("changes prices and stock in one step", async ({ expect }) => {
    const { sent, printed } = await run(
      "state r1 --sku p1-blue --price 29.9 --sku p2-grey --stock 0 --json",
      PATCHABLE,
    );
    const patch = {
      skus: [
        { skuId: "p1-blue", priceCents: 2_990 },
        { skuId: "p2-grey", stock: 0 },
      ],
    };
    expect(sent.at(-1)).toEqual(["PATCH /v1/rooms/r1/state", patch]);
    expect(JSON.parse(printed)).toEqual({ room: "r1", seq: 121, patch });
  });

  it.for(["--on-screen 2", "--on-screen p9", "--sku p9-red --stock 1", "--on-screen 7 --sku p9-red --stock 1"])(
    "changes nothing for what the room does not sell: %s",
    async (options, { expect }) => {
      await expect(run(`state r1 ${options}`, { [ROOM]: aRoomView() })).rejects.toMatchObject({
        message: expect.stringContaining("Room r1 sells no "),
        next: "npx kaibo room show r1 --products",
      });
    },
  );

  it("interrupts, with a reason where one is given, and says when nothing is being spoken", async ({ expect }) => {
    const route = "POST /v1/rooms/r1/interrupt";
    const { sent, printed } = await run("interrupt r1 --reason wrong-price", { [route]: { turn: "t12" } });
    expect(sent).toEqual([[route, { reason: "wrong-price" }]]);
    expect(printed).toBe("t12 was interrupted\n");
    expect((await run("interrupt r1", { [route]: { turn: "t12" } })).sent).toEqual([[route, {}]]);
    const silent = { code: "turn_not_found", title: "No turn is being spoken", status: 404, details: { room: "r1" } };
    await expect(run("interrupt r1", { [route]: silent })).rejects.toMatchObject({
      why: "No turn is being spoken (turn_not_found).",
      exitCode: 1,
    });
  });

  it("posts what a host said", async ({ expect }) => {
    const route = "POST /v1/rooms/r1/host-speech";
    const { sent, printed } = await run("host-speech r1 欢迎 --speaker 小美", { [route]: { seq: 9 } });
    expect(sent).toEqual([[route, { text: "欢迎", speaker: "小美" }]]);
    expect(printed).toBe("heard, frame 9\n");
  });

  it("prints a prompt as it was sent", async ({ expect }) => {
    const digest = "0".repeat(64);
    const answer = { digest, text: "你是主播。\n规则：" };
    const { printed } = await run(`prompt r1 ${digest}`, { [`GET /v1/rooms/r1/prompts/${digest}`]: answer });
    expect(printed).toBe("你是主播。\n规则：\n");
  });
});

describe("follow", () => {
  it("prints a line a frame, with the names of products, and goes on after a cut where it was", async ({ expect }) => {
    const { sockets, time, lines, notes, stop, done } = await follow("follow r1 --after 3");
    sockets.latest().onText(JSON.stringify(aHello({ seq: 3 })));
    sockets.latest().onText(JSON.stringify([aState({ seq: 4 }), aSentence({ seq: 5 })]));
    sockets.latest().onClose();
    time.advance(500);
    await settled();
    expect(sockets.sockets.map(({ url }) => url)).toEqual([
      "ws://edge/v1/rooms/r1/stream?after=3",
      "ws://edge/v1/rooms/r1/stream?after=5",
    ]);
    stop();
    await done;
    expect(lines.map((line) => line.slice(9))).toEqual([
      "    4 state       on screen p1 纯棉毛巾\n",
      "    5 sentence    t1 今天只要 39.9 元。\n",
    ]);
    expect(notes.filter((note) => note !== "")).toEqual(["connection lost; again in 0.5 s\n"]);
    expect(sockets.latest().isClosed).toBe(true);
    expect(time.pendingCount).toBe(0);
  });

  it("prints each frame as it came as a line of JSON, those of a newer version too", async ({ expect }) => {
    const { sockets, lines, stop, done } = await follow("follow r1 --json --speech");
    expect(sockets.latest().url).toBe("ws://edge/v1/rooms/r1/stream?follow=speech");
    const frames = [aSentence({ seq: 5 }), { type: "poll", seq: 6, atMs: 1, options: 2 }];
    for (const frame of [aHello({ seq: 4 }), ...frames]) sockets.latest().onText(JSON.stringify(frame));
    stop();
    await done;
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(frames);
  });

  it("says on standard error what is no longer kept", async ({ expect }) => {
    const { sockets, lines, notes, stop, done } = await follow("follow r1 --after 0 --json");
    sockets.latest().onText(JSON.stringify(aHello({ seq: 40, firstSeq: 31 })));
    stop();
    await done;
    expect(lines).toEqual([]);
    expect(notes).toContain("frames 1 to 30 are no longer kept\n");
  });

  it("ends when its time is up", async ({ expect }) => {
    const { sockets, time, done } = await follow("follow r1 --for 3");
    sockets.latest().onText(JSON.stringify(aHello()));
    time.advance(2_999);
    await settled();
    expect(sockets.latest().isClosed).toBe(false);
    time.advance(1);
    await done;
    expect(sockets.latest().isClosed).toBe(true);
    expect(time.pendingCount).toBe(0);
  });

  it("serves a viewer, who may not read the room", async ({ expect }) => {
    const { sockets, lines, stop, done } = await follow("follow r1", FORBIDDEN);
    sockets.latest().onText(JSON.stringify([aHello(), aState({ seq: 1 })]));
    stop();
    await done;
    expect(lines.join("")).toMatch(/on screen p1\n$/);
  });

  it("fails when the room will not have it", async ({ expect }) => {
    const { sockets, done } = await follow("follow r1", aRoomView(), FORBIDDEN);
    sockets.latest().onClose();
    await expect(done).rejects.toMatchObject({ message: "Room r1 cannot be followed.", exitCode: 1 });
  });

  it("opens nothing for a room that does not exist", async ({ expect }) => {
    const { sockets, done } = await follow("follow r1", NOT_FOUND);
    await expect(done).rejects.toMatchObject({ message: "Room r1 could not be read." });
    expect(sockets.sockets).toEqual([]);
  });
});

const PATCHABLE = { [ROOM]: aRoomView(), "PATCH /v1/rooms/r1/state": { seq: 121 } };

function rooms(...ids: readonly string[]) {
  const harness = { name: "live-host", channel: "production" };
  return ids.map((id) => ({ id, title: "家纺", merchantId: "m1", harness, updatedAtMs: 1_000 }));
}

/** Runs a command against an instance with these answers; one with a `status` is a refusal. */
async function run(command: string, answers: Readonly<Record<string, unknown>>) {
  const sent: [call: string, body: unknown][] = [];
  const lines: string[] = [];
  await runRoom(
    parseRoom(command.split(" ")),
    { url: "http://edge", token: "t.o.k" },
    {
      out: (text) => void lines.push(text),
      err: () => {},
      paint: (_, text) => text,
      client: clientOf(new FakeTime(), fakeSockets(), {}),
      stopAsked: () => new Promise(() => {}),
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const { pathname, search } = new URL(request.url);
        const call = `${request.method} ${pathname}${search}`;
        sent.push([call, request.body === null ? undefined : await request.json()]);
        const answer = answers[call];
        if (answer === undefined) throw new Error(`${call} was not expected`);
        return Response.json(answer, { status: statusOf(answer) });
      },
    },
  );
  return { sent, printed: lines.join("") };
}

/** Follows a room that the test plays; settled up to the first connection. */
async function follow(command: string, view: unknown = aRoomView(), stream: unknown = {}) {
  const time = new FakeTime();
  const sockets = fakeSockets();
  const lines: string[] = [];
  const notes: string[] = [];
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const done = runRoom(
    parseRoom(command.split(" ")),
    { url: "http://edge", token: "t.o.k" },
    {
      out: (text) => void lines.push(text),
      err: (text) => void notes.push(text),
      paint: (_, text) => text,
      client: clientOf(time, sockets, stream),
      stopAsked: () => stopped,
      fetch: async () => Response.json(view, { status: statusOf(view) }),
    },
  );
  done.catch(() => {});
  await settled();
  return { sockets, time, lines, notes, stop, done };
}

/** @param answer - To whoever asks why the stream does not open. */
function clientOf(time: FakeTime, { openSocket }: ReturnType<typeof fakeSockets>, answer: unknown) {
  const request = async () => Response.json(answer, { status: statusOf(answer) });
  return { openSocket, request, timer: time, elapsedMs: () => time.nowMs(), random: () => 0 };
}

function statusOf(answer: unknown): number {
  const hasStatus = typeof answer === "object" && answer !== null && "status" in answer;
  return hasStatus && typeof answer.status === "number" ? answer.status : 200;
}
