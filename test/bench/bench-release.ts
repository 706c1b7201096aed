/**
 * `npm run bench:release [-- --rooms 1000 --releases 3 --asked 50 --rate 30 --asleep --lag --json FILE]`: how soon a pushed version runs in every
 * live room.
 *
 * The built product runs in workerd; the offline policy answers. Each room is followed and has answered, and all the while
 * `--rate` messages a second fall on one room after the other. A release is a push and a move of `production`; its clock starts
 * before the push. A room has the version when its follower has the room's word (`config` frame): from there its turns run on it.
 * `--asked` rooms are asked in that moment: their first turn and first sentence are timed. In the end every room is asked, and
 * one that does not start a turn on the version is missed. Rooms are awake, as rooms are whose viewers ask every few seconds;
 * `--asleep` leaves those that were asked some time ago to sleep. `--lag`: KV is a minute behind, for every reader.
 * Exit code 1 only where a room was missed or a turn ran on an older version than its room had announced.
 */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createEdgeApi, type EdgeApi } from "../../workers/cli/edge-api.ts";
import { pushVersion, serveVersion } from "../../workers/cli/harness/serve-version.ts";
import { startProduct } from "../helpers/product.ts";
import { aRoomConfig } from "../helpers/rooms.ts";
import { readSampleBundle } from "../helpers/sample-harness.ts";
import { ActiveRoom } from "./release/active-room.ts";
import { percentile, rounded } from "./statistics.ts";

/** Target of the p95 from a push to the first turn that can run on it, ms. */
const TARGET_MS = 1_000;
/** Longest wait for what a room should show, ms. A room that takes longer counts as missed. */
const PATIENCE_MS = 60_000;
const CALLS_AT_ONCE = 8;
const MEMORY_FOLDER = "/dev/shm";

