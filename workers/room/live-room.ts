/** One live room. A shell: it loads, decides with `room-step.ts`, saves, then acts. */
import { DurableObject } from "cloudflare:workers";
import { type Result, fail, ok } from "../../shared/core/result.ts";
import type { HarnessChannel } from "../../shared/contract/ids.ts";
import type { RoomFrame } from "../../shared/contract/room-frame.ts";
import type { HostSpeech, MessagesTaken, ViewerMessage } from "../../shared/contract/message.ts";
import type { RoomStrategy, StrategyInput } from "../../shared/contract/strategy.ts";
import { turnsOf } from "../../shared/strategy/count-turn.ts";
import { type StrategyProgress, strategyDueAtMs } from "../../shared/strategy/when-due.ts";
import { type RoomRelease, UNKNOWN_RELEASE } from "../../shared/contract/room-release.ts";
import type { RoomPatch } from "../../shared/contract/room-state.ts";
import type { RoomView, TurnView } from "../../shared/contract/room-view.ts";
import type {
  AbandonRequest,
  FinishRequest,
  HarnessRef,
  SayRequest,
  SayResult,
} from "../../shared/contract/turn-lease.ts";
import type { RoomLease, RoomPolicy, RoomSetup, TurnLease, TurnRef } from "../../shared/contract/turn-lease.ts";
import type { TurnRecord } from "../../shared/contract/turn-record.ts";
import { toWatchedTurn } from "../../harness-kv/canary-watch.ts";
import { ERROR_RULES, type ErrorCode } from "../../shared/errors/error-codes.ts";
import { reportFailure } from "../platform/report-failure.ts";
import { systemClock, systemTimer } from "../platform/system-clock.ts";
import { Mouth } from "./mouth.ts";
import { RoomIntake } from "./room-intake.ts";
import { RoomAlarm } from "./room-alarm.ts";
import { RoomSockets, readFollower } from "./room-sockets.ts";
import { findTurn, isLeased, nextWakeAtMs } from "./room-state.ts";
import type { RoomNow, RoomStep } from "./room-draft.ts";
import { type SayRefusal, abandonTurn, changeConfig, finishTurn } from "./room-step.ts";
import { admitMessages } from "./admit-messages.ts";
import { floorFreeAtMs } from "./settle-room.ts";
import { hearHost, interruptTurn, loseRunner, patchState, saySentences, takeStrategy, tickRoom } from "./room-step.ts";
import { toLease, toStrategyInput } from "./room-step.ts";
import { type Prefix, RoomStorage } from "./room-storage.ts";
import { toHello, toOpenTurnView, toRoomView } from "./room-view.ts";
import { type RoomConfiguration, type StoredRoom, contentOf, followsChannel, hasSameHarness } from "./stored-room.ts";
import { withConfiguration } from "./stored-room.ts";

/** Wait before an alarm that failed is tried again, ms. The platform's own retries end after six. */
const ALARM_RETRY_MS = 1_000;
/** Characters of a configuration as JSON. Above this the object's memory is at risk. */
const SETUP_CHARS_MAX = 4_000_000;

/** What the room needs of its runners: an entrypoint of the same Worker, reached without a configured binding. */
type Runners = {
  readonly TurnRunner: {
    start(lease: TurnLease): Promise<RunningTurn>;
    warm(lease: RoomLease): Promise<void>;
    strategise(lease: RoomLease, input: StrategyInput): Promise<void>;
  };
};
type RunningTurn = Disposable & { stop(): Promise<void> };

export type HarnessChange = {
  /** Channel of that harness which serves the version now. */
  readonly channel: HarnessChannel;
  /** The room's, when the version was looked up: another has channels and pins of its own. */
  readonly merchant: string;
  readonly harness: HarnessRef;
  readonly policy: RoomPolicy;
  readonly sessionContext: readonly string[];
  readonly release: Pick<RoomRelease, "seq" | "trial">;
};
type ConfigSaved = { readonly revision: number; readonly seq: number };
/** `hasChanged`: its prompt is another one now, which whoever told it may warm up. */
type Adopted = ConfigSaved & { readonly hasChanged: boolean };
type FrameSeq = { readonly seq: number };

