import { writeFile } from "node:fs/promises";
import path from "node:path";
import { deflateSync } from "node:zlib";
import { describe, it } from "vitest";
import type { ViewerMessage } from "../../../../../shared/contract/message.ts";
import { runChat } from "../../../../../workers/cli/chat/chat-command.ts";
import { FakeTime } from "../../../../helpers/fake-timer.ts";
import { tempFolder } from "../../../../helpers/temp-folder.ts";
import { aCommand, aDanmaku, aPacket, joined } from "../../../shared/chat/bilibili/packed.ts";
import { aPlatform, settled } from "./a-platform.ts";

const AUTH_BODY = '{"roomid":1001,"key":"k"}';
const START = JSON.stringify({
  code: 0,
  data: {
    websocket_info: { auth_body: AUTH_BODY, wss_link: ["wss://a.example.com/sub", "wss://b.example.com/sub"] },
    game_info: { game_id: "game-1" },
    anchor_info: { open_id: "host" },
  },
});
const ACCEPTED = aPacket({ operation: 8, version: 1, body: '{"code":0}' });

describe("runChat", () => {
  it("posts what viewers write, and prints what became of all that came", async ({ expect }) => {
    const { sockets, batches, time, lines, stop, done } = await chat();
    sockets[0]?.opened();
    expect(new TextDecoder().decode(sockets[0]?.sent[0]?.subarray(16))).toBe(AUTH_BODY);
    sockets[0]?.received(ACCEPTED);
    const comments = ["1", "2"].map((msg_id) => aPacket({ body: aDanmaku({ msg_id }) }));
    sockets[0]?.received(aPacket({ version: 2, body: deflateSync(joined(comments)) }));
    sockets[0]?.received(aPacket({ body: aCommand("LIVE_OPEN_PLATFORM_SEND_GIFT", {}) }));
    sockets[0]?.received(aPacket({ body: aDanmaku({ reply_open_id: "someone-else" }) }));
    // Timers: the next line, the next heartbeat, the limit on silence, and the batch that fills.
    await until(() => time.pendingCount === 4);
    await settled();
    time.advance(100);
    await settled();
    time.advance(900);
    stop();
    await done;
    expect(batches).toEqual([["bilibili:1", "bilibili:2"]]);
    expect(lines).toEqual([
      "connected to a.example.com",
      "received 4 · posted 2 (queued 2) · dropped 2 (gift 1, reply 1) · lag 0.1 s · backlog 1 of 200",
    ]);
    expect(sockets[0]?.isClosed()).toBe(true);
    expect(time.pendingCount).toBe(0);
  });

  it("prints the counts as lines of JSON, and nothing else on standard output", async ({ expect }) => {
    const { sockets, lines, notes, stop, done } = await chat({ json: true });
    sockets[0]?.received(ACCEPTED);
    sockets[0]?.received(aPacket({ body: aCommand("LIVE_OPEN_PLATFORM_SEND_GIFT", {}) }));
    await settled();
    stop();
    await done;
    expect(notes).toEqual(["connected to a.example.com"]);
    const figures = { received: 1, posted: 0, dispositions: {}, dropped: 1, reasons: { gift: 1 } };
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { atMs: 1_766_496_334_000, ...figures, lagMs: null, backlog: null },
    ]);
  });

  it("connects again with the next address, later each time, and at once anew after one that was accepted", async ({
    expect,
  }) => {
    const { sockets, time, lines, stop, done } = await chat();
    const waits = [1_000, 2_000, 4_000];
    for (const [index, waitMs] of waits.entries()) {
      sockets[index]?.received(index === 0 ? ACCEPTED : new Uint8Array(0));
      await settled();
      sockets[index]?.closed("closed with code 1006");
      await settled();
      time.advance(waitMs - 1);
      await settled();
      expect(sockets.length).toBe(index + 1);
      time.advance(1);
      await settled();
      expect(sockets.length).toBe(index + 2);
    }
    expect(sockets.map(({ url }) => new URL(url).host.charAt(0))).toEqual(["a", "b", "a", "b"]);
    expect(lines.at(-1)).toBe("connection lost: closed with code 1006; again in 4 s");
    stop();
    await done;
  });

  it("connects to the address of --ws alone", async ({ expect }) => {
    const { sockets, stop, done } = await chat({ ws: "ws://c.example.com/sub", file: AUTH_BODY });
    expect(sockets.map(({ url }) => url)).toEqual(["ws://c.example.com/sub"]);
    stop();
    await done;
  });

  it.for([
    [aPacket({ operation: 8, body: '{"code":-101}' }), "refused the connection", "code -101"],
    [
      aPacket({ body: aCommand("LIVE_OPEN_PLATFORM_INTERACTION_END", { game_id: "game-1" }) }),
      "ended the session",
      "INTERACTION_END",
    ],
  ] as const)("fails when the platform is through with it: %#", async ([bytes, what, why], { expect }) => {
    const { sockets, done } = await chat();
    sockets[0]?.received(bytes);
    await expect(done).rejects.toThrow(what);
    await expect(done).rejects.toMatchObject({
      why: expect.stringContaining(why),
      next: expect.stringContaining("/v2/app/start"),
    });
  });

  it("fails when no connection was ever accepted", async ({ expect }) => {
    const { sockets, time, done } = await chat();
    const failed = expect(done).rejects.toMatchObject({ why: "The last try said: no route." });
    for (let tries = 0; tries < 4; tries += 1) {
      sockets[tries]?.closed("no route");
      await settled();
      time.advance(30_000);
      await settled();
    }
    await failed;
    expect(sockets.length).toBe(4);
  });

  it("fails for a room that does not exist, and connects nowhere", async ({ expect }) => {
    const { sockets, done } = await chat({ hasRoom: false });
    await expect(done).rejects.toMatchObject({ message: "Room r1 could not be found." });
    expect(sockets).toEqual([]);
  });

  it.for([
    [{ file: null }, "cannot be read"],
    [{ file: "nonsense" }, "does not hold what is needed"],
    [{ file: AUTH_BODY }, "no address to connect to"],
  ] as const)("fails for a file that will not do: %j", async ([options, words], { expect }) => {
    const { done } = await chat(options);
    await expect(done).rejects.toThrow(words);
    await expect(done).rejects.toMatchObject({ exitCode: 2 });
  });
});

