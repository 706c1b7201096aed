/** The client library against the built product, over a line that is cut. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { platformPorts } from "../../shared/client/platform-ports.ts";
import { createRoomConnection, type RoomConnection } from "../../shared/client/room-connection.ts";
import { roomConfigSchema } from "../../shared/contract/room-config.ts";
import { createEdgeApi, expectOk } from "../../workers/cli/edge-api.ts";
import { startCuttableProxy, type CuttableProxy } from "../browser/cuttable-proxy.ts";
import { startProduct } from "../helpers/product.ts";

const SAMPLE = path.resolve(import.meta.dirname, "../../harness-kv/rooms/yanxuan-home/room.json");
/** Three batches, the last one not full. */
const MESSAGES = 250;
/** Frames that are heard before the line is cut. */
const CUT_AFTER = 60;

let product: Awaited<ReturnType<typeof startProduct>>;
let proxy: CuttableProxy;

beforeAll(async () => {
  product = await startProduct();
  proxy = await startCuttableProxy(product.url);
});
afterAll(async () => {
  await proxy.stop();
  await product.stop();
});

/** A room of its own, and a connection to it over the line that is cut. */
async function openRoom(room: string, options: { follow?: "speech"; speaks?: boolean } = {}): Promise<RoomConnection> {
  const token = product.tokens.page;
  const body = roomConfigSchema.parse(JSON.parse(await readFile(SAMPLE, "utf8")));
  const saved = await createEdgeApi({ url: product.url, token }).send("PUT", `/v1/rooms/${room}`, { body });
  await expectOk(saved, "The room was refused.").body?.cancel();
  return createRoomConnection({
    ...options,
    url: proxy.url,
    room,
    token,
    after: 0,
    ports: platformPorts(globalThis, performance),
  });
}

const heardFirst = (connection: RoomConnection, name: "hello" | "sentence" | "turn-end") =>
  new Promise<void>((resolve) => {
    const leave = connection.on(name, () => {
      leave();
      resolve();
    });
  });

describe("the client", () => {
  it("posts a burst and hears every frame once, although the line is cut while it does", async ({ expect }) => {
    const connection = await openRoom("client-burst");
    const seqs: number[] = [];
    const askedIds: string[] = [];
    const states: string[] = [];
    const ended = new Set<string>();
    connection.on("frame", ({ seq }) => {
      seqs.push(seq);
      if (seqs.length !== CUT_AFTER) return;
      proxy.cut();
      proxy.mend();
    });
    connection.on("message", ({ message }) => askedIds.push(message.id));
    connection.on("dropped", ({ messages }) => askedIds.push(...messages.map(({ message }) => message.id)));
    connection.on("turn-end", ({ turn }) => ended.add(turn));
    connection.on("connection", ({ status }) => states.push(status));
    connection.connect();
    await heardFirst(connection, "hello");

    const ids = Array.from({ length: MESSAGES }, (_, index) => `client-${index}`);
    const results = await Promise.all(
      ids.map((id, index) =>
        connection.post({
          id,
          text: `${(index % 20) + 1}号链接第${index}次问多少钱`,
          viewer: { id: `viewer-${index}` },
        }),
      ),
    );
    expect(results.map(({ id }) => id)).toEqual(ids);
    expect([connection.pending, connection.isFull]).toEqual([0, false]);

    const turns = new Set(results.flatMap(({ turn }) => (turn === null ? [] : [turn])));
    while (![...turns].every((turn) => ended.has(turn))) await heardFirst(connection, "turn-end");
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect(askedIds.toSorted()).toEqual(ids.toSorted());
    expect(states.filter((status) => status === "connected").length).toBeGreaterThan(1);
    connection.close();
  });

  it("hears what is spoken, and nothing else, as the room's mouth", async ({ expect }) => {
    const connection = await openRoom("client-mouth", { follow: "speech", speaks: true });
    const types: string[] = [];
    connection.on("frame", ({ type }) => types.push(type));
    connection.on("sentence", ({ turn, sentence }) => connection.spoken(turn, sentence.seq));
    connection.connect();
    await heardFirst(connection, "hello");
    const answered = heardFirst(connection, "turn-end");
    await connection.post({ id: "mouth-1", text: "1号链接多少钱", viewer: { id: "viewer-1" } });
    await answered;
    expect(types).toEqual(["turn-start", ...types.slice(1, -1).map(() => "sentence"), "turn-end"]);
    expect(types.length).toBeGreaterThan(2);
    connection.close();
  });
});
