/** Runs turns for rooms. Stateless: everything it knows comes with the lease or can be read again. */
import { RpcTarget, WorkerEntrypoint } from "cloudflare:workers";
import { runTurn, type TurnEnd } from "../../shared/agent/turn/run-turn.ts";
import type { TurnDeps } from "../../shared/agent/turn/turn-run.ts";
import type { PromptPrefix } from "../../shared/agent/prompt/build-prefix.ts";
import type { CompiledHarness } from "../../shared/agent/compiled-harness.ts";
import type { FinishRequest, RoomLease, RoomSetup, TurnLease } from "../../shared/contract/turn-lease.ts";
import { PRIORITY_BACKGROUND } from "../../shared/contract/admission.ts";
import type { ReplayRequest, ReplayedTurn } from "../../shared/contract/replay.ts";
import type { StrategyInput } from "../../shared/contract/strategy.ts";
import { makeStrategy } from "../../shared/strategy/make-strategy.ts";
import { STRATEGY_LIMIT_MS } from "../../shared/strategy/when-due.ts";
import type { ModelRequest } from "../../shared/agent/model-client.ts";
import { usableEndpoints } from "../inference/endpoint-directory.ts";
import { BoundedCache } from "../../shared/core/bounded-cache.ts";
import { pause } from "../../shared/core/timer.ts";
import { AppError, toAppError } from "../../shared/errors/app-error.ts";
import { loadHarness } from "../platform/harness-loader.ts";
import { type CatchUpTeller, catchUp } from "./catch-up.ts";
import { exportSpans } from "../inference/export-spans.ts";
import { openTurnModel } from "../inference/open-turn-model.ts";
import { reportFailure } from "../platform/report-failure.ts";
import { readSettings } from "../platform/settings.ts";
import { systemClock, systemTimer } from "../platform/system-clock.ts";
import { prepareRoom, textOf, type PreparedRoom } from "./prepared-room.ts";
import { replayTurn } from "./replay-turn.ts";
import { openTurnPorts } from "./turn-ports.ts";

/** Rooms whose configuration and prompt prefix one isolate keeps. */
const PREPARED_MAX = 64;

/** Characters of all prefixes that are kept. With their configurations they take about five times that in the 128 MB heap. */
const PREPARED_CHARS_MAX = 4_000_000;

/** Waits before a turn's end is handed to its room again, ms. The room takes the same end twice without harm. */
const FINISH_PAUSES_MS = [50, 200, 800, 2_000];

/** Limit on a warm-up call, ms. An uncached prompt of 8 k tokens takes under a second of prefill. */
const WARM_LIMIT_MS = 8_000;

type Ready = PreparedRoom & { readonly harness: CompiledHarness };

const prepared = new BoundedCache<string, PreparedRoom>(PREPARED_MAX, {
  weightMax: PREPARED_CHARS_MAX,
  weightOf: ({ prefix }) => prefix.system.length + prefix.room.length,
});

/** A turn that runs, in its room's hands. */
export class RunningTurn extends RpcTarget {
  readonly #stop: AbortController;

  constructor(stop: AbortController) {
    super();
    this.#stop = stop;
  }

  /** The room no longer wants its words: nothing more is said, and the call to the endpoint is closed at once. */
  stop(): void {
    this.#stop.abort();
  }
}

