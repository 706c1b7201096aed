/** Runs turns for rooms. Stateless: everything it knows comes with the lease or can be read again. */
import { WorkerEntrypoint } from "cloudflare:workers";
import { runTurn, type TurnEnd } from "../../shared/agent/turn/run-turn.ts";
import { buildPrefix, type PromptPrefix } from "../../shared/agent/prompt/build-prefix.ts";
import type { CompiledHarness } from "../../shared/agent/compiled-harness.ts";
import type { FinishRequest, RoomSetup, TurnLease } from "../../shared/contract/turn-lease.ts";
import { BoundedCache } from "../../shared/core/bounded-cache.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import { loadHarness } from "../platform/harness-loader.ts";
import { createHookCode } from "../platform/hook-code.ts";
import { createHttpTool } from "../platform/http-tool.ts";
import { modelClientOf } from "../platform/inference.ts";
import { readSettings } from "../platform/settings.ts";
import { sha256Hex } from "../platform/sha256.ts";
import { systemClock, systemTimer } from "../platform/system-clock.ts";

/** Rooms whose prompt prefix one isolate keeps; each is some tens of KB. */
const PREFIXES_MAX = 64;

/** Tries to hand a turn's end to its room. The room takes the same end twice without harm. */
const FINISH_TRIES_MAX = 3;

type Prepared = { readonly setup: RoomSetup; readonly prefix: PromptPrefix; readonly digest: string };

const prepared = new BoundedCache<string, Prepared>(PREFIXES_MAX);

export class TurnRunner extends WorkerEntrypoint<Env> {
  /** Takes a lease and returns at once; the turn runs on and calls the room back. */
  start(lease: TurnLease): void {
    this.ctx.waitUntil(this.#run(lease));
  }

  async #run(lease: TurnLease): Promise<void> {
    const room = this.env.LIVE_ROOM.getByName(lease.room);
    const harness = await loadHarness(this.env, lease.harness.version);
    const { setup, prefix, digest } = await this.#prepare(lease, harness);
    const ref = { turn: lease.turn, attempt: lease.attempt };
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
      say: (sentences) => room.say({ ...ref, sentences }),
    });
    await this.#finish(lease, toFinish(lease, end, prefix, digest));
  }

  async #finish(lease: TurnLease, finish: FinishRequest): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        // A refusal means that the room has closed the turn or given it to another runner: nothing is left to do.
        await this.env.LIVE_ROOM.getByName(lease.room).finish(finish);
        return;
      } catch (thrown) {
        if (tries === FINISH_TRIES_MAX) throw thrown;
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
    const read = await this.env.LIVE_ROOM.getByName(lease.room).setup();
    if (!read.ok) throw new AppError(read.error, "The room of a lease has no configuration");
    const setup: RoomSetup = read.value;
    const prefix = buildPrefix(harness, setup);
    return { setup, prefix, digest: await sha256Hex(`${prefix.system}\n\n${prefix.room}`) };
  }
}

function toFinish(lease: TurnLease, end: TurnEnd, prefix: PromptPrefix, digest: string): FinishRequest {
  return {
    turn: lease.turn,
    attempt: lease.attempt,
    sentences: end.sentences,
    outcome: end.outcome,
    reason: end.reason,
    trace: { ...end.trace, prefixDigest: digest },
    prefix: digest === lease.knownPrefixDigest ? null : { digest, text: `${prefix.system}\n\n${prefix.room}` },
  };
}

/** A bundle may name secrets of this prefix alone, so it can never send the endpoint's key or the token secret away. */
function secretOf(env: Env, name: string): string | undefined {
  const value = name.startsWith("TOOL_SECRET_") ? Reflect.get(env, name) : undefined;
  return typeof value === "string" ? value : undefined;
}