type Options = {
  readonly ws?: string;
  /** Text of the file; `null`: there is none. */
  readonly file?: string | null;
  readonly hasRoom?: boolean;
  readonly json?: boolean;
};

/** Runs the command against a platform and a room that the test plays; settled up to the first connection. */
async function chat({ ws, file = START, hasRoom = true, json = false }: Options = {}) {
  const time = new FakeTime();
  time.advance(1_766_496_334_000);
  const { openSocket, sockets } = aPlatform();
  const authFile = path.join(await tempFolder(), "start.json");
  if (file !== null) await writeFile(authFile, file);
  const batches: string[][] = [];
  const lines: string[] = [];
  const notes: string[] = [];
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const done = runChat(
    { name: "chat", platform: "bilibili", room: "r1", authFile, json, ...(ws !== undefined && { ws }) },
    { url: "http://edge", token: "t" },
    {
      out: (text) => void lines.push(text.trimEnd()),
      err: (text) => void notes.push(text.trimEnd()),
      clock: time,
      timer: time,
      elapsedMs: () => time.nowMs(),
      random: () => 0,
      openSocket: (url, listener) => {
        isAsked();
        return openSocket(url, listener);
      },
      stopAsked: () => stopped,
      fetch: async (input, init) => {
        const request = new Request(input, init);
        if (request.method === "GET") return hasRoom ? Response.json({}) : Response.json(GONE, { status: 404 });
        const { messages } = (await request.json()) as { messages: ViewerMessage[] };
        batches.push(messages.map(({ id }) => id));
        return Response.json(taken(messages), { status: 202 });
      },
    },
  );
  done.catch(() => {});
  await Promise.race([asked, done.catch(() => {})]);
  return { sockets, batches, time, lines, notes, stop, done };
}

const GONE = { code: "room_not_found", title: "There is no such room", status: 404, details: {} };

function taken(messages: readonly ViewerMessage[]) {
  const results = messages.map(({ id }) => ({ id, disposition: "queued", reason: null, turn: "t1", seq: 1 }));
  return { results, backlog: { waiting: 1, max: 200 } };
}

/** Unpacking runs on another thread: its end is waited for by what it leads to. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => void setImmediate(resolve));
}
