/** The rollout of one harness: tells its rooms of releases, watches its canaries, and carries out what was planned. */
import { DurableObject } from "cloudflare:workers";
import type { Canary } from "../../harness-kv/canary-share.ts";
import { type WatchState, type WatchedTurn, newWatch, noteTurn, readWatch } from "../../harness-kv/canary-watch.ts";
import { releaseKey } from "../../harness-kv/keys.ts";
import { planDueAtMs, runPlan } from "../../harness-kv/plan-release.ts";
import { recordChange } from "../../harness-kv/record-change.ts";
import { RELEASED_CHANNEL } from "../../harness-kv/resolve-harness.ts";
import type { CanaryLimits } from "../../shared/contract/canary-limits.ts";
import type { CanaryReport, ToldRooms } from "../../shared/contract/release.ts";
import { invariant } from "../../shared/core/assert.ts";
import { pause } from "../../shared/core/timer.ts";
import { toAppError } from "../../shared/errors/app-error.ts";
import { ERROR_RULES } from "../../shared/errors/error-codes.ts";
import { loadHarness } from "../platform/harness-loader.ts";
import { registryOf, releasesOf } from "../platform/registry.ts";
import { reportFailure } from "../platform/report-failure.ts";
import type { RoomFilter } from "../platform/room-directory.ts";
import { systemClock, systemTimer } from "../platform/system-clock.ts";
import type { Follower } from "./adopt-version.ts";
import { type Teller, type Told, tellBatch, tellRooms, toBatches } from "./tell-rooms.ts";
import { describeFall } from "./describe-fall.ts";

/** A release that was begun and whose rooms nobody has told by then is told by the alarm, ms. */
const INTENT_MS = 20_000;
/**
 * How long the alarm comes back to a release that nobody has ended, ms: a change of a busy registry may be written more than a
 * minute after it was begun.
 */
const INTENT_KEPT_MS = 180_000;
/** Longest that a caller waits for its rooms to be told, ms; the telling goes on. */
const TELL_WAIT_MS = 10_000;
/** Wait before what failed is tried again, ms; it doubles with each try. */
const RETRY_MS = 2_000;
/** Tries for rooms that cannot be told. What is left then learns of the release from KV. */
const RETRIES_MAX = 8;
/** Rooms that are remembered as untold; KV tells the others. */
const UNTOLD_MAX = 1_000;
/** Failed rooms that an answer names. */
const FAULTS_SHOWN = 20;
/** How long canaries and limits are taken as known, ms. */
const CANARIES_KNOWN_MS = 10_000;
/** After so many times the least turns of a verdict, the rooms that were seen are all there are. */
const TURNS_KNOWN = 5;
const ROLLED_BACK_KEPT = 20;
/** Longest sleep of the alarm, ms: the platform refuses alarms after the year 2189, and a plan may have any time. */
const SLEEP_MS_MAX = 86_400_000;

type Untold = { readonly rooms: readonly Follower[]; readonly tries: number; readonly nextAtMs: number };
type Pointer = { readonly seq: number; readonly copiedSeq: number };
type Watch = { readonly state: WatchState; readonly rooms: readonly string[] };
type KnownCanaries = { readonly atMs: number; readonly canaries: readonly Canary[]; readonly limits: CanaryLimits };

const NOBODY: Untold = { rooms: [], tries: 0, nextAtMs: 0 };

/**
 * Rooms that a canary can show its trouble in. Of a share it is not known: a room that is not seen in many times the turns that a
 * verdict takes is not there.
 */
function roomsOf(
  { sharePermille, rooms }: Canary,
  { seen, turns, limits }: { readonly seen: number; readonly turns: number; readonly limits: CanaryLimits },
): number {
  if (sharePermille === 0) return rooms.length;
  return turns < limits.turnsMin * TURNS_KNOWN ? limits.roomsMin : Math.max(seen, 1);
}

export class HarnessRollout extends DurableObject<Env> {
  /** Releases whose rooms are being told now. */
  readonly #telling = new Set<string>();
  readonly #rollingBack = new Set<string>();
  #known: KnownCanaries | null = null;