export class LiveRoom extends DurableObject<Env> {
  readonly #storage: RoomStorage;
  readonly #sockets: RoomSockets;
  readonly #alarm: RoomAlarm;
  readonly #intake = new RoomIntake();
  readonly #mouth = new Mouth();
  /** Runners that can be told to stop, by turn and attempt. Lost with the object: then a runner learns it when it speaks. */
  readonly #running = new Map<string, { readonly ref: TurnRef; readonly runner: RunningTurn }>();
  /** What the room has asked of the strategist. Lost with the object: then it asks once more. */
  #asked: Pick<StrategyProgress, "askedAtMs" | "failure"> = { askedAtMs: null, failure: null };
  /** `null` until the room is configured for the first time. */
  #room: StoredRoom | null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#storage = new RoomStorage(ctx.storage);
    this.#sockets = new RoomSockets(ctx, systemTimer);
    this.#alarm = new RoomAlarm(ctx.storage);
    this.#room = this.#storage.load();
    // Only looks: work done here would run twice, once for the event that woke the room.
    void ctx.blockConcurrencyWhile(async () => {
      await this.#alarm.load();
      this.#arm();
    });
  }

  /** Creates the room or replaces its configuration. The same content again changes nothing and keeps its revision. */
  configure(configuration: RoomConfiguration): Result<ConfigSaved, "record_too_large"> {
    const room = this.#room;
    const content = contentOf(configuration);
    if (room !== null && contentOf(room) === content) {
      this.#noteRelease({ ...UNKNOWN_RELEASE, ...configuration.release });
      return ok({ revision: room.setup.revision, seq: room.state.lastSeq });
    }
    if (content.length > SETUP_CHARS_MAX) return fail("record_too_large");
    const hasOtherFacts = JSON.stringify(room?.setup.config) !== JSON.stringify(configuration.setup.config);
    const saved = this.#reconfigure(configuration, hasOtherFacts);
    if (this.#room !== null) void this.#warmUp(this.#room);
    return ok(saved);
  }

  /**
   * Gives the room the version that its channel serves now. A turn that has begun ends on the version it began with. A room
   * that has left the channel since it was looked up (`channel_moved`) stays as it is, and so does one that has heard of a
   * later release already.
   */
  adopt(change: HarnessChange): Result<Adopted, "room_not_found" | "channel_moved"> {
    const { channel, merchant, harness, policy, sessionContext, release } = change;
    const room = this.#room;
    if (room === null) return fail("room_not_found");
    if (!followsChannel(room, { name: harness.name, channel, merchant })) return fail("channel_moved");
    if (release.seq < room.release.seq) return ok(sameAs(room));
    const configuration = { setup: { config: room.setup.config, harness, sessionContext }, policy, release };
    if (hasSameHarness(room, configuration)) {
      this.#noteRelease({ ...UNKNOWN_RELEASE, ...release });
      return ok(sameAs(room));
    }
    return ok({ ...this.#reconfigure(configuration, false), hasChanged: true });
  }

  #reconfigure(configuration: RoomConfiguration, hasOtherFacts: boolean): ConfigSaved {
    const room = this.#room;
    const next = withConfiguration(room, this.ctx.id.name ?? this.ctx.id.toString(), configuration);
    const { revision, harness } = next.setup;
    const changesFacts = room !== null && hasOtherFacts;
    const step = changeConfig(this.#now(next), { revision, harness, changesFacts });
    this.#storage.saveConfig(next, step, room);
    this.#settle({ ...next, state: step.state }, step);
    return { revision, seq: step.state.lastSeq };
  }

  /** Notes that the room should run a version that could not be given to it, unless it has heard of a later release. */
  refuseVersion({ version, code, seq }: { version: string; code: string; seq: number }): void {
    if (this.#room === null || seq < this.#room.release.seq) return;
    const { release } = this.#room;
    const isKnown = release.refused?.version === version && release.refused.code === code;
    const refused = isKnown ? release.refused : { version, code, atMs: systemClock.nowMs() };
    this.#noteRelease({ ...release, seq, refused });
  }

  /** Takes viewers' messages. When this answers, those that are not dropped are durable. */
  post(messages: readonly ViewerMessage[]): Result<MessagesTaken, "room_not_found"> {
    if (this.#room === null) return fail("room_not_found");
    const known = this.#storage.findMessages(messages.map(({ id }) => id));
    const { step, dispositions } = admitMessages(this.#now(this.#room), messages, known);
    this.#commit(this.#room, step);
    const waiting = step.state.turns.filter((turn) => !isLeased(turn)).length;
    return ok({ results: dispositions, backlog: { waiting, max: this.#room.policy.intake.backlogMax } });
  }

  /** Notes what a host said aloud. */
  hear(speech: HostSpeech): Result<FrameSeq, "room_not_found"> {
    if (this.#room === null) return fail("room_not_found");
    return ok(this.#commitFor("host-speech", this.#room, hearHost(this.#now(this.#room), speech)));
  }

  /** Changes what the room shows and sells now, all or nothing. */
  patch(patch: RoomPatch): Result<FrameSeq, "room_not_found" | "product_not_found"> {
    if (this.#room === null) return fail("room_not_found");
    const patched = patchState(this.#now(this.#room), patch);
    return patched.ok ? ok(this.#commitFor("state", this.#room, patched.value)) : patched;
  }

  /** The configuration as runners read it. */
  setup(): Result<RoomSetup, "room_not_found"> {
    return this.#room === null ? fail("room_not_found") : ok(this.#room.setup);
  }

  view(): Result<RoomView, "room_not_found"> {
    if (this.#room === null) return fail("room_not_found");
    return ok(toRoomView(this.#room, this.#storage.rowsWritten + this.#alarm.rowsWritten));
  }

  /** A turn's record once it has ended, else where it stands. */
  turn(id: string): Result<TurnView, "room_not_found" | "turn_not_found"> {
    if (this.#room === null) return fail("room_not_found");
    const open = findTurn(this.#room.state, id);
    if (open !== undefined) return ok(toOpenTurnView(this.#room.name, open));
    const record = this.#storage.getRecord(id);
    return record === null ? fail("turn_not_found") : ok(record);
  }

  /** The stable part of a prompt, by the digest that records name; `null` when the room has none of it. */
  promptPrefix(digest: string): string | null {
    return this.#room === null ? null : this.#storage.getPrefix(digest);
  }

  /** Speaks sentences of a turn: durable, then heard. Safe to repeat. */
  say(request: SayRequest): SayResult {
    if (this.#room === null) return fail("lease_lost");
    const said = saySentences(this.#now(this.#room), request);
    if (!said.ok) return this.#refuse(said.error, this.#room);
    this.#commit(this.#room, said.value.step);
    return ok(said.value.said);
  }

  /** Ends a turn, with its last sentences and its trace. Safe to repeat. */
  finish(request: FinishRequest): SayResult {
    if (this.#room === null) return fail("lease_lost");
    const finished = finishTurn(this.#now(this.#room), request);
    if (!finished.ok) {
      return finished.error === "lease_lost" ? this.#findFinish(request) : this.#refuse(finished.error, this.#room);
    }
    this.#letGo(request);
    this.#commit(this.#room, finished.value.step, request.prefix);
    return ok(finished.value.said);
  }

  /** Ends the turn that is being spoken, and stops its runner at once. */
  interrupt(reason: string): Result<{ readonly turn: string }, "room_not_found" | "turn_not_found"> {
    if (this.#room === null) return fail("room_not_found");
    const interrupted = interruptTurn(this.#now(this.#room), { cause: "operator", act: "stop", reason });
    if (!interrupted.ok) return interrupted;
    this.#commit(this.#room, interrupted.value.step);
    return ok({ turn: interrupted.value.turn });
  }

  /** Takes what the strategist has made; `refused` when the model's words could not be used, so that it is not asked too soon. */
  advise(strategy: RoomStrategy, refused: boolean): void {
    if (this.#room === null) return;
    const count = refused ? (this.#asked.failure?.count ?? 0) + 1 : 0;
    this.#asked = { askedAtMs: null, failure: count === 0 ? null : { count, atMs: systemClock.nowMs() } };
    this.#commit(this.#room, takeStrategy(this.#now(this.#room), strategy));
  }

  /** Takes a turn back from a runner that cannot run it. Safe to repeat: a turn that has ended answers `lease_lost`. */
  abandon(request: AbandonRequest): SayResult {
    if (this.#room === null) return fail("lease_lost");
    const abandoned = abandonTurn(this.#now(this.#room), request);
    if (!abandoned.ok) return abandoned;
    this.#commit(this.#room, abandoned.value.step);
    return ok(abandoned.value.said);
  }

  /** Ends what has waited too long and takes turns from lost runners. Does only what is due, so one run too many is harmless. */
  override alarm(): void {
    this.#alarm.clear();
    try {
      if (this.#room !== null) this.#commit(this.#room, tickRoom(this.#now(this.#room)));
    } catch (thrown) {
      reportFailure("room-alarm", "internal", thrown);
      this.#alarm.arm(systemClock.nowMs() + ALARM_RETRY_MS, systemClock.nowMs());
    }
  }

  /** Opens a WebSocket that follows the room: `?after=<seq>` brings the frames since then first. */
  override fetch(request: Request): Response {
    if (this.#room === null) return refuse("room_not_found");
    const follower = readFollower(request);
    if (follower === null) return refuse("upgrade_required");
    if (this.#sockets.isFull()) return refuse("room_stream_full");
    const history = follower.after === null ? [] : this.#storage.framesAfter(follower.after);
    return this.#sockets.accept(follower, toHello(this.#room, this.#storage.firstSeq()), history);
  }

  /** The room's voice says how far it is: the next turn may be due sooner, or later, than was thought. */
  override webSocketMessage(socket: WebSocket, text: string | ArrayBuffer): void {
    const spoken = this.#sockets.receive(socket, text);
    if (spoken === null || this.#room === null) return;
    this.#mouth.noteSpoken(spoken.turn, spoken.seq, systemClock.nowMs());
    this.#tick();
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    this.#sockets.answerClose(socket, code);
    this.#tick();
  }

  override webSocketError(socket: WebSocket): void {
    this.#sockets.drop(socket);
    this.#tick();
  }

  /** The next turn may have waited for the voice, or for one that has gone. */
  #tick(): void {
    if (this.#room !== null) this.#commit(this.#room, tickRoom(this.#now(this.#room)));
  }

  /** Number of the frame that the call was for; of the last one before it where it made none. */
  #commitFor(type: RoomFrame["type"], room: StoredRoom, step: RoomStep): FrameSeq {
    this.#commit(room, step);
    return { seq: step.frames.find((frame) => frame.type === type)?.seq ?? room.state.lastSeq };
  }

  #noteRelease(release: RoomRelease): void {
    if (this.#room === null || JSON.stringify(this.#room.release) === JSON.stringify(release)) return;
    this.#storage.saveRelease(release);
    this.#room = { ...this.#room, release };
  }

  #commit(room: StoredRoom, step: RoomStep, prefix: Prefix | null = null): void {
    if (step.frames.length > 0) this.#storage.saveStep(step, prefix);
    this.#settle({ ...room, state: step.state, prefixDigest: prefix?.digest ?? room.prefixDigest }, step);
  }

  /** After a step is written: the platform holds what leaves here until the write is durable. */
  #settle(room: StoredRoom, step: RoomStep): void {
    this.#room = room;
    this.#arm();
    this.#sockets.broadcast(step.frames);
    this.#stopRunners(room);
    for (const ref of step.leases) void this.#handOver(room, ref);
    if (step.records.length === 0) return;
    this.#strategise(room);
    this.#reportTrial(room, step.records);
  }

  /** Tells whoever compares a canary with production how turns ended; a figure that is lost is lost. */
  #reportTrial({ name, setup: { harness }, release: { trial } }: StoredRoom, records: readonly TurnRecord[]): void {
    if (trial === null) return;
    const turns = records
      .filter((record) => record.harness.version === harness.version)
      .flatMap((record) => toWatchedTurn(record) ?? [])
      .map((turn) => ({ ...turn, room: name, arm: trial.arm }));
    if (turns.length === 0) return;
    void this.env.HARNESS_ROLLOUT.getByName(harness.name)
      .noteTurns(trial.id, turns)
      .catch((thrown: unknown) => reportFailure("canary-watch", "internal", thrown));
  }

  /** Asks for a new strategy where one is due: at the end of a turn, so that a quiet room keeps no timer for it. */
  #strategise({ name, setup, policy, state }: StoredRoom): void {
    const progress = { madeAtMs: state.strategy?.atMs ?? null, endedTurns: turnsOf(state.tally), ...this.#asked };
    const dueAtMs = strategyDueAtMs(policy.strategy, progress);
    const nowMs = systemClock.nowMs();
    if (dueAtMs === null || dueAtMs > nowMs) return;
    this.#asked = { ...this.#asked, askedAtMs: nowMs };
    const { config, harness, revision } = setup;
    const lease = { room: name, merchant: config.merchant.id, harness, configRevision: revision };
    void this.#runners()
      .strategise(lease, toStrategyInput(state))
      .catch((thrown: unknown) => reportFailure("strategy", "internal", thrown));
  }

  async #handOver(room: StoredRoom, ref: TurnRef): Promise<void> {
    const turn = findTurn(room.state, ref.turn);
    if (turn === undefined || !isLeased(turn)) return;
    try {
      const runner = await this.#runners().start(toLease(room, turn, this.#mouth));
      this.#running.set(keyOf(ref), { ref, runner });
      // It may have finished, or lost the turn, before this answer came.
      if (this.#room !== null) this.#stopRunners(this.#room);
    } catch (thrown) {
      reportFailure("turn-start", "internal", thrown);
      this.#loseRunner(ref);
    }
  }

  #runners(): Runners["TurnRunner"] {
    // The generated type of `exports` knows this Worker's whole module graph, which a room must not depend on.
    return (this.ctx.exports as unknown as Runners).TurnRunner;
  }

  /** A new configuration is a new prompt: the endpoint reads it before a viewer waits for it. */
  async #warmUp({ name, setup }: StoredRoom): Promise<void> {
    const { config, harness, revision } = setup;
    try {
      await this.#runners().warm({ room: name, merchant: config.merchant.id, harness, configRevision: revision });
    } catch (thrown) {
      reportFailure("warm-up", "internal", thrown);
    }
  }

  /** Tells runners whose turn was taken away; nobody waits for it. */
  #stopRunners({ state }: StoredRoom): void {
    for (const { ref, runner } of this.#running.values()) {
      if (findTurn(state, ref.turn)?.lease?.attempt === ref.attempt) continue;
      this.#running.delete(keyOf(ref));
      void stopRunner(runner);
    }
  }

  /** The runner has finished by itself. */
  #letGo(ref: TurnRef): void {
    this.#running.get(keyOf(ref))?.runner[Symbol.dispose]();
    this.#running.delete(keyOf(ref));
  }

  #loseRunner(ref: TurnRef): void {
    if (this.#room === null) return;
    this.#room = { ...this.#room, state: loseRunner(this.#now(this.#room), ref) };
    this.#arm();
  }

  #refuse(error: SayRefusal, { state }: StoredRoom): SayResult {
    if (error !== "room_changed") return fail(error);
    return { ok: false, error, now: { snapshot: state.snapshot, stateSeq: state.stateSeq } };
  }

  /** A finish that came twice has its first answer; any other late one has lost its lease. No trace: the room ended the turn. */
  #findFinish({ turn, attempt }: TurnRef): SayResult {
    const record = this.#storage.getRecord(turn);
    const isOwn = record?.attempt === attempt && record.trace !== null;
    return record !== null && isOwn ? ok({ spokenCount: record.sentences.length, sayAtMs: null }) : fail("lease_lost");
  }

  #now({ name, state, rules }: StoredRoom): RoomNow {
    this.#mouth.isOpen = this.#sockets.hasVoice();
    return { room: name, state, rules, intake: this.#intake, mouth: this.#mouth, nowMs: systemClock.nowMs() };
  }

  #arm(): void {
    if (this.#room === null) return;
    const freeAtMs = floorFreeAtMs({ intake: this.#intake, mouth: this.#mouth });
    const wakeAtMs = nextWakeAtMs(this.#room.state, freeAtMs);
    if (wakeAtMs !== null) this.#alarm.arm(wakeAtMs, systemClock.nowMs());
  }
}

function sameAs({ setup, state }: StoredRoom): Adopted {
  return { revision: setup.revision, seq: state.lastSeq, hasChanged: false };
}

function keyOf({ turn, attempt }: TurnRef): string {
  return `${turn}/${attempt}`;
}

async function stopRunner(runner: RunningTurn): Promise<void> {
  try {
    await runner.stop();
  } catch {
    // A runner that is gone has stopped.
  } finally {
    runner[Symbol.dispose]();
  }
}

function refuse(code: ErrorCode): Response {
  return Response.json({ code }, { status: ERROR_RULES[code].status });
}
