/** The product beside two emulated endpoints: rooms, turns and their records, as a live room's client sees them. */
import { setTimeout as pause } from "node:timers/promises";
import { rankEndpoints } from "../../shared/inference/rank-endpoints.ts";
import type { EndpointView } from "../../shared/contract/http-api.ts";
import type { RoomFrame } from "../../shared/contract/room-frame.ts";
import type { TurnRecord } from "../../shared/contract/turn-record.ts";
import type { HarnessBundleInput } from "../../shared/contract/harness-bundle.ts";
import type { EmulatorStats } from "../endpoint/emulator.ts";
import { CHECK_TOOL } from "../../workers/inference/check-requests.ts";
import { startEmulator, type RunningEmulator } from "../helpers/emulator.ts";
import { aBundle } from "../helpers/harnesses.ts";
import { startProduct, type RunningProduct } from "../helpers/product.ts";
import { aRoomConfig } from "../helpers/rooms.ts";

/** Limits on one call, ms: short, so that a stall costs little, and long enough for a slow machine. */
const CALL_LIMIT_MS = 600;
/** Limit on a turn, ms. */
const TURN_LIMIT_MS = 5_000;
/** How often another process is asked whether something has happened, ms. */
const POLL_MS = 5;
/** Longest wait for that, ms. */
const POLL_MS_MAX = 20_000;

/** More than a check of an endpoint asks. */
const CHECK_CALLS_MAX = 20;

export const FALLBACK_LINE = "这个我先记下来，稍后回复您。";
export const QUESTION = "1号链接多少钱";

export type Side = "own" | "other";

export type BenchRoom = {
  readonly room: string;
  /** The side of an endpoint by its name; names of others stay what they are. */
  readonly sideOf: (endpoint: string) => string;
  /** Posts the viewer's question; gives the turn's id. */
  readonly ask: (text?: string) => Promise<string>;
  readonly interrupt: (reason: string) => Promise<Response>;
  /** Frames from the first on, until one is the last that is wanted. */
  readonly follow: (isLast: (frame: RoomFrame) => boolean) => Promise<readonly RoomFrame[]>;
  /** Waits for the turn's end. */
  readonly record: (turn: string) => Promise<TurnRecord>;
  readonly endpoint: (side: Side) => Promise<EndpointView>;
  /** Waits until no turn holds a slot any more, and takes the endpoints away. */
  readonly close: () => Promise<void>;
};

export type RoomOptions = {
  readonly harness: string;
  /** 0: the policy inside the Worker answers. */
  readonly endpoints: 0 | 1 | 2;
  /** Beside the defaults of `aRoomConfig`. */
  readonly config?: Parameters<typeof aRoomConfig>[0];
};

export type Bench = {
  readonly own: RunningEmulator;
  readonly other: RunningEmulator;
  readonly product: RunningProduct;
  /** Releases a harness under its name. */
  readonly release: (fields: Partial<HarnessBundleInput> & { readonly name: string }) => Promise<void>;
  /** A new room, whose prompt is warm, and new endpoints, whose breakers know of no failure. Their logs are empty. */
  readonly openRoom: (options: RoomOptions) => Promise<BenchRoom>;
  readonly stop: () => Promise<void>;
};

export async function openBench(emulatorFlags: readonly string[] = ["--speed", "20"]): Promise<Bench> {
  const [product, own, other] = await Promise.all([
    startProduct({ samples: false }),
    startEmulator(emulatorFlags),
    startEmulator(emulatorFlags),
  ]);
  let rooms = 0;
  return {
    own,
    other,
    product,
    release: (fields) => release(product, fields),
    openRoom: (options) => openRoom({ own, other, product }, { ...options, number: ++rooms }),
    stop: async () => void (await Promise.all([product.stop(), own.stop(), other.stop()])),
  };
}

/** Waits until what another process says meets a condition. */
export async function until<Value>(read: () => Promise<Value>, isEnough: (value: Value) => boolean): Promise<Value> {
  const endsAtMs = Date.now() + POLL_MS_MAX;
  for (;;) {
    const value = await read();
    if (isEnough(value)) return value;
    if (Date.now() > endsAtMs) throw new Error(`It never came to that: ${JSON.stringify(value)}`);
    await pause(POLL_MS);
  }
}

/** Waits until a request of the log meets a condition. */
export function untilLogged(
  emulator: RunningEmulator,
  isEnough: (entry: EmulatorStats["log"][number]) => boolean,
): Promise<EmulatorStats> {
  return until(emulator.stats, ({ log }) => log.some(isEnough));
}

async function release(
  product: RunningProduct,
  { name, ...fields }: Partial<HarnessBundleInput> & { readonly name: string },
): Promise<void> {
  const bundle = aBundle({
    name,
    budgets: { deadlineMs: TURN_LIMIT_MS, firstByteTimeoutMs: CALL_LIMIT_MS, betweenChunksTimeoutMs: CALL_LIMIT_MS },
    lines: { fallback: [FALLBACK_LINE] },
    ...fields,
  });
  const { version } = await callJson<{ version: string }>(product, "POST", "/v1/harnesses", bundle);
  const moved = { version, expected: null };
  await callJson(product, "PUT", `/v1/harnesses/${name}/channels/production`, moved);
}