  /**
   * Says that a release is about to be written. From here on its rooms are told, also when the caller is lost on the way.
   *
   * @returns The release's id, for {@link tell} or {@link forget}.
   */
  async begin(): Promise<string> {
    const id = crypto.randomUUID();
    const nowMs = systemClock.nowMs();
    this.#kv.put("name", this.#name);
    this.#kv.put(`intent:${id}`, nowMs);
    await this.#arm(nowMs + INTENT_MS);
    return id;
  }

  /** The release was refused: there is nothing to tell. */
  forget(id: string): void {
    this.#kv.delete(`intent:${id}`);
  }

  /** Tells the rooms that a release may concern. Waits for it a while; the telling goes on by itself. */
  async tell(id: string, filter: RoomFilter): Promise<ToldRooms> {
    this.#known = null;
    const telling = this.#tell([id], filter);
    const isLate = pause(systemTimer, TELL_WAIT_MS).then(() => null);
    const told = await Promise.race([telling, isLate]);
    // Late, or the directory did not answer: the alarm tells them then.
    if (told === null) return { updated: 0, failed: 0, faults: [], isComplete: false };
    const faults = told.failed.slice(0, FAULTS_SHOWN).map(({ room, code }) => ({ room: room.id, code }));
    return { updated: told.told, failed: told.failed.length, faults, isComplete: true };
  }

