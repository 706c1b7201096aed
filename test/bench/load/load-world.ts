/** What a load runs against: the built product in workerd, emulated endpoints, and rooms that are followed. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { EndpointConfig } from "../../../shared/contract/endpoint.ts";
import type { GateStatus } from "../../../shared/contract/endpoint-status.ts";
import { endpointViewSchema } from "../../../shared/contract/http-api.ts";
import { roomConfigSchema } from "../../../shared/contract/room-config.ts";
import { turnViewSchema, type TurnView } from "../../../shared/contract/room-view.ts";
import { CHECK_TOOL } from "../../../workers/inference/check-requests.ts";
import { createEdgeApi, expectOk, type EdgeApi } from "../../../workers/cli/edge-api.ts";
import { startEmulator, type RunningEmulator } from "../../helpers/emulator.ts";
import { runtimePids } from "../../helpers/process-figures.ts";
import { startProduct } from "../../helpers/product.ts";
import { servePlainly } from "../serve-plainly.ts";
import { followRoom, type RoomFollower } from "./room-follower.ts";

const SAMPLES = path.resolve(import.meta.dirname, "../../../harness-kv/rooms/yanxuan-home");
const MODEL = "kaibo-emulated";

/** Rooms that are made, and turns that are read, at once. */
const AT_ONCE = 8;

/** The product checks a server with at most so many calls; one answer suits them all, those with a tool too. */
const CHECK_CALLS_MAX = 20;
const CHECK_ANSWER = { texts: ["收到"], toolCalls: [{ name: CHECK_TOOL, arguments: '{"link":1}' }] };

/** Merchants that the rooms belong to, in turn. A merchant's rooms sell the same, so that they share its cached prompts. */
export const MERCHANTS = 5;

/** An emulated server, and the name of its endpoint. */
export type NamedEmulator = RunningEmulator & { readonly name: string };

export type LoadWorld = {
  readonly url: string;
  readonly token: string;
  readonly workerdPid: number;
  readonly rooms: readonly RoomFollower[];
  /** What viewers write: the sample room's comments, without attacks. */
  readonly texts: readonly string[];
  /** Adds or changes the endpoint of this name, after the check that the product makes. */
  readonly setEndpoint: (emulator: NamedEmulator, config: EndpointChange) => Promise<void>;
  readonly removeEndpoint: (name: string) => Promise<void>;
  /** One turn in a room of each merchant, one after the other, so that no load begins with an empty cache. */
  readonly warmUp: () => Promise<void>;
  /** `null` for an endpoint that is not asked for slots. */
  readonly readGate: (name: string) => Promise<GateStatus | null>;
  readonly readTurns: (turns: readonly TurnRef[]) => Promise<TurnView[]>;
  readonly post: (room: string, message: { id: string; text: string }) => Promise<boolean>;
};

type EndpointChange = Pick<EndpointConfig, "capacity" | "slots">;
type TurnRef = { readonly room: string; readonly turn: string };

/** Starts the product with its sample harness, and makes and follows its rooms. What it starts, `stops` ends. */
export async function openWorld(rooms: number, stops: (() => unknown)[]): Promise<LoadWorld> {
  const before = new Set(runtimePids());
  const product = await startProduct();
  stops.push(product.stop);
  await servePlainly({ url: product.url, token: product.tokens.page });
  const [workerdPid] = runtimePids().filter((pid) => !before.has(pid));
  if (workerdPid === undefined) throw new Error("No runtime was started");
  const target = { url: product.url, token: product.tokens.page };
  const api = createEdgeApi(target);
  const followers = await makeRooms(api, target, rooms);
  stops.push(() => {
    for (const { close } of followers) close();
  });
  return {
    ...target,
    workerdPid,
    rooms: followers,
    texts: await readTexts(),
    async setEndpoint({ name, url, control }, config) {
      await control("/answers", "POST", { answers: Array.from({ length: CHECK_CALLS_MAX }, () => CHECK_ANSWER) });
      const body = { baseUrl: url, model: MODEL, kind: "vllm", ...config };
      const saved = await api.send("PUT", `/v1/endpoints/${name}`, { body });
      await expectOk(saved, `Endpoint ${name} was refused.`).body?.cancel();
      await control("/answers", "POST", { answers: [] });
    },
    async removeEndpoint(name) {
      await expectOk(
        await api.send("DELETE", `/v1/endpoints/${name}`),
        `Endpoint ${name} was not removed.`,
      ).body?.cancel();
    },
    async warmUp() {
      for (const { room } of followers.slice(0, MERCHANTS)) {
        const body = { id: `warm-up-${crypto.randomUUID()}`, text: "1号链接多少钱" };
        const sent = await api.send("POST", `/v1/rooms/${room}/messages`, { body, accept: "text/event-stream" });
        await expectOk(sent, `Room ${room} did not take the message.`).text();
      }
    },
    async readGate(name) {
      const view = await api.call("GET", `/v1/endpoints/${name}`, { answer: endpointViewSchema });
      return expectOk(view, `Endpoint ${name} could not be read.`).status?.gate ?? null;
    },
    readTurns: (turns) =>
      mapSome(turns, async ({ room, turn }) => {
        const view = await api.call("GET", `/v1/rooms/${room}/turns/${turn}`, { answer: turnViewSchema });
        return expectOk(view, `Turn ${turn} of ${room} could not be read.`);
      }),
    async post(room, message) {
      const posted = await api.send("POST", `/v1/rooms/${room}/messages`, { body: message });
      if (posted.ok) await posted.value.body?.cancel();
      return posted.ok;
    },
  };
}

/** Starts an emulated server, all else by its defaults. */
export async function openEmulator(
  { places, speed }: { readonly places: number; readonly speed: number },
  stops: (() => unknown)[],
): Promise<RunningEmulator> {
  const flags = ["--priority", "--max-running", String(places), "--speed", String(speed)];
  const emulator = await startEmulator(flags);
  stops.push(emulator.stop);
  return emulator;
}

async function makeRooms(api: EdgeApi, target: { url: string; token: string }, count: number) {
  const config = roomConfigSchema.parse(JSON.parse(await readFile(path.join(SAMPLES, "room.json"), "utf8")));
  const indexes = Array.from({ length: count }, (_, index) => index);
  return mapSome(indexes, async (index) => {
    const room = `load-${String(index + 1).padStart(4, "0")}`;
    const merchant = { ...config.merchant, id: `load-merchant-${(index % MERCHANTS) + 1}` };
    const saved = await api.send("PUT", `/v1/rooms/${room}`, { body: { ...config, merchant } });
    await expectOk(saved, `Room ${room} was refused.`).body?.cancel();
    return followRoom(target, room);
  });
}

async function readTexts(): Promise<string[]> {
  const lines = (await readFile(path.join(SAMPLES, "comments.jsonl"), "utf8")).trim().split("\n");
  return lines
    .map((line) => JSON.parse(line) as { text: string; category: string })
    .filter(({ category }) => category !== "injection")
    .map(({ text }) => text);
}

async function mapSome<Item, Value>(items: readonly Item[], map: (item: Item) => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  const rest = items.entries();
  const work = async () => {
    for (const [index, item] of rest) values[index] = await map(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return values;
}
