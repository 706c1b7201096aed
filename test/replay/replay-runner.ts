/** Runs leases as the product's runner does, without a Worker: the same turn, the same way back to the room. */
import { createHash } from "node:crypto";
import type { CompiledHarness } from "../../shared/agent/compiled-harness.ts";
import type { HookCode } from "../../shared/agent/hooks/run-hooks.ts";
import type { ModelClient } from "../../shared/agent/model-client.ts";
import { buildPrefix, type PromptPrefix } from "../../shared/agent/prompt/build-prefix.ts";
import { runTurn, type TurnEnd } from "../../shared/agent/turn/run-turn.ts";
import type { FinishRequest, RoomSetup, SayRequest, SayResult, TurnLease } from "../../shared/contract/turn-lease.ts";
import type { RoomStrategy, StrategyInput } from "../../shared/contract/strategy.ts";
import type { Clock } from "../../shared/core/clock.ts";
import { pause, type Timer } from "../../shared/core/timer.ts";
import { makeStrategy } from "../../shared/strategy/make-strategy.ts";

/** Way from the runner to the room or back, ms: within a data centre, with the room's write to its disk on top. */
const WAY_MS_MIN = 1;
const WAY_MS_SPAN = 5;
/** Tries to hand in an end, as many as the product's runner has. */
const FINISH_TRIES = 4;
/** What a slow second model takes for a strategy, ms. */
const STRATEGY_MS = 4_000;

/** What a runner needs of its room. */
export type RoomPort = {
  say(request: SayRequest): SayResult;
  finish(request: FinishRequest): SayResult;
  advise(strategy: RoomStrategy): void;
};

export type ReplayRunnerPorts = {
  readonly harness: CompiledHarness;
  readonly setup: RoomSetup;
  readonly code: HookCode;
  readonly model: ModelClient;
  readonly room: RoomPort;
  readonly time: Clock & Timer;
  readonly random: () => number;
};

export type RunningTurn = { stop(): void };

export class ReplayRunner {
  readonly #ports: ReplayRunnerPorts;
  readonly #prefix: PromptPrefix;
  readonly #digest: string;
  /** What was thrown inside turns, where their code has a bug. */
  readonly bugs: unknown[] = [];

  constructor(ports: ReplayRunnerPorts) {
    this.#ports = ports;
    this.#prefix = buildPrefix(ports.harness, ports.setup);
    this.#digest = createHash("sha256").update(textOf(this.#prefix)).digest("hex");
  }

  start(lease: TurnLease): RunningTurn {
    const stop = new AbortController();
    this.#run(lease, stop.signal).catch((thrown: unknown) => this.bugs.push(thrown));
    return { stop: () => void this.#ports.time.after(this.#wayMs(), () => stop.abort()) };
  }

  /** The offline policy's strategy, in the background. */
  strategise(input: StrategyInput): void {
    this.#strategise(input).catch((thrown: unknown) => this.bugs.push(thrown));
  }

  async #strategise(input: StrategyInput): Promise<void> {
    const { harness, time, room } = this.#ports;
    await pause(time, STRATEGY_MS);
    const { signal } = new AbortController();
    const deps = { model: null, prefix: this.#prefix, policy: harness.bundle.strategy, clock: time, signal };
    room.advise((await makeStrategy(input, deps)).strategy);
  }

  async #run(lease: TurnLease, stopped: AbortSignal): Promise<void> {
    const { harness, setup, code, model, time, room } = this.#ports;
    await pause(time, this.#wayMs());
    const end = await runTurn(lease, {
      harness,
      setup,
      prefix: this.#prefix,
      http: { call: () => Promise.reject(new Error("The sample harness calls no tool over HTTP")) },
      hookDeps: { code, timer: time, elapsedMs: () => time.nowMs() - lease.acceptedAtMs },
      clock: time,
      timer: time,
      model,
      stopped,
      say: (sentences, stateSeq) =>
        this.#call(() => room.say({ turn: lease.turn, attempt: lease.attempt, sentences, stateSeq })),
    });
    if (end.bug !== null) this.bugs.push(end.bug);
    await this.#finish(this.#toFinish(lease, end), end.recheck);
    await end.observed;
  }

  async #finish(made: FinishRequest, recheck: TurnEnd["recheck"]): Promise<void> {
    const { room } = this.#ports;
    let finish = made;
    for (let tries = 0; tries < FINISH_TRIES; tries += 1) {
      const request = finish;
      const finished = await this.#call(() => room.finish(request));
      if (finished.ok || finished.error === "lease_lost") return;
      if (finished.error !== "room_changed") {
        this.bugs.push(new Error(`The room refused an end: ${finished.error}`));
        await this.#call(() => room.finish({ ...request, sentences: [] }));
        return;
      }
      finish = { ...finish, ...recheck(finished.now) };
    }
  }

  #toFinish(lease: TurnLease, end: TurnEnd): FinishRequest {
    const digest = this.#digest;
    return {
      turn: lease.turn,
      attempt: lease.attempt,
      sentences: end.sentences,
      stateSeq: end.stateSeq,
      outcome: end.outcome,
      reason: end.reason,
      trace: { ...end.trace, prefixDigest: digest, configRevision: this.#ports.setup.revision },
      prefix: digest === lease.knownPrefixDigest ? null : { digest, text: textOf(this.#prefix) },
    };
  }

  async #call(act: () => SayResult): Promise<SayResult> {
    await pause(this.#ports.time, this.#wayMs());
    const result = act();
    await pause(this.#ports.time, this.#wayMs());
    return result;
  }

  #wayMs(): number {
    return WAY_MS_MIN + Math.floor(this.#ports.random() * WAY_MS_SPAN);
  }
}

function textOf({ system, room }: PromptPrefix): string {
  return `${system}\n\n${room}`;
}
