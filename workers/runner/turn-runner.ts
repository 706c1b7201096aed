/** Runs turns for rooms. Stateless: everything it knows comes with the lease or can be read again. */
import { WorkerEntrypoint } from "cloudflare:workers";
import { runTurn, type TurnEnd } from "../../shared/agent/turn/run-turn.ts";
import { buildPrefix, type PromptPrefix } from "../../shared/agent/prompt/build-prefix.ts";
import type { CompiledHarness } from "../../shared/agent/compiled-harness.ts";
import type { FinishRequest, RoomSetup, TurnLease } from "../../shared/contract/turn-lease.ts";
import { BoundedCache } from "../../shared/core/bounded-cache.ts";
import { pause } from "../../shared/core/timer.ts";
import { AppError, toAppError } from "../../shared/errors/app-error.ts";
import { loadHarness } from "../platform/harness-loader.ts";
import { createHookCode } from "../platform/hook-code.ts";
import { createHttpTool } from "../platform/http-tool.ts";
import { modelClientOf } from "../platform/inference.ts";
import { reportFailure } from "../platform/report-failure.ts";
import { readSettings } from "../platform/settings.ts";
import { sha256Hex } from "../platform/sha256.ts";
import { systemClock, systemTimer } from "../platform/system-clock.ts";

/** Rooms whose configuration and prompt prefix one isolate keeps. */
const PREPARED_MAX = 64;

/** Characters of all prefixes that are kept. With their configurations they take about five times that in the 128 MB heap. */
const PREPARED_CHARS_MAX = 4_000_000;

/** Waits before a turn's end is handed to its room again, ms. The room takes the same end twice without harm. */
const FINISH_PAUSES_MS = [50, 200, 800, 2_000];

type Prepared = { readonly setup: RoomSetup; readonly prefix: PromptPrefix; readonly digest: string };

const prepared = new BoundedCache<string, Prepared>(PREPARED_MAX, {
  weightMax: PREPARED_CHARS_MAX,
  weightOf: ({ prefix }) => prefix.system.length + prefix.room.length,
});

export class TurnRunner extends WorkerEntrypoint<Env> {
  /** Takes a lease and returns at once; the turn runs on and calls the room back. */
  start(lease: TurnLease): void {
    this.ctx.waitUntil(this.#run(lease));
  }

  async #run(lease: TurnLease): Promise<void> {
    const ready = await this.#getReady(lease);
    if (ready === null) return;
    const { harness, setup, prefix } = ready;
    const settings = readSettings(this.env);
    const end = await runTurn(lease, {
      harness,
      setup,
      prefix,
      model: modelClientOf(settings),
      http: createHttpTool(settings.toolOrigins, (name) => secretOf(this.env, name)),
      hookDeps: {
        code: createHookCode(this.env.LOADER, harness.version, harness.bundle.hooks),
        timer: systemTimer,
        elapsedMs: () => systemClock.nowMs() - lease.acceptedAtMs,
      },
      clock: systemClock,
      timer: systemTimer,
      say: (sentences) => this.#room(lease).say({ turn: lease.turn, attempt: lease.attempt, sentences }),
    });
    if (end.bug !== null) reportFailure("turn", end.reason ?? "internal", end.bug);
    await this.#finish(lease, toFinish(lease, end, ready));
    await end.observed;
  }

  /** What the turn needs, or `null` when it cannot be had: then the room knows, and need not wait for the lease to run out. */
  async #getReady(lease: TurnLease): Promise<(Prepared & { harness: CompiledHarness }) | null> {
    try {
      const harness = await loadHarness(this.env, lease.harness.version);
      return { harness, ...(await this.#prepare(lease, harness)) };
    } catch (thrown) {
      const { code } = toAppError(thrown);
      reportFailure("turn-runner", code, thrown);
      await this.#room(lease).abandon({ turn: lease.turn, attempt: lease.attempt, code });
      return null;
    }
  }

  /** A fresh stub for every call: one that has thrown may stay broken. */
  #room(lease: TurnLease) {
    return this.env.LIVE_ROOM.getByName(lease.room);
  }

  async #finish(lease: TurnLease, finish: FinishRequest): Promise<void> {
    for (const pauseMs of FINISH_PAUSES_MS) {
      try {
        const finished = await this.#room(lease).finish(finish);
        // The room has closed the turn or given it to another runner, or has it now: nothing is left to do.
        if (finished.ok || finished.error === "lease_lost") return;
        // It does not take these sentences; the turn still needs its end.
        reportFailure("turn-finish", finished.error, null);
        await this.#room(lease).finish({ ...finish, sentences: [] });
        return;
      } catch (thrown) {
        reportFailure("turn-finish", "internal", thrown);
        await pause(systemTimer, pauseMs);
      }
    }
  }

  /**
   * The room's configuration and prompt prefix, read once per harness version and configuration revision. A room gives its
   * newest configuration alone: one that changed since the lease serves this turn, and is not kept under the old revision.
   */
  async #prepare(lease: TurnLease, harness: CompiledHarness): Promise<Prepared> {
    const keyOf = (revision: number) => `${lease.room}/${revision}/${harness.version}`;
    const known = prepared.get(keyOf(lease.configRevision));
    if (known !== undefined) return known;
    const fresh = await this.#readRoom(lease, harness);
    prepared.set(keyOf(fresh.setup.revision), fresh);
    return fresh;
  }

  async #readRoom(lease: TurnLease, harness: CompiledHarness): Promise<Prepared> {
    const read = await this.#room(lease).setup();
    if (!read.ok) throw new AppError(read.error, "The room of a lease has no configuration");
    const setup: RoomSetup = read.value;
    const prefix = buildPrefix(harness, setup);
    return { setup, prefix, digest: await sha256Hex(textOf(prefix)) };
  }
}

/** What the digest is of, and what the room keeps under it. */
function textOf({ system, room }: PromptPrefix): string {
  return `${system}\n\n${room}`;
}

function toFinish(lease: TurnLease, end: TurnEnd, { setup, prefix, digest }: Prepared): FinishRequest {
  return {
    turn: lease.turn,
    attempt: lease.attempt,
    sentences: end.sentences,
    outcome: end.outcome,
    reason: end.reason,
    trace: { ...end.trace, prefixDigest: digest, configRevision: setup.revision },
    prefix: digest === lease.knownPrefixDigest ? null : { digest, text: textOf(prefix) },
  };
}

/** A bundle may name secrets of this prefix alone, so it can never name the endpoint's key or the token secret. */
function secretOf(env: Env, name: string): string | undefined {
  const value = name.startsWith("TOOL_SECRET_") ? Reflect.get(env, name) : undefined;
  return typeof value === "string" ? value : undefined;
}
