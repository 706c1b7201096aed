/**
 * `npm run bench:load [-- --rooms 10,50,… --seconds S --rate R --places P --speed V --seed N --json FILE]`: many rooms at one endpoint,
 * with admission and without, then at two endpoints of which one fails.
 *
 * The built product runs in workerd, against the emulated endpoint of `test/endpoint/` in its own process; this process is
 * the rooms' client. The load is open: messages come in bursts (`load/arrivals.ts`), whatever became of those before. Every
 * room has the same rate, so the number of rooms is the load. Goodput counts turns whose every call a main endpoint served.
 */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { BURST_GAP_MS_MEAN, BURST_MESSAGES_MEAN } from "./load/arrivals.ts";
import type { RunningEmulator } from "../helpers/emulator.ts";
import { printFailOver, runFailOver, type FailOver } from "./load/fail-over.ts";
import { MERCHANTS, openEmulator, openWorld, type LoadWorld, type NamedEmulator } from "./load/load-world.ts";
import { MODES, overloadOf, printCells, toCell, type LoadCell, type Mode } from "./load/print-load.ts";
import { runLoad, WARM_UP_MS } from "./load/run-load.ts";
import { toVerdicts } from "./load/verdicts.ts";

/** Messages for which the window of few rooms is made longer, and how long at most, ms: of ten turns there is no p95. */
const WINDOW_MESSAGES_MIN = 90;
const WINDOW_MS_MAX = 80_000;

/** Rooms of the two endpoints' load. */
const FAIL_OVER_ROOMS = 100;

/** workerd waits for each flush of a room's storage to the disk, and this machine's disk is none of Cloudflare's. */
const MEMORY_FOLDER = "/dev/shm";

const { values } = parseArgs({
  options: {
    rooms: { type: "string", default: "10,50,100,300,500" },
    modes: { type: "string", default: MODES.join(",") },
    seconds: { type: "string", default: "20" },
    rate: { type: "string", default: "0.06" },
    places: { type: "string", default: "8" },
    speed: { type: "string", default: "0.25" },
    seed: { type: "string", default: "2" },
    json: { type: "string" },
  },
});
const roomCounts = values.rooms.split(",").map(Number);
const modes = MODES.filter((mode) => values.modes.split(",").includes(mode));
const windowMs = Number(values.seconds) * 1_000;
const roomRate = Number(values.rate);
const places = Number(values.places);
const speed = Number(values.speed);
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
  const emulator = await openEmulator({ places, speed }, stops);
  const second = await openEmulator({ places, speed }, stops);
  // Rooms are made before there is an endpoint: 500 warm-ups at one moment are no load that the product is measured under.
  const world = await openWorld(Math.max(...roomCounts, FAIL_OVER_ROOMS), stops);
  const cells: LoadCell[] = [];
  for (const mode of modes) cells.push(...(await runMode(world, emulator, mode)));
  const failOver = await breakOne(world, emulator, second);
  endProgress();
  printCells(cells);
  printFailOver(failOver);
  const ofMode = (mode: Mode) => cells.filter((cell) => cell.mode === mode);
  for (const line of toVerdicts(ofMode("adaptive"), ofMode("unlimited"))) console.log(line);
  if (values.json !== undefined) {
    const overload = Object.fromEntries(MODES.map((mode) => [mode, overloadOf(cells, mode)]));
    await writeFile(values.json, `${JSON.stringify({ options: values, cells, overload, failOver }, null, 2)}\n`);
  }
} finally {
  await stopAll();
}

/** An endpoint of its own name for each mode, so that one learns nothing from the other's load. */
async function runMode(world: LoadWorld, emulator: RunningEmulator, mode: Mode): Promise<LoadCell[]> {
  const endpoint = { ...emulator, name: mode };
  await world.setEndpoint(endpoint, { capacity: mode, slots: places });
  await world.warmUp();
  const cells: LoadCell[] = [];
  for (const rooms of roomCounts) cells.push(await runCell(world, endpoint, { mode, rooms }));
  await world.removeEndpoint(mode);
  return cells;
}

async function breakOne(world: LoadWorld, ...emulators: [RunningEmulator, RunningEmulator]): Promise<FailOver> {
  const config = { capacity: "adaptive", slots: places } as const;
  const failing = { ...emulators[0], name: "failing" };
  const surviving = { ...emulators[1], name: "surviving" };
  // Each has every merchant's prompt in its cache, as after some minutes of service.
  for (const endpoint of [failing, surviving]) {
    await world.setEndpoint(endpoint, config);
    await world.warmUp();
    await world.removeEndpoint(endpoint.name);
  }
  for (const endpoint of [failing, surviving]) await world.setEndpoint(endpoint, config);
  const load = { rooms: FAIL_OVER_ROOMS, roomRate, windowMs: windowMs * 2, seed, name: "fail-over" };
  return runFailOver(world, { failing, surviving }, { ...load, onProgress: progress("two endpoints") });
}

async function runCell(
  world: LoadWorld,
  emulator: NamedEmulator,
  { mode, rooms }: { mode: Mode; rooms: number },
): Promise<LoadCell> {
  const wantedMs = Math.min(WINDOW_MS_MAX, (WINDOW_MESSAGES_MIN / (roomRate * rooms)) * 1_000);
  const cell = { mode, rooms, windowMs: Math.max(windowMs, wantedMs), places };
  const name = `${mode}-${rooms}`;
  const result = await runLoad(world, {
    rooms,
    roomRate,
    windowMs: cell.windowMs,
    seed,
    name,
    emulators: [emulator],
    onProgress: progress(`${mode}, ${rooms} rooms`),
  });
  endProgress();
  return toCell(result, cell);
}

function printHeader(): void {
  console.log(
    [
      `Rooms: ${values.rooms} of ${MERCHANTS} merchants, the sample room's configuration and comments; a merchant's rooms share cached prompts.`,
      `Arrivals: ${roomRate} messages/s a room, in bursts of ${BURST_MESSAGES_MEAN} messages ${BURST_GAP_MS_MEAN} ms apart (means; seed ${seed}); ${WARM_UP_MS / 1_000} s of load before each window of ${values.seconds} s or more.`,
      `Endpoint: emulated vLLM, --max-running ${places} --speed ${speed} --priority --answers offline, all else by default; configured with ${places} slots, ceiling 0.5.`,
      "Times are the emulation's, on this machine: no figure of an H20, of a model, or of a real server.",
      `Machine: ${availableParallelism()} cores for client, product and emulators together; rooms are stored in ${tmpdir()}.`,
      "",
    ].join("\n"),
  );
}

function progress(name: string): (line: string) => void {
  return (line) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${name}: ${line} `);
  };
}

function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
}
