/** Puts one load on the product, and measures. */
import { setTimeout as sleep } from "node:timers/promises";
import type { GateStatus } from "../../../shared/contract/endpoint-status.ts";
import type { EmulatorStats } from "../../endpoint/emulator.ts";
import { drawArrivals } from "./arrivals.ts";
import { watchCpu, type CpuShares } from "./cpu-share.ts";
import type { LoadWorld, NamedEmulator } from "./load-world.ts";
import type { SeenTurn } from "./room-follower.ts";
import { readFacts } from "./served.ts";
import type { LoadTurn } from "./summary.ts";

/** Load before the window, so that the window begins in the middle of it, ms. */
export const WARM_UP_MS = 6_000;
/** Longest wait for turns after the load: `messages.ttlMs` of the harness, a turn's deadline, and the lease's grace. */
const DRAIN_MS_MAX = 42_000;
const POLL_MS = 1_000;

export type LoadOptions = {
  readonly rooms: number;
  /** Messages a second of one room. */
  readonly roomRate: number;
  readonly windowMs: number;
  readonly seed: number;
  /** Makes ids of messages differ between loads. */
  readonly name: string;
  readonly emulators: readonly NamedEmulator[];
  /** Called in the middle of the window. */
  readonly onHalf?: () => Promise<void>;
  readonly onProgress: (line: string) => void;
};

export type LoadResult = {
  /** Every turn that has ended; times from the window's start, so that those of the warm-up are under 0. */
  readonly turns: readonly LoadTurn[];
  /** Turns without an end, long after the load. */
  readonly openTurns: number;
  /** Messages that were not taken. */
  readonly refusedMessages: number;
  readonly gates: readonly Gates[];
  readonly stats: readonly EmulatorStats[];
  readonly cpu: CpuShares;
};

/** The gates of the endpoints at a moment of the window, ms. */
export type Gates = { readonly atMs: number; readonly gates: readonly (GateStatus | null)[] };

export async function runLoad(world: LoadWorld, options: LoadOptions): Promise<LoadResult> {
  const { windowMs, emulators, onProgress, onHalf } = options;
  const load = new Load(world, options);
  const sending = load.send();
  const windowAtMs = load.startedAtMs + WARM_UP_MS;
  await until(windowAtMs);
  for (const { control } of emulators) await control("/reset", "POST", {});
  const readCpu = watchCpu({ workerd: world.workerdPid, emulators: emulators.map(({ pid }) => pid) });
  const gates: Gates[] = [];
  for (let half = onHalf; performance.now() < windowAtMs + windowMs;) {
    const atMs = performance.now() - windowAtMs;
    if (atMs >= windowMs / 2) {
      await half?.();
      half = undefined;
    }
    gates.push({ atMs, gates: await Promise.all(emulators.map(({ name }) => world.readGate(name))) });
    onProgress(`${Math.round(atMs / 1_000)} of ${Math.round(windowMs / 1_000)} s, ${load.open} turns open`);
    await until(Math.min(windowAtMs + windowMs, performance.now() + POLL_MS));
  }
  const cpu = readCpu();
  const stats = await Promise.all(emulators.map(({ stats: read }) => read()));
  await sending;
  const drainEndsAtMs = performance.now() + DRAIN_MS_MAX;
  for (; load.open > 0 && performance.now() < drainEndsAtMs; await sleep(100)) onProgress(`${load.open} turns open`);
  const turns = await readTurns(world, load.seen, windowAtMs);
  return { turns, openTurns: load.open, refusedMessages: load.refused, gates, stats, cpu };
}

class Load {
  readonly startedAtMs = performance.now();
  readonly seen: SeenTurn[] = [];
  refused = 0;
  readonly #world: LoadWorld;
  readonly #options: LoadOptions;

  constructor(world: LoadWorld, options: LoadOptions) {
    this.#world = world;
    this.#options = options;
  }

  get open(): number {
    return this.seen.filter(({ endedAtMs, isTurn }) => endedAtMs === null && isTurn).length - this.refused;
  }

  /** Posts each message at its time, whatever became of those before. */
  async send(): Promise<void> {
    const { rooms, roomRate, windowMs, seed, name } = this.#options;
    const { texts } = this.#world;
    const durationMs = WARM_UP_MS + windowMs;
    const posts: Promise<void>[] = [];
    for (const [index, { atMs, room, pick }] of drawArrivals({ rooms, roomRate, durationMs, seed }).entries()) {
      await until(this.startedAtMs + atMs);
      const text = texts[Math.floor(pick * texts.length)] ?? "1号链接多少钱";
      posts.push(this.#post(room, { id: `${name}-${index}`, text }));
    }
    await Promise.all(posts);
  }

  async #post(index: number, message: { id: string; text: string }): Promise<void> {
    const follower = this.#world.rooms[index];
    if (follower === undefined) return;
    this.seen.push(follower.expect(message.id, performance.now()));
    if (!(await this.#world.post(follower.room, message))) this.refused += 1;
  }
}

async function readTurns(world: LoadWorld, seen: readonly SeenTurn[], windowAtMs: number): Promise<LoadTurn[]> {
  const ended = seen.flatMap(({ turn, endedAtMs, ...rest }) =>
    turn === null || endedAtMs === null ? [] : [{ ...rest, turn, endedAtMs }],
  );
  const views = await world.readTurns(ended);
  return ended.flatMap((turn, index) => {
    const view = views[index];
    if (view?.schema !== "kaibo.turn/1") return [];
    const fromWindow = (atMs: number | null) => (atMs === null ? null : atMs - windowAtMs);
    return [
      {
        room: turn.room,
        turn: turn.turn,
        sentAtMs: turn.sentAtMs - windowAtMs,
        startedAtMs: fromWindow(turn.startedAtMs),
        firstSentenceAtMs: fromWindow(turn.firstSentenceAtMs),
        endedAtMs: turn.endedAtMs - windowAtMs,
        facts: readFacts(view),
      },
    ];
  });
}

async function until(atMs: number): Promise<void> {
  const ms = atMs - performance.now();
  if (ms > 0) await sleep(ms);
}
