/**
 * `npm run bench:room [-- --seconds 10 --rate 2000 --listeners 500 --all 50 --voice 10 --json FILE]`: one room that thousands write in, and
 * hundreds listen to.
 *
 * The built product runs in workerd; the offline policy answers, so that no model's speed is in the figures. A room has one
 * voice, and turns keep time with it: here it speaks `--voice` times faster than people; with 0 there is none, and turns follow
 * each other as fast as they are made. This process
 * posts batches of 100 messages over HTTP at their times; two processes hold the listeners. A refused batch comes again, as
 * `Retry-After` says; a message is lost if it never gets a disposition. Exit code 0 whatever the figures are.
 */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { MESSAGES_PER_BATCH_MAX } from "../../shared/contract/message.ts";
import { roomConfigSchema } from "../../shared/contract/room-config.ts";
import { roomViewSchema } from "../../shared/contract/room-view.ts";
import { createEdgeApi, expectOk, type EdgeApi } from "../../workers/cli/edge-api.ts";
import { cpuMs, residentMib, runtimePids } from "../helpers/process-figures.ts";
import { startProduct } from "../helpers/product.ts";
import { openListeners, type Listeners } from "./room/open-listeners.ts";
import { IN_FLIGHT_MAX, postBatches } from "./room/post-batches.ts";
import { printRoom, toVerdicts, type Cores, type RoomFigures } from "./room/print-room.ts";
import { openVoice } from "./room/voice.ts";
import { drawMessages } from "./room/viewer-messages.ts";

const SAMPLES = path.resolve(import.meta.dirname, "../../harness-kv/rooms/yanxuan-home");
const ROOM = "bench-room";
const WARM_UP_ROOM = "bench-room-warm-up";
const PRODUCTS = 8;
const WARM_UP_BATCHES = 20;
const WARM_FLOOD_S = 3;
/** Longest wait for open turns and slow listeners after the load, ms. */
const CATCH_UP_MS_MAX = 120_000;
const REST_MS = 15_000;
const POLL_MS = 500;

/** workerd waits for each flush of a room's storage to the disk, and this machine's disk is none of Cloudflare's. */
const MEMORY_FOLDER = "/dev/shm";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    rate: { type: "string", default: "2000" },
    listeners: { type: "string", default: "500" },
    all: { type: "string", default: "50" },
    voice: { type: "string", default: "10" },
    seed: { type: "string", default: "7" },
    json: { type: "string" },
  },
});
const gapMs = (MESSAGES_PER_BATCH_MAX / Number(values.rate)) * 1_000;
const batches = Math.round((Number(values.seconds) * 1_000) / gapMs);
const allCount = Number(values.all);
const speechCount = Number(values.listeners) - allCount;
const voiceSpeed = Number(values.voice);
const seed = Number(values.seed);

const stops: (() => unknown)[] = [];
const stopAll = async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
};
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stopAll().then(() => process.exit(130)));

if (existsSync(MEMORY_FOLDER)) process.env["TMPDIR"] = MEMORY_FOLDER;

try {
  printHeader();
  const product = await startProduct();
  stops.push(product.stop);
  const [pid] = runtimePids();
  if (pid === undefined) throw new Error("No runtime was started");
  const figures = await measure({ url: product.url, token: product.tokens.page }, pid);
  printRoom(figures);
  for (const line of toVerdicts(figures)) console.log(line);
  if (values.json !== undefined) {
    await writeFile(values.json, `${JSON.stringify({ options: values, verdicts: toVerdicts(figures), ...figures })}\n`);
  }
} finally {
  await stopAll();
}

