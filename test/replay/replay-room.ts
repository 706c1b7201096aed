/** A live room's shell over the room's own decisions, in memory: what the Durable Object does, without its platform. */
import type { Disposition, HostSpeech, ViewerMessage } from "../../shared/contract/message.ts";
import type { RoomFrame } from "../../shared/contract/room-frame.ts";
import type { RoomPatch } from "../../shared/contract/room-state.ts";
import type { RoomStrategy, StrategyInput } from "../../shared/contract/strategy.ts";
import type { FinishRequest, SayRequest, SayResult, TurnLease, TurnRef } from "../../shared/contract/turn-lease.ts";
import type { TurnRecord } from "../../shared/contract/turn-record.ts";
import type { Clock } from "../../shared/core/clock.ts";
import { fail, ok } from "../../shared/core/result.ts";
import type { Timer } from "../../shared/core/timer.ts";
import { turnsOf } from "../../shared/strategy/count-turn.ts";
import { strategyDueAtMs } from "../../shared/strategy/when-due.ts";
import { Mouth } from "../../workers/room/mouth.ts";
import { RoomIntake } from "../../workers/room/room-intake.ts";
import { findTurn, isLeased, nextWakeAtMs } from "../../workers/room/room-state.ts";
import { type KnownMessage, admitMessages } from "../../workers/room/admit-messages.ts";
import type { RoomNow, RoomStep } from "../../workers/room/room-draft.ts";
import {
  type SayRefusal,
  changeConfig,
  finishTurn,
  hearHost,
  interruptTurn,
  patchState,
  saySentences,
  takeStrategy,
  tickRoom,
  toLease,
  toStrategyInput,
} from "../../workers/room/room-step.ts";
import { floorFreeAtMs } from "../../workers/room/settle-room.ts";
import { type RoomConfiguration, type StoredRoom, withConfiguration } from "../../workers/room/stored-room.ts";
import type { RunningTurn } from "./replay-runner.ts";

export type ReplayRoomPorts = {
  readonly name: string;
  readonly configuration: RoomConfiguration;
  readonly time: Clock & Timer;
  readonly start: (lease: TurnLease) => RunningTurn;
  /** Asks for a strategy, which comes later and by {@link ReplayRoom.advise}. */
  readonly strategise: (input: StrategyInput) => void;
  /** Whoever follows the room: its voice, for one. */
  readonly onFrames: (frames: readonly RoomFrame[]) => void;
};

export class ReplayRoom {
  readonly #ports: ReplayRoomPorts;
  readonly #intake = new RoomIntake();
  readonly #mouth = new Mouth();
  readonly #known = new Map<string, KnownMessage>();
  readonly #running = new Map<string, { readonly ref: TurnRef; readonly runner: RunningTurn }>();
  readonly frames: RoomFrame[] = [];
  readonly records: TurnRecord[] = [];
  #room: StoredRoom;
  #strategyAskedAtMs: number | null = null;
  #alarm: { readonly atMs: number; readonly cancel: () => void } | null = null;
  /** Alarms that found nothing to do. */
  idleAlarmsCount = 0;

  constructor(ports: ReplayRoomPorts) {
    this.#ports = ports;
    this.#room = withConfiguration(null, ports.name, ports.configuration);
    const { revision, harness } = this.#room.setup;
    this.#commit(changeConfig(this.#now(), { revision, harness, changesFacts: false }));
  }

  /** From now on somebody speaks what the room says, and its turns keep time with that. */
  openMouth(): void {
    this.#mouth.isOpen = true;
  }

  get setup(): StoredRoom["setup"] {
    return this.#room.setup;
  }

  get openTurnsCount(): number {
    return this.#room.state.turns.length;
  }