export class TurnRunner extends WorkerEntrypoint<Env> {
  /** Takes a lease and returns at once; the turn runs on and calls the room back. */
  start(lease: TurnLease): RunningTurn {
    const stop = new AbortController();
    this.ctx.waitUntil(this.#run(lease, stop.signal));
    return new RunningTurn(stop);
  }

  /**
   * Puts a room's prompt into the cache of the endpoint that it will ask first, with a call of one token that every turn
   * goes before. Best effort: a room that could not be warmed pays for its prompt in its first turn.
   */
  async warm(lease: RoomLease): Promise<void> {
    const endpoints = await usableEndpoints(this.env, (work) => this.ctx.waitUntil(work));
    if (endpoints.length > 0) this.ctx.waitUntil(this.#warm(lease));
  }

  /**
   * Makes a room's next strategy and hands it to the room; returns at once. Its call goes after all turns. What fails is the
   * offline policy's to say, and what fails altogether is asked for again by the room.
   */
  strategise(lease: RoomLease, input: StrategyInput): void {
    this.ctx.waitUntil(this.#strategise(lease, input));
  }

  /**
   * Runs a recorded turn again, on the version that the request has. Its room is not called and learns nothing of it.
   *
   * @throws AppError `harness_not_found`, `harness_corrupt`, `harness_invalid`, `harness_unsigned`, `harness_signature_invalid`
   */
  replay(request: ReplayRequest): Promise<ReplayedTurn> {
    return replayTurn(this.env, request, (work) => this.ctx.waitUntil(work));
  }

  async #strategise(lease: RoomLease, input: StrategyInput): Promise<void> {
    try {
      const harness = await loadHarness(this.env, lease.harness.version);
      const { prefix } = await this.#prepare(lease, harness);
      const policy = harness.bundle.strategy;
      const deadlineAtMs = systemClock.nowMs() + STRATEGY_LIMIT_MS;
      const asked = { ...lease, turn: `strategy-${input.basedOnSeq}`, priority: PRIORITY_BACKGROUND, deadlineAtMs };
      const hasEndpoint = (await usableEndpoints(this.env, (work) => this.ctx.waitUntil(work))).length > 0;
      const model = hasEndpoint
        ? await openTurnModel(this.env, asked, (work) => this.ctx.waitUntil(work), policy.model)
        : null;
      model?.setPolicy({ hedgeAfterMs: null, offlineFallback: false });
      const signal = AbortSignal.timeout(STRATEGY_LIMIT_MS);
      const deps = { model, prefix, policy, clock: systemClock, signal };
      const { strategy, refused } = await makeStrategy(input, deps).finally(() => model?.close(null));
      await this.#room(lease).advise(strategy, refused !== null);
    } catch (thrown) {
      reportFailure("strategy", toAppError(thrown).code, thrown);
    }
  }

  async #warm(lease: RoomLease): Promise<void> {
    try {
      const harness = await loadHarness(this.env, lease.harness.version);
      const { prefix } = await this.#prepare(lease, harness);
      const deadlineAtMs = systemClock.nowMs() + WARM_LIMIT_MS;
      const asked = { ...lease, turn: `warm-${lease.configRevision}`, priority: PRIORITY_BACKGROUND, deadlineAtMs };
      const model = await openTurnModel(this.env, asked, (work) => this.ctx.waitUntil(work));
      model.setPolicy({ hedgeAfterMs: null, offlineFallback: false });
      try {
        for await (const _parts of model.stream(toWarmRequest(harness, prefix)));
      } finally {
        await model.close(null);
      }
    } catch (thrown) {
      reportFailure("warm-up", toAppError(thrown).code, thrown);
    }
  }

  async #run(lease: TurnLease, stopped: AbortSignal): Promise<void> {
    // The slot at the endpoint is asked for while harness and room are read.
    const opening = openTurnModel(this.env, lease, (work) => this.ctx.waitUntil(work));
    const [ready, model] = await Promise.all([this.#getReady(lease), opening]);
    let end: TurnEnd | null = null;
    let firstSaidAtMs: number | null = null;
    try {
      if (ready === null) return;
      this.ctx.waitUntil(catchUp(this.env, lease, { setup: ready.setup, teller: this.#teller }));
      const { hedgeAfterMs = null, offlineFallback } = ready.harness.bundle.model;
      model.setPolicy({ hedgeAfterMs, offlineFallback });
      end = await this.#runTurn(lease, ready, {
        model,
        stopped,
        onMade: () => this.ctx.waitUntil(model.release()),
        say: (sentences, stateSeq) => {
          firstSaidAtMs ??= systemClock.nowMs();
          return this.#room(lease).say({ turn: lease.turn, attempt: lease.attempt, sentences, stateSeq });
        },
      });
      if (end.bug !== null) reportFailure("turn", end.reason ?? "internal", end.bug);
      if (end.sentences.length > 0) firstSaidAtMs ??= systemClock.nowMs();
      await this.#finish(lease, toFinish(lease, end, ready), end.recheck);
    } finally {
      const firstSentenceMs = firstSaidAtMs === null ? null : firstSaidAtMs - lease.acceptedAtMs;
      const totalMs = systemClock.nowMs() - lease.acceptedAtMs;
      await model.close({ firstSentenceMs, totalMs, outcome: end?.outcome ?? "abandoned" });
      if (end !== null) this.ctx.waitUntil(this.#export(lease, end, firstSentenceMs));
    }
    await end.observed;
  }

  /** After the turn, and never in its way. */
  #export(lease: TurnLease, { outcome, reason, trace }: TurnEnd, firstSentenceMs: number | null): Promise<void> {
    const { room, merchant, turn, attempt, harness, acceptedAtMs: startedAtMs } = lease;
    const times = { startedAtMs, endedAtMs: systemClock.nowMs(), firstSentenceMs };
    const finished = { room, merchant, turn, attempt, harness, outcome, reason, trace, ...times };
    return exportSpans(readSettings(this.env).otlp, finished);
  }

  #runTurn(
    lease: TurnLease,
    ready: Ready,
    ports: Pick<TurnDeps, "model" | "say" | "stopped" | "onMade">,
  ): Promise<TurnEnd> {
    const { harness, setup, prefix } = ready;
    const { acceptedAtMs } = lease;
    const platform = openTurnPorts(this.env, harness, { clock: systemClock, acceptedAtMs });
    return runTurn(lease, { harness, setup, prefix, ...platform, ...ports });
  }

  /** What the turn needs, or `null` when it cannot be had: then the room knows, and need not wait for the lease to run out. */
  async #getReady(lease: TurnLease): Promise<Ready | null> {
    try {
      const harness = await loadHarness(this.env, lease.harness.version);
      return { harness, ...(await this.#prepare(lease, harness)) };
    } catch (thrown) {
      const { code } = toAppError(thrown);
      reportFailure("turn-runner", code, thrown);
      // A room that cannot be reached gives the turn to another runner when the lease runs out.
      await this.#room(lease)
        .abandon({ turn: lease.turn, attempt: lease.attempt, code })
        .catch((failure: unknown) => reportFailure("turn-runner", "internal", failure));
      return null;
    }
  }

  get #teller(): CatchUpTeller {
    // The generated type of `exports` knows this Worker's whole module graph, which a runner must not depend on.
    return (this.ctx.exports as unknown as { readonly RoomTeller: CatchUpTeller }).RoomTeller;
  }

  /** A fresh stub for every call: one that has thrown may stay broken. */
  #room(lease: Pick<TurnLease, "room">) {
    return this.env.LIVE_ROOM.getByName(lease.room);
  }

  async #finish(lease: TurnLease, made: FinishRequest, recheck: TurnEnd["recheck"]): Promise<void> {
    let finish = made;
    for (const pauseMs of FINISH_PAUSES_MS) {
      try {
        const finished = await this.#room(lease).finish(finish);
        if (!finished.ok && finished.error === "room_changed") {
          finish = { ...finish, ...recheck(finished.now) };
          continue;
        }
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
  async #prepare(lease: RoomLease, harness: CompiledHarness): Promise<PreparedRoom> {
    const keyOf = (revision: number) => `${lease.room}/${revision}/${harness.version}`;
    const known = prepared.get(keyOf(lease.configRevision));
    if (known !== undefined) return known;
    const fresh = await this.#readRoom(lease, harness);
    prepared.set(keyOf(fresh.setup.revision), fresh);
    return fresh;
  }

  async #readRoom(lease: Pick<TurnLease, "room">, harness: CompiledHarness): Promise<PreparedRoom> {
    const read = await this.#room(lease).setup();
    if (!read.ok) throw new AppError(read.error, "The room of a lease has no configuration");
    const setup: RoomSetup = read.value;
    return prepareRoom(harness, setup);
  }
}

/** The first call of the room's next turn begins with these bytes. */
function toWarmRequest({ bundle, toolSpecs }: CompiledHarness, prefix: PromptPrefix): ModelRequest {
  return {
    messages: [
      { role: "system", content: prefix.system },
      { role: "user", content: prefix.room },
    ],
    tools: toolSpecs,
    temperature: bundle.model.temperature,
    topP: bundle.model.topP ?? null,
    maxOutputTokens: 1,
    thinking: bundle.model.thinking,
    firstByteTimeoutMs: WARM_LIMIT_MS,
    betweenChunksTimeoutMs: WARM_LIMIT_MS,
    callIdPrefix: "warm",
    signal: AbortSignal.timeout(WARM_LIMIT_MS),
  };
}

function toFinish(lease: TurnLease, end: TurnEnd, { setup, prefix, digest }: PreparedRoom): FinishRequest {
  return {
    turn: lease.turn,
    attempt: lease.attempt,
    sentences: end.sentences,
    stateSeq: end.stateSeq,
    outcome: end.outcome,
    reason: end.reason,
    trace: { ...end.trace, prefixDigest: digest, configRevision: setup.revision },
    prefix: digest === lease.knownPrefixDigest ? null : { digest, text: textOf(prefix) },
  };
}