async function measure(target: { url: string; token: string }, pid: number): Promise<RoomFigures> {
  const api = createEdgeApi(target);
  const texts = await readTexts();
  for (const room of [WARM_UP_ROOM, ROOM]) await makeRoom(api, room);
  const warmUp = { batchMessages: MESSAGES_PER_BATCH_MAX, gapMs: 100, batches: WARM_UP_BATCHES };
  await postBatches({ ...target, room: WARM_UP_ROOM }, drawMessages(texts.slice(0, 20), seed + 1, "warm-up"), warmUp);
  while ((await viewOf(api, WARM_UP_ROOM)).openTurns.length > 0) await sleep(POLL_MS);

  const listeners = await openListeners({ ...target, room: ROOM }, { speech: speechCount, all: allCount });
  stops.push(listeners.close);
  if (voiceSpeed > 0) stops.push(await openVoice({ ...target, room: ROOM }, voiceSpeed));
  // The flood's first seconds, in which the room's code and the listeners' become warm, are not measured.
  const before = { batchMessages: MESSAGES_PER_BATCH_MAX, gapMs, batches: Math.round((WARM_FLOOD_S * 1_000) / gapMs) };
  await postBatches({ ...target, room: ROOM }, drawMessages(texts, seed + 2, "before"), before);
  const rowsBefore = (await viewOf(api, ROOM)).rowsWritten;
  const memory = watchMemory(pid);
  const readLoad = watchCores(pid, listeners.pids);
  const startMs = performance.now();
  const posts = await postBatches({ ...target, room: ROOM }, drawMessages(texts, seed, "load"), {
    batchMessages: MESSAGES_PER_BATCH_MAX,
    gapMs,
    batches,
    onBatch: (index) => {
      if (index === Math.floor(batches / 2)) memory.note("middle");
    },
  });
  const loadMs = performance.now() - startMs;
  memory.note("end");
  const load = readLoad();

  const readCatchUp = watchCores(pid, listeners.pids);
  const catchUpMs = await catchUp(api, listeners);
  memory.note("caughtUp");
  const cores = { load, catchUp: readCatchUp() };
  const view = await viewOf(api, ROOM);
  const heard = await listeners.report();
  await sleep(REST_MS);
  const memoryMib = memory.stop();
  const rowsWritten = view.rowsWritten - rowsBefore;
  return { posts, listeners: heard, lastSeq: view.seq, rowsWritten, memoryMib, cores, loadMs, catchUpMs };
}

/** Waits until no turn is open and every listener has the room's last frame; gives how long that took. */
async function catchUp(api: EdgeApi, listeners: Listeners): Promise<number | null> {
  const startMs = performance.now();
  for (; performance.now() - startMs < CATCH_UP_MS_MAX; await sleep(POLL_MS)) {
    const { openTurns, seq } = await viewOf(api, ROOM);
    if (openTurns.length > 0) continue;
    const figures = await listeners.report();
    if (figures.every(({ lastSeqs }) => lastSeqs.every((last) => last >= seq))) return performance.now() - startMs;
  }
  return null;
}

/** The sample room with its first products alone: what a turn costs is not measured here. */
async function makeRoom(api: EdgeApi, room: string): Promise<void> {
  const sample = roomConfigSchema.parse(JSON.parse(await readFile(path.join(SAMPLES, "room.json"), "utf8")));
  const body = { ...sample, products: sample.products.slice(0, PRODUCTS), coupons: [], faq: [] };
  const saved = await api.send("PUT", `/v1/rooms/${room}`, { body });
  await expectOk(saved, `Room ${room} was refused.`).body?.cancel();
}

async function viewOf(api: EdgeApi, room: string) {
  return expectOk(await api.call("GET", `/v1/rooms/${room}`, { answer: roomViewSchema }), `${room} cannot be read.`);
}

async function readTexts(): Promise<string[]> {
  const lines = (await readFile(path.join(SAMPLES, "comments.jsonl"), "utf8")).trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { text: string }).text);
}

/** Resident memory of the runtime at named moments, and its peak, MiB. */
function watchMemory(pid: number) {
  const start = residentMib(pid);
  const noted = { start, middle: start, end: start, caughtUp: start, rest: start, peak: start };
  const timer = setInterval(() => {
    noted.peak = Math.max(noted.peak, residentMib(pid));
  }, POLL_MS);
  stops.push(() => clearInterval(timer));
  return {
    note: (moment: "middle" | "end" | "caughtUp") => {
      noted[moment] = residentMib(pid);
    },
    stop: () => {
      clearInterval(timer);
      return { ...noted, rest: residentMib(pid) };
    },
  };
}

/** Starts to measure; the function gives the cores that each used since. */
function watchCores(workerd: number, listeners: readonly number[]): () => Cores {
  const read = () => ({
    atMs: performance.now(),
    workerd: cpuMs(workerd),
    client: cpuMs(process.pid),
    listeners: listeners.reduce((total, pid) => total + cpuMs(pid), 0),
  });
  const before = read();
  return () => {
    const after = read();
    const coresOf = (name: keyof Cores) => (after[name] - before[name]) / (after.atMs - before.atMs);
    return { workerd: coresOf("workerd"), client: coresOf("client"), listeners: coresOf("listeners") };
  };
}

function printHeader(): void {
  console.log(
    [
      `One room: ${values.rate} messages/s for ${values.seconds} s in batches of ${MESSAGES_PER_BATCH_MAX} (seed ${seed}), after ${WARM_FLOOD_S} s of the same, at most ${IN_FLIGHT_MAX} requests in flight; ${speechCount} WebSocket listeners of what the host says, ${allCount} of every frame; ${voiceSpeed === 0 ? "no voice" : `a voice at ${voiceSpeed} times the speed of speech`}.`,
      `Machine: ${availableParallelism()} cores for client, listeners and product together; the room is stored in ${tmpdir()}. The offline policy answers.`,
      "",
    ].join("\n"),
  );
}