type Parts = Pick<Bench, "own" | "other" | "product">;

async function openRoom(parts: Parts, options: RoomOptions & { readonly number: number }): Promise<BenchRoom> {
  const { product } = parts;
  const room = `room-${options.number}`;
  const names = [`h20-${options.number}-a`, `h20-${options.number}-b`].slice(0, options.endpoints);
  const [own, other] = rankEndpoints(
    room,
    names.map((name) => ({ name })),
  ).map(({ name }) => name);
  const named = [
    { name: own, emulator: parts.own },
    { name: other, emulator: parts.other },
  ];
  for (const { name, emulator } of named) {
    if (name !== undefined) await saveEndpoint(product, name, emulator);
    await clear(emulator);
  }
  const config = aRoomConfig({ ...options.config, harness: { name: options.harness, channel: "production" } });
  await callJson(product, "PUT", `/v1/rooms/${room}`, config);
  if (own !== undefined) await untilLogged(parts.own, ({ finish }) => finish !== null);
  await clear(parts.own);
  const follow: BenchRoom["follow"] = (isLast) => followRoom(product, room, isLast);
  const endpoint: BenchRoom["endpoint"] = (side) => findEndpoint(product, (side === "own" ? own : other) ?? "none");
  return {
    room,
    sideOf: (name) => (name === own ? "own" : name === other ? "other" : name),
    ask: (text = QUESTION) => postMessage(product, room, text),
    interrupt: (reason) => call(product, "POST", `/v1/rooms/${room}/interrupt`, { reason }),
    follow,
    record: async (turn) => {
      await follow((frame) => frame.type === "turn-end" && frame.turn === turn);
      return callJson(product, "GET", `/v1/rooms/${room}/turns/${turn}`);
    },
    endpoint,
    close: async () => {
      for (const { name, emulator } of named) {
        await emulator.setFaults([]);
        await emulator.control("/answers", "POST", { answers: [] });
        if (name === undefined) continue;
        await until(
          () => findEndpoint(product, name),
          ({ status }) => (status?.gate?.inFlight ?? 0) === 0,
        );
        await call(product, "DELETE", `/v1/endpoints/${name}`);
      }
    },
  };
}

/** The product checks the server first: one answer suits all calls of the check, those with a tool too. */
async function saveEndpoint(product: RunningProduct, name: string, emulator: RunningEmulator): Promise<void> {
  const answer = { texts: ["收到"], toolCalls: [{ name: CHECK_TOOL, arguments: '{"link":1}' }] };
  await emulator.control("/answers", "POST", { answers: Array.from({ length: CHECK_CALLS_MAX }, () => answer) });
  const config = { baseUrl: emulator.url, model: "kaibo-emulated", kind: "vllm" };
  await callJson(product, "PUT", `/v1/endpoints/${name}`, config);
}

async function findEndpoint(product: RunningProduct, name: string): Promise<EndpointView> {
  type Listed = { readonly endpoints: readonly EndpointView[] };
  const { endpoints } = await callJson<Listed>(product, "GET", "/v1/endpoints");
  const found = endpoints.find((endpoint) => endpoint.name === name);
  if (found === undefined) throw new Error(`There is no endpoint ${name}`);
  return found;
}

/** What the check has asked, and what was left of its script, is none of the room's. */
async function clear(emulator: RunningEmulator): Promise<void> {
  await emulator.control("/answers", "POST", { answers: [] });
  await emulator.control("/reset", "POST");
}

let messages = 0;

async function postMessage(product: RunningProduct, room: string, text: string): Promise<string> {
  messages += 1;
  type Posted = { readonly results: readonly { readonly turn: string }[] };
  const body = { id: `m${messages}`, text };
  const { results } = await callJson<Posted>(product, "POST", `/v1/rooms/${room}/messages`, body);
  const [result] = results;
  if (result === undefined) throw new Error("The room took no message");
  return result.turn;
}

async function followRoom(
  product: RunningProduct,
  room: string,
  isLast: (frame: RoomFrame) => boolean,
): Promise<readonly RoomFrame[]> {
  const response = await fetch(`${product.url}/v1/rooms/${room}/stream?after=0`, {
    headers: { authorization: `Bearer ${product.tokens.page}`, accept: "text/event-stream" },
  });
  const frames: RoomFrame[] = [];
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      // The stream's own first word is no frame of the room.
      const frame = JSON.parse(data) as RoomFrame | { readonly type: "hello" };
      if (frame.type === "hello") continue;
      frames.push(frame);
      if (isLast(frame)) return frames;
    }
  }
  throw new Error(`The stream ended after ${JSON.stringify(frames)}`);
}

function call(product: RunningProduct, method: string, route: string, body?: object): Promise<Response> {
  return fetch(`${product.url}${route}`, {
    method,
    headers: { authorization: `Bearer ${product.tokens.page}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function callJson<Answer>(
  product: RunningProduct,
  method: string,
  route: string,
  body?: object,
): Promise<Answer> {
  const response = await call(product, method, route, body);
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`);
  // Both sides are one program.
  return (await response.json()) as Answer;
}