  /** Counts ended turns of a trial, and ends a canary that has fallen behind. What concerns no canary is passed over. */
  async noteTurns(trial: string, turns: readonly WatchedTurn[]): Promise<void> {
    const { canaries, limits } = await this.#canaries(trial);
    const canary = canaries.find(({ salt }) => salt === trial);
    if (canary === undefined || this.#rollingBack.has(trial)) return;
    const key = `watch:${trial}`;
    let { state, rooms } = this.#kv.get<Watch>(key) ?? { state: newWatch(), rooms: [] };
    for (const turn of turns) {
      if (turn.arm === "canary" && rooms.length < limits.roomsMin && !rooms.includes(turn.room)) {
        rooms = [...rooms, turn.room];
      }
      state = noteTurn(state, limits, turn);
    }
    this.#kv.put(key, { state, rooms } satisfies Watch);
    const roomsMin = Math.min(
      limits.roomsMin,
      roomsOf(canary, { seen: rooms.length, turns: state.canary.turns, limits }),
    );
    const { verdict, reason } = readWatch(state, { ...limits, roomsMin });
    if (verdict === "behind" && reason !== null) await this.#rollBack(canary, describeFall(reason, state.canary.turns));
  }

  /** What governors changed counts from now on. */
  refresh(): void {
    this.#known = null;
  }

  /** Says that a plan is about to be written or approved. It is carried out also when the caller is lost on the way. */
  async expectPlan(): Promise<void> {
    const nowMs = systemClock.nowMs();
    this.#kv.put("name", this.#name);
    this.#kv.put("plan-expected", nowMs + INTENT_KEPT_MS);
    await this.#arm(nowMs + INTENT_MS);
  }

  /** Carries out what is due of the plans, and wakes for the next. */
  async runPlans(): Promise<void> {
    const nextAtMs = await this.#runPlans();
    if (nextAtMs !== null) await this.#arm(nextAtMs);
  }

  async report(): Promise<CanaryReport> {
    const { canaries, limits } = await this.#canaries(null);
    const shown = canaries.map(({ merchant, version, salt }) => {
      const { state } = this.#kv.get<Watch>(`watch:${salt}`) ?? { state: newWatch() };
      const { turns, pairs, metrics } = readWatch(state, limits);
      return { merchant, version, turns, pairs, metrics };
    });
    const rolledBack = this.#kv.get<CanaryReport["rolledBack"]>("rolled-back") ?? [];
    return { name: this.#name, limits, canaries: shown, rolledBack, untoldRooms: this.#untold.rooms.length };
  }

  override async alarm(): Promise<void> {
    const nowMs = systemClock.nowMs();
    const steps = [() => this.#tellForgotten(nowMs), () => this.#tellUntold(nowMs), () => this.#copyPointer()];
    let nextAtMs: number | null = null;
    let hasFailed = false;
    for (const step of [...steps, async () => void (nextAtMs = await this.#runPlans())]) {
      try {
        await step();
      } catch (thrown) {
        hasFailed = true;
        reportFailure("rollout", toAppError(thrown).code, thrown);
      }
    }
    const { seq, copiedSeq } = this.#pointer;
    const expectedAtMs = this.#kv.get<number>("plan-expected") ?? 0;
    const wakes = [
      nextAtMs,
      expectedAtMs > nowMs ? Math.min(expectedAtMs, nowMs + INTENT_MS) : null,
      hasFailed || copiedSeq < seq ? systemClock.nowMs() + RETRY_MS : null,
      this.#untold.rooms.length > 0 ? this.#untold.nextAtMs : null,
      ...this.#intents().map(([, atMs]) => (atMs + INTENT_MS > nowMs ? atMs : nowMs) + INTENT_MS),
    ].filter((atMs) => atMs !== null);
    if (wakes.length > 0) await this.#arm(Math.min(...wakes));
  }

  /** Null: it failed on the way, and the alarm begins it again. */
  async #tell(ids: readonly string[], filter: RoomFilter): Promise<Told | null> {
    for (const id of ids) this.#telling.add(id);
    try {
      const [{ seq }, told] = await Promise.all([
        registryOf(this.env).tables.auditHead(),
        tellRooms(this.env, this.#teller, filter),
      ]);
      this.#kv.put("pointer", { ...this.#pointer, seq: Math.max(seq, this.#pointer.seq) } satisfies Pointer);
      await this.#keepUntold(told.failed, 0);
      for (const id of ids) this.#kv.delete(`intent:${id}`);
      void this.#copyPointer().catch((thrown: unknown) => this.#retrySoon("release-pointer", thrown));
      return told;
    } catch (thrown) {
      // The intent stays, and with it the alarm.
      reportFailure("rollout", toAppError(thrown).code, thrown);
      return null;
    } finally {
      for (const id of ids) this.#telling.delete(id);
    }
  }

  /**
   * Rooms that may be given it later are told again; one that cannot have its version is told when that changes. Those that wait
   * of an earlier release wait on, but for those that were told `again`.
   */
  async #keepUntold(failed: Told["failed"], tries: number, again: readonly Follower[] = []): Promise<void> {
    const isLast = tries >= RETRIES_MAX;
    const failing = failed.filter(({ code }) => !isLast && ERROR_RULES[code].retry === "later").map(({ room }) => room);
    if (failing.length === 0 && again.length === 0) return;
    const handled = new Set([...failing, ...again].map(({ id }) => id));
    const rooms = [...failing, ...this.#untold.rooms.filter(({ id }) => !handled.has(id))];
    if (rooms.length === 0) return void this.#kv.delete("untold");
    const done = failing.length === 0 ? 0 : tries;
    const nextAtMs = systemClock.nowMs() + RETRY_MS * 2 ** done;
    this.#kv.put("untold", { rooms: rooms.slice(0, UNTOLD_MAX), tries: done, nextAtMs } satisfies Untold);
    await this.#arm(nextAtMs);
  }

  async #tellUntold(nowMs: number): Promise<void> {
    const { rooms, tries, nextAtMs } = this.#untold;
    if (rooms.length === 0 || nextAtMs > nowMs) return;
    const results = await Promise.all(toBatches(rooms).map((batch) => tellBatch(this.#teller, this.#name, batch)));
    await this.#keepUntold(results.flat(), tries + 1, rooms);
  }

  /** Whoever began these is gone: it is not known what was written, so all rooms are told what holds now. */
  async #tellForgotten(nowMs: number): Promise<void> {
    const forgotten = this.#intents().filter(([id, atMs]) => atMs + INTENT_MS <= nowMs && !this.#telling.has(id));
    if (forgotten.length === 0) return;
    const ended = forgotten.filter(([, atMs]) => atMs + INTENT_KEPT_MS <= nowMs).map(([id]) => id);
    await this.#tell(ended, { name: this.#name });
  }

  async #copyPointer(): Promise<void> {
    const { seq, copiedSeq } = this.#pointer;
    if (copiedSeq >= seq) return;
    await this.env.HARNESS_KV.put(releaseKey(this.#name), JSON.stringify({ seq }));
    this.#kv.put("pointer", { ...this.#pointer, copiedSeq: seq } satisfies Pointer);
  }

  async #runPlans(): Promise<number | null> {
    const deps = { ...releasesOf(this.env), load: (version: string) => loadHarness(this.env, version) };
    let nextAtMs: number | null = null;
    for (const plan of await deps.tables.waitingPlans(this.#name, deps.needsTwo)) {
      const dueAtMs = planDueAtMs(plan, deps.needsTwo);
      if (dueAtMs === null) continue;
      if (dueAtMs > systemClock.nowMs()) {
        nextAtMs = Math.min(dueAtMs, nextAtMs ?? dueAtMs);
        continue;
      }
      const id = await this.begin();
      const moved = await runPlan(deps, plan);
      if (moved === null) this.forget(id);
      else await this.tell(id, { name: this.#name, channel: plan.channel, merchant: plan.merchant });
    }
    return nextAtMs;
  }

  async #rollBack({ merchant, version, salt }: Canary, reason: string): Promise<void> {
    this.#rollingBack.add(salt);
    try {
      const id = await this.begin();
      const change = { kind: "end-canary", name: this.#name, merchant, salt, reason } as const;
      const isEnded = await recordChange(releasesOf(this.env), change, { name: "canary-watch", audience: "rollout" });
      // Somebody has ended it already, or put another in its place.
      if (!isEnded) {
        this.#known = null;
        return this.forget(id);
      }
      const ended = { merchant, version, reason, atMs: systemClock.nowMs() };
      const before = this.#kv.get<CanaryReport["rolledBack"]>("rolled-back") ?? [];
      this.#kv.put("rolled-back", [ended, ...before].slice(0, ROLLED_BACK_KEPT));
      this.#kv.delete(`watch:${salt}`);
      await this.tell(id, { name: this.#name, channel: RELEASED_CHANNEL });
    } finally {
      this.#rollingBack.delete(salt);
    }
  }

  async #canaries(trial: string | null): Promise<KnownCanaries> {
    const nowMs = systemClock.nowMs();
    const known = this.#known;
    if (trial !== null && known !== null && nowMs - known.atMs < CANARIES_KNOWN_MS) return known;
    const { tables } = registryOf(this.env);
    const [canaries, limits] = await Promise.all([tables.canaries(this.#name), tables.canaryLimits(this.#name)]);
    this.#known = { atMs: nowMs, canaries, limits };
    for (const [key] of this.#kv.list({ prefix: "watch:" })) {
      if (!canaries.some(({ salt }) => key === `watch:${salt}`)) this.#kv.delete(key);
    }
    return this.#known;
  }

  async #retrySoon(what: string, thrown: unknown): Promise<void> {
    reportFailure(what, "internal", thrown);
    await this.#arm(systemClock.nowMs() + RETRY_MS);
  }

  /** Makes sure that the alarm goes off by then, or goes off once a day until then. */
  async #arm(dueAtMs: number): Promise<void> {
    const atMs = Math.min(dueAtMs, systemClock.nowMs() + SLEEP_MS_MAX);
    const armedAtMs = await this.ctx.storage.getAlarm();
    if (armedAtMs === null || armedAtMs > atMs || armedAtMs < systemClock.nowMs())
      await this.ctx.storage.setAlarm(atMs);
  }

  #intents(): (readonly [string, number])[] {
    const entries = [...this.#kv.list<number>({ prefix: "intent:" })];
    return entries.map(([key, atMs]) => [key.slice("intent:".length), atMs] as const);
  }

  get #kv() {
    return this.ctx.storage.kv;
  }

  get #untold(): Untold {
    return this.#kv.get<Untold>("untold") ?? NOBODY;
  }

  get #pointer(): Pointer {
    return this.#kv.get<Pointer>("pointer") ?? { seq: 0, copiedSeq: 0 };
  }

  /** An alarm may not know the name that the object was found by. */
  get #name(): string {
    const name = this.ctx.id.name ?? this.#kv.get<string>("name");
    invariant(name !== undefined, "a rollout is found by its harness's name");
    return name;
  }

  get #teller(): Teller {
    // The generated type of `exports` knows this Worker's whole module graph, which this object must not depend on.
    return (this.ctx.exports as unknown as { readonly RoomTeller: Teller }).RoomTeller;
  }
}