  post(messages: readonly ViewerMessage[]): readonly Disposition[] {
    const { step, dispositions } = admitMessages(this.#now(), messages, this.#known);
    for (const { id, turn, seq } of dispositions) if (turn !== null) this.#known.set(id, { turn, seq });
    this.#commit(step);
    return dispositions;
  }

  hear(speech: HostSpeech): void {
    this.#commit(hearHost(this.#now(), speech));
  }

  patch(patch: RoomPatch): void {
    const patched = patchState(this.#now(), patch);
    if (!patched.ok) throw new Error(`The script names what is not sold: ${JSON.stringify(patch)}`);
    this.#commit(patched.value);
  }

  interrupt(reason: string): void {
    const interrupted = interruptTurn(this.#now(), { cause: "operator", act: "stop", reason });
    if (interrupted.ok) this.#commit(interrupted.value.step);
  }

  say(request: SayRequest): SayResult {
    const said = saySentences(this.#now(), request);
    if (!said.ok) return this.#refuse(said.error);
    this.#commit(said.value.step);
    return ok(said.value.said);
  }

  finish(request: FinishRequest): SayResult {
    const finished = finishTurn(this.#now(), request);
    if (!finished.ok) return this.#refuse(finished.error);
    this.#running.delete(keyOf(request));
    this.#room = { ...this.#room, prefixDigest: request.prefix?.digest ?? this.#room.prefixDigest };
    this.#commit(finished.value.step);
    return ok(finished.value.said);
  }

  advise(strategy: RoomStrategy): void {
    this.#strategyAskedAtMs = null;
    this.#commit(takeStrategy(this.#now(), strategy));
  }

  /** The voice has spoken a sentence to its end. */
  noteSpoken(turn: string, seq: number): void {
    this.#mouth.noteSpoken(turn, seq, this.#ports.time.nowMs());
    this.#commit(tickRoom(this.#now()));
  }

  #ring(): void {
    this.#alarm = null;
    const step = tickRoom(this.#now());
    if (step.frames.length === 0) this.idleAlarmsCount += 1;
    this.#commit(step);
  }

  #now(): RoomNow {
    const { name, state, rules } = this.#room;
    return { room: name, state, rules, intake: this.#intake, mouth: this.#mouth, nowMs: this.#ports.time.nowMs() };
  }

  #commit(step: RoomStep): void {
    this.#room = { ...this.#room, state: step.state };
    this.frames.push(...step.frames);
    this.records.push(...step.records);
    this.#arm();
    this.#ports.onFrames(step.frames);
    this.#stopRunners();
    for (const ref of step.leases) this.#handOver(ref);
    if (step.records.length > 0) this.#strategise();
  }

  #strategise(): void {
    const { state, policy } = this.#room;
    const asked = { askedAtMs: this.#strategyAskedAtMs, failure: null };
    const progress = { madeAtMs: state.strategy?.atMs ?? null, endedTurns: turnsOf(state.tally), ...asked };
    const dueAtMs = strategyDueAtMs(policy.strategy, progress);
    const nowMs = this.#ports.time.nowMs();
    if (dueAtMs === null || dueAtMs > nowMs) return;
    this.#strategyAskedAtMs = nowMs;
    this.#ports.strategise(toStrategyInput(state));
  }

  #handOver(ref: TurnRef): void {
    const turn = findTurn(this.#room.state, ref.turn);
    if (turn === undefined || !isLeased(turn)) return;
    this.#running.set(keyOf(ref), { ref, runner: this.#ports.start(toLease(this.#room, turn, this.#mouth)) });
  }

  #stopRunners(): void {
    for (const { ref, runner } of this.#running.values()) {
      if (findTurn(this.#room.state, ref.turn)?.lease?.attempt === ref.attempt) continue;
      this.#running.delete(keyOf(ref));
      runner.stop();
    }
  }

  #refuse(error: SayRefusal): SayResult {
    const { snapshot, stateSeq } = this.#room.state;
    return error === "room_changed" ? { ok: false, error, now: { snapshot, stateSeq } } : fail(error);
  }

  /** As the room's one alarm: what is set earlier stays. What is due by now rings a moment later, as it does there. */
  #arm(): void {
    const freeAtMs = floorFreeAtMs({ intake: this.#intake, mouth: this.#mouth });
    const wakeAtMs = nextWakeAtMs(this.#room.state, freeAtMs);
    const nowMs = this.#ports.time.nowMs();
    if (wakeAtMs === null || (this.#alarm !== null && this.#alarm.atMs <= wakeAtMs)) return;
    this.#alarm?.cancel();
    const delayMs = Math.max(1, wakeAtMs - nowMs);
    this.#alarm = { atMs: nowMs + delayMs, cancel: this.#ports.time.after(delayMs, () => this.#ring()) };
  }
}

function keyOf({ turn, attempt }: TurnRef): string {
  return `${turn}/${attempt}`;
}