const { values } = parseArgs({
  options: {
    rooms: { type: "string", default: "1000" },
    releases: { type: "string", default: "3" },
    asked: { type: "string", default: "50" },
    rate: { type: "string", default: "30" },
    asleep: { type: "boolean", default: false },
    lag: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const roomCount = Number(values.rooms);

if (existsSync(MEMORY_FOLDER)) process.env["TMPDIR"] = MEMORY_FOLDER;
const product = await startProduct(values.lag ? { entry: "test/bench/release/lagging-worker.ts" } : {});
const stop = () => product.stop();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stop().then(() => process.exit(130)));

try {
  const api = createEdgeApi({ url: product.url, token: product.tokens.operator });
  const bundle = { ...(await readSampleBundle()), name: "bench-host" };
  const first = await pushVersion(api, bundle);
  await serveVersion(api, { name: bundle.name, channel: "production", version: first.version });
  const rooms = await openRooms(product.url, product.tokens.page);
  console.log(`${rooms.length} rooms are live${values.lag ? "; KV is a minute behind" : ""}`);

  const stopTraffic = keepAsking(rooms);
  const releases = [];
  for (let number = 1; number <= Number(values.releases); number += 1) {
    const figures = await release(api, rooms, { ...bundle, description: `第${number}版` });
    releases.push(figures);
    console.log(toLine(number, figures));
  }
  await stopTraffic();
  const missed = await askAll(rooms, releases.at(-1)?.version ?? "");
  const lateTurns = rooms.reduce((sum, room) => sum + room.lateTurns, 0);
  console.log(
    `rooms without a turn on the last version: ${missed}; turns on an older version than announced: ${lateTurns}`,
  );
  const worst = Math.max(...releases.map(({ taken }) => taken.p95));
  console.log(
    `push to every room, p95 of the worst release: ${worst} ms (target ${TARGET_MS}): ${worst <= TARGET_MS ? "met" : "not met"}`,
  );
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify({ options: values, releases, missed, lateTurns })}\n`);
  for (const room of rooms) room.close();
  if (missed > 0 || lateTurns > 0) process.exitCode = 1;
} finally {
  await stop();
}
process.exit();

async function openRooms(url: string, token: string): Promise<ActiveRoom[]> {
  const rooms = Array.from({ length: roomCount }, (_, index) => new ActiveRoom(`live-${index}`, { url, token }));
  const config = (index: number) =>
    JSON.stringify(
      aRoomConfig({
        merchant: { id: `m${index % 20}`, name: "好物小店" },
        harness: { name: "bench-host", channel: "production" },
      }),
    );
  await eachAtOnce(rooms, async (room, index) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const saved = await fetch(`${url}/v1/rooms/${room.name}`, { method: "PUT", headers, body: config(index) });
    if (!saved.ok) throw new Error(`${room.name} answered ${saved.status}: ${await saved.text()}`);
    await saved.arrayBuffer();
    await room.open();
    await room.ask("1号链接多少钱");
  });
  return rooms;
}

type Release = Awaited<ReturnType<typeof release>>;

async function release(api: EdgeApi, rooms: readonly ActiveRoom[], bundle: Parameters<typeof pushVersion>[1]) {
  if (!values.asleep) await eachAtOnce(rooms, (room) => room.wake());
  const startMs = Date.now();
  const { name, version } = await pushVersion(api, bundle);
  const pushedMs = Date.now() - startMs;
  const everyMs = Math.ceil(rooms.length / Number(values.asked));
  const sights = rooms.map((room, index) => {
    const sight = room.watch(version);
    if (index % everyMs === 0) void sight.taken.promise.then(() => room.ask("这款有货吗"));
    return { ...sight, isAsked: index % everyMs === 0 };
  });
  await serveVersion(api, { name, channel: "production", version });
  const answeredMs = Date.now() - startMs;
  const since = (moments: readonly (number | null)[]) =>
    summarise(moments.map((atMs) => (atMs === null ? null : atMs - startMs)));
  const taken = since(await Promise.all(sights.map(({ taken: sight }) => orLate(sight.promise))));
  const asked = sights.filter(({ isAsked }) => isAsked);
  const firstTurn = since(await Promise.all(asked.map(({ firstTurn: sight }) => orLate(sight.promise))));
  const firstSentence = since(await Promise.all(asked.map(({ firstSentence: sight }) => orLate(sight.promise))));
  return { version, pushedMs, answeredMs, taken, firstTurn, firstSentence };
}

/** A steady trickle of questions, one room after the other. Gives what stops it. */
function keepAsking(rooms: readonly ActiveRoom[]): () => Promise<void> {
  let isOn = true;
  const asking = (async () => {
    for (let next = 0; isOn; next += 1) {
      const room = rooms[next % rooms.length];
      await Promise.all([room?.ask("多少钱").catch(() => {}), sleep(1_000 / Number(values.rate))]);
    }
  })();
  return () => {
    isOn = false;
    return asking;
  };
}

async function askAll(rooms: readonly ActiveRoom[], version: string): Promise<number> {
  let missed = 0;
  await eachAtOnce(rooms, async (room) => {
    const sight = room.watch(version);
    await room.ask("1号链接多少钱");
    if ((await orLate(sight.firstTurn.promise)) === null) missed += 1;
  });
  return missed;
}

function summarise(figures: readonly (number | null)[]) {
  const known = figures.filter((figure) => figure !== null);
  return {
    p50: rounded(percentile(known, 0.5)),
    p95: rounded(percentile(known, 0.95)),
    max: Math.max(...known),
    missed: figures.length - known.length,
  };
}

async function orLate(sight: Promise<number>): Promise<number | null> {
  const late = new AbortController();
  const wait = sleep(PATIENCE_MS, null, { signal: late.signal }).catch(() => null);
  return Promise.race([sight, wait]).finally(() => late.abort());
}

async function eachAtOnce<Item>(
  items: readonly Item[],
  act: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const waiting = items.map((item, index) => ({ item, index }));
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await act(next.item, next.index);
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
}

function toLine(number: number, { pushedMs, answeredMs, taken, firstTurn, firstSentence }: Release): string {
  const show = ({ p50, p95, max, missed }: Release["taken"]) =>
    `${p50} / ${p95} / ${max}${missed > 0 ? ` (${missed} missed)` : ""}`;
  return (
    `release ${number}: pushed ${pushedMs} ms, answered ${answeredMs} ms; from the push, p50 / p95 / max ms: ` +
    `room has it ${show(taken)}; first turn of those asked ${show(firstTurn)}; first sentence ${show(firstSentence)}`
  );
}
