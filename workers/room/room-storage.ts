/**
 * A room on its object's own disk. Everything here is synchronous: no other event can come between load and save.
 *
 * | table | row | written |
 * | --- | --- | --- |
 * | `log` | number of its first frame → JSON array of the frames of one step | once a step |
 * | `message` | message id → turn and frame number, so that a repeated id is known | once a message |
 * | `turn` | turn id → its record | once, when the turn ends |
 * | `prefix` | digest → stable part of a prompt, and number of the frame that it came with | once a prompt |
 * | `room` | `schema`, `name`, `setup`, `harness`, `policy`, `prefix-digest`, `checkpoint`, `release` | rarely |
 *
 * `log`, `message` and `turn` are one window: what is older than its first frame is gone from all three.
 *
 * No secondary index: each would add a written row to every insert, and rows written are what a room costs.
 */
import { invariant } from "../../shared/core/assert.ts";
import { parseJson } from "../../shared/core/json.ts";
import { utf8Bytes } from "../../shared/core/text.ts";
import { intakePolicySchema, interruptionPolicySchema } from "../../shared/contract/intake-policy.ts";
import type { RoomFrame } from "../../shared/contract/room-frame.ts";
import { type RoomRelease, UNKNOWN_RELEASE } from "../../shared/contract/room-release.ts";
import type { RoomPolicy, RoomSetup } from "../../shared/contract/turn-lease.ts";
import { EMPTY_TALLY, strategyPolicySchema } from "../../shared/contract/strategy.ts";
import type { TurnRecord } from "../../shared/contract/turn-record.ts";
import { serializeRecord } from "./build-turn-record.ts";
import { type OpenTurn, type RoomRules, type RoomState, applyFrame, toRules } from "./room-state.ts";
import type { KnownMessage } from "./admit-messages.ts";
import type { RoomStep } from "./room-draft.ts";
import type { StoredRoom } from "./stored-room.ts";

/**
 * Bytes of one row, UTF-8. The platform takes 2 MB and a local run does not enforce it.
 * Source: https://developers.cloudflare.com/durable-objects/platform/limits/
 */
const ROW_BYTES_MAX = 1_900_000;
/** Log rows that a waking room folds. */
export const CHECKPOINT_ROWS = 64;

/** Prefixes that are kept, the newest ones. A record may outlive the prefix that it names. */
export const PREFIXES_MAX = 50;

export type LogLimits = {
  /** Frames that can be followed from the past, whose messages are known when they come again, and whose turns have a record. */
  readonly framesKept: number;
  /** Frames that are let go of at once: the tables of messages and turns are read whole then. */
  readonly framesTrimmed: number;
  /** Bytes on disk. A room that has more keeps fewer frames than `framesKept`. */
  readonly bytesMax: number;
};

/**
 * About 15,000 turns, and never fewer than 5,000 of any kind of traffic but batches of messages.
 *
 * At 10 GB every write fails, and the room with it. 100,000 frames are 33,000 turns at most (message, start, end), whose
 * records of 10 KB take 0.3 GB, and 3.3 GB if each has the 100 KB of a long one; the frames themselves take 0.1 GB. A record
 * may be 1.9 MB, though: a room of such turns comes to `bytesMax`, where it lets go of old frames sooner. The other half is
 * for what it writes until the next checkpoint and for prefixes: 1 GB if each is as large as its configuration may be.
 * Source: https://developers.cloudflare.com/durable-objects/platform/limits/
 */
const LOG_LIMITS: LogLimits = { framesKept: 100_000, framesTrimmed: 5_000, bytesMax: 5_000_000_000 };

const SCHEMA_VERSION = 2;

/** One entry a version, from the one before. Old rooms are brought forward when they wake; entries never change. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE log (seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, frames TEXT NOT NULL);
   CREATE TABLE message (id TEXT PRIMARY KEY, turn TEXT NOT NULL, seq INTEGER NOT NULL) WITHOUT ROWID;
   CREATE TABLE turn (id TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE prefix (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE room (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;`,
  `ALTER TABLE prefix RENAME TO prefix_1;
   CREATE TABLE prefix (key TEXT PRIMARY KEY, seq INTEGER NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
   INSERT INTO prefix SELECT key, 0, value FROM prefix_1;
   DROP TABLE prefix_1;`,
];

export type Prefix = { readonly digest: string; readonly text: string };

export class RoomStorage {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #limits: LogLimits;
  #rowsSinceCheckpoint = 0;
  #rowsWritten = 0;
  #firstSeq = 1;

  constructor(storage: DurableObjectStorage, limits: LogLimits = LOG_LIMITS) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#limits = limits;
  }

  /** The room as it was left, or `null` if it was never configured: then nothing at all is on disk. */
  load(): StoredRoom | null {
    if (this.#sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'room'").toArray().length === 0) return null;
    this.#storage.transactionSync(() => this.#migrate(Number(this.#read("room", "schema"))));
    const name = this.#read("room", "name");
    const setup = { ...readOwn<RoomSetup>(this.#read("room", "setup")), ...readHarness(this.#read("room", "harness")) };
    const policy = readPolicy(this.#read("room", "policy"));
    invariant(name !== null, "a room that exists has a name");
    const rules = toRules(setup, policy);
    return {
      name,
      setup,
      policy,
      rules,
      state: this.#replay(rules),
      prefixDigest: this.#read("room", "prefix-digest"),
      release: readRelease(this.#read("room", "release")),
    };
  }

  /** Writes what the room knows of releases, where nothing else has changed. */
  saveRelease(release: RoomRelease): void {
    this.#storage.transactionSync(() => this.#write("release", JSON.stringify(release)));
  }

  /**
   * Writes a first or another configuration, with the step that announces it; of what is as `before`, nothing. A release comes to
   * every room in the same second, and most rooms' rules are those that they had.
   */
  saveConfig({ name, setup, policy, release }: StoredRoom, step: RoomStep, before: StoredRoom | null = null): void {
    const { config, ...harness } = setup;
    const hasOtherConfig = config !== before?.setup.config;
    const hasOtherPolicy = JSON.stringify(policy) !== JSON.stringify(before?.policy);
    this.#storage.transactionSync(() => {
      if (setup.revision === 1) this.#migrate(0);
      if (before === null) this.#write("name", name);
      if (hasOtherConfig) this.#write("setup", JSON.stringify(setup));
      this.#write("harness", JSON.stringify(harness));
      if (hasOtherPolicy) this.#write("policy", JSON.stringify(policy));
      this.#write("release", JSON.stringify(release));
      this.#insertStep(step);
      // Frames fold under the rules of their time: the log before this step must never be folded under others.
      if (hasOtherPolicy || hasOtherConfig) this.#checkpoint(step.state);
    });
  }

  /** Writes a step as a whole, or throws and leaves everything as it was. */
  saveStep(step: RoomStep, prefix: Prefix | null = null): void {
    this.#storage.transactionSync(() => {
      this.#insertStep(step);
      if (prefix !== null) {
        this.#writePrefix(prefix, step.state.lastSeq);
        this.#write("prefix-digest", prefix.digest);
      }
      if (this.#rowsSinceCheckpoint >= CHECKPOINT_ROWS) {
        this.#checkpoint(step.state);
        this.#trim(step.state.lastSeq);
      }
    });
  }

  findMessages(ids: readonly string[]): ReadonlyMap<string, KnownMessage> {
    const known = new Map<string, KnownMessage>();
    for (const id of ids) {
      const rows = this.#sql.exec<KnownMessage>("SELECT turn, seq FROM message WHERE id = ?", id);
      for (const { turn, seq } of rows) known.set(id, { turn, seq });
    }
    return known;
  }

  getRecord(turn: string): TurnRecord | null {
    const row = this.#sql.exec<{ record: string }>("SELECT record FROM turn WHERE id = ?", turn).toArray()[0];
    return row === undefined ? null : readOwn<TurnRecord>(row.record);
  }

  getPrefix(digest: string): string | null {
    return this.#read("prefix", digest);
  }

  /** Rows written since the object woke: what a room costs is mostly these. */
  get rowsWritten(): number {
    return this.#rowsWritten;
  }

  /** Number of the oldest frame that is kept. */
  firstSeq(): number {
    return this.#firstSeq;
  }

  /** Frames after number `after`, oldest first, read as they are taken. */
  *framesAfter(after: number): Generator<RoomFrame> {
    const rows = this.#sql.exec<{ frames: string }>(
      "SELECT frames FROM log WHERE seq >= (SELECT coalesce(max(seq), 0) FROM log WHERE seq <= ?) ORDER BY seq",
      after + 1,
    );
    for (const row of rows) {
      for (const frame of readOwn<RoomFrame[]>(row.frames)) if (frame.seq > after) yield frame;
    }
  }

  #migrate(from: number): void {
    if (from === SCHEMA_VERSION) return;
    invariant(from < SCHEMA_VERSION, "a room is never opened by older code than wrote it");
    for (const statements of MIGRATIONS.slice(from)) this.#sql.exec(statements);
    this.#write("schema", String(SCHEMA_VERSION));
  }

  #replay(rules: RoomRules): RoomState {
    let state = readCheckpoint(this.#read("room", "checkpoint"));
    const rows = this.#sql.exec<{ frames: string }>("SELECT frames FROM log WHERE seq > ? ORDER BY seq", state.lastSeq);
    for (const row of rows) {
      this.#rowsSinceCheckpoint += 1;
      for (const frame of readOwn<RoomFrame[]>(row.frames)) state = applyFrame(state, frame, rules);
    }
    this.#firstSeq = this.#sql.exec<{ seq: number }>("SELECT coalesce(min(seq), 1) AS seq FROM log").one().seq;
    return state;
  }

  #insertStep({ frames, records }: RoomStep): void {
    this.#insertFrames(frames);
    for (const frame of frames) {
      if (frame.type !== "message") continue;
      this.#execWrite("INSERT INTO message (id, turn, seq) VALUES (?, ?, ?)", frame.message.id, frame.turn, frame.seq);
    }
    for (const record of records) {
      const text = serializeRecord(record, ROW_BYTES_MAX);
      this.#execWrite("INSERT INTO turn (id, record) VALUES (?, ?)", record.turn, text);
    }
  }

  /** One row, or as few as hold the frames. */
  #insertFrames(frames: readonly RoomFrame[]): void {
    const first = frames[0];
    if (first === undefined) return;
    const text = JSON.stringify(frames);
    if (text.length * 3 > ROW_BYTES_MAX && utf8Bytes(text) > ROW_BYTES_MAX) {
      invariant(frames.length > 1, "one frame fits into a row");
      const half = Math.ceil(frames.length / 2);
      this.#insertFrames(frames.slice(0, half));
      this.#insertFrames(frames.slice(half));
      return;
    }
    this.#execWrite("INSERT INTO log (seq, at_ms, frames) VALUES (?, ?, ?)", first.seq, first.atMs, text);
    this.#rowsSinceCheckpoint += 1;
  }

  #checkpoint(state: RoomState): void {
    this.#write("checkpoint", JSON.stringify(state));
    this.#rowsSinceCheckpoint = 0;
  }

  /** Runs after a checkpoint, so that no row is lost which a waking room folds. Rows go whole, and the last one stays. */
  #trim(lastSeq: number): void {
    const { framesKept, framesTrimmed, bytesMax } = this.#limits;
    const isFull = this.#sql.databaseSize > bytesMax;
    const frameCount = Math.max(lastSeq - framesKept + 1 - this.#firstSeq, isFull ? framesTrimmed : 0);
    if (frameCount < framesTrimmed) return;
    const cutSeq = this.#firstSeq + frameCount;
    this.#execWrite("DELETE FROM log WHERE seq < (SELECT max(seq) FROM log WHERE seq <= ?)", cutSeq);
    this.#firstSeq = this.#sql.exec<{ seq: number }>("SELECT min(seq) AS seq FROM log").one().seq;
    this.#execWrite("DELETE FROM message WHERE seq < ?", this.#firstSeq);
    // A turn's id has its message's number. As a condition on numbers it reads ids alone: some 20 ms of a whole window.
    this.#execWrite("DELETE FROM turn WHERE CAST(substr(id, 2) AS INTEGER) < ?", this.#firstSeq);
    // A prefix is named by no turn that came after the next prefix. The one in force at the first frame stays.
    this.#execWrite("DELETE FROM prefix WHERE seq < (SELECT max(seq) FROM prefix WHERE seq <= ?)", this.#firstSeq);
  }

  /** Runs a statement that writes, and counts what the platform bills for it. */
  #execWrite(statement: string, ...values: readonly (string | number)[]): number {
    const { rowsWritten } = this.#sql.exec(statement, ...values);
    this.#rowsWritten += rowsWritten;
    return rowsWritten;
  }

  #read(table: "room" | "prefix", key: string): string | null {
    let text: string | null = null;
    for (let part = 0; ; part += 1) {
      const name = partKey(key, part);
      const row = this.#sql.exec<{ value: string }>(`SELECT value FROM ${table} WHERE key = ?`, name).toArray()[0];
      if (row === undefined) return text;
      text = (text ?? "") + row.value;
    }
  }

  /** Writes a text of any length, in as many rows as it takes. */
  #write(key: string, text: string): void {
    const parts = splitText(text);
    for (const [part, value] of parts.entries()) {
      this.#execWrite("INSERT OR REPLACE INTO room (key, value) VALUES (?, ?)", partKey(key, part), value);
    }
    for (let part = parts.length; ; part += 1) {
      if (this.#execWrite("DELETE FROM room WHERE key = ?", partKey(key, part)) === 0) return;
    }
  }

  /** Writes a prefix as the newest one. The same digest has the same parts, so none of them can be left over. */
  #writePrefix({ digest, text }: Prefix, seq: number): void {
    for (const [part, value] of splitText(text).entries()) {
      const row = [partKey(digest, part), seq, value];
      this.#execWrite("INSERT OR REPLACE INTO prefix (key, seq, value) VALUES (?, ?, ?)", ...row);
    }
    const newest = "SELECT DISTINCT seq FROM prefix ORDER BY seq DESC LIMIT ?";
    this.#execWrite(`DELETE FROM prefix WHERE seq < (SELECT min(seq) FROM (${newest}))`, PREFIXES_MAX);
  }
}

/** UTF-16 units of one part: three bytes of UTF-8 each at most. */
const PART_CHARS_MAX = 600_000;

/** The text in parts that each fit into a row. None ends inside a character, which UTF-8 could not store. */
export function splitText(text: string, charsMax: number = PART_CHARS_MAX): string[] {
  const parts: string[] = [];
  let start = 0;
  while (text.length - start > charsMax) {
    const endsInside = isHighSurrogate(text.charCodeAt(start + charsMax - 1));
    const end = start + charsMax - (endsInside ? 1 : 0);
    parts.push(text.slice(start, end));
    start = end;
  }
  return [...parts, text.slice(start)];
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Part 0 has the key itself. No key has a `#` of its own. */
function partKey(key: string, part: number): string {
  return part === 0 ? key : `${key}#${part}`;
}

/** Reads what this file wrote. It was typed when it was written, and `schema` says in which shape. */
function readOwn<Value>(text: string | null): Value {
  const value = text === null ? undefined : parseJson(text);
  invariant(value !== undefined, "what the room stored can be read");
  return value as Value;
}

/** What of the setup changes with a release. Rooms from before keep it with the configuration. */
function readHarness(text: string | null): Partial<RoomSetup> {
  return text === null ? {} : readOwn<Omit<RoomSetup, "config">>(text);
}

function readRelease(text: string | null): RoomRelease {
  return text === null ? UNKNOWN_RELEASE : readOwn<RoomRelease>(text);
}

/** A policy as this version knows it. Rooms from before there was an order of messages have two of its numbers. */
function readPolicy(text: string | null): RoomPolicy {
  const stored = readOwn<RoomPolicy | OldPolicy>(text);
  const strategy = strategyPolicySchema.parse("strategy" in stored ? stored.strategy : {});
  if ("intake" in stored) return { ...stored, strategy };
  const { ttlMs, backlogMax, ...kept } = stored;
  return {
    ...kept,
    strategy,
    intake: intakePolicySchema.parse({ ttlMs, backlogMax }),
    interruption: interruptionPolicySchema.parse({}),
  };
}

type OldPolicy = Omit<RoomPolicy, "intake" | "interruption" | "strategy"> & {
  readonly ttlMs: number;
  readonly backlogMax: number;
};

/** Turns from before messages were merged answer one message, and were never interrupted. */
function readCheckpoint(text: string | null): RoomState {
  const { turns, ...state } = readOwn<RoomState>(text);
  return { ...OLD_STATE, ...state, turns: turns.map(toPresentTurn) };
}

function toPresentTurn(turn: OpenTurn): OpenTurn {
  const lease = turn.lease === null ? null : { ...turn.lease, stateSeq: turn.lease.stateSeq ?? 0 };
  const waitsUntilMs = turn.waitsUntilMs ?? turn.acceptedAtMs + OLD_TTL_MS;
  return { ...OLD_TURN, ...turn, askers: turn.askers ?? turn.messages.length, waitsUntilMs, lease };
}

const OLD_STATE = { stateSeq: 0, strategy: null, tally: EMPTY_TALLY };
/** How long messages waited in every harness of that time. */
const OLD_TTL_MS = 30_000;
const OLD_TURN = { priority: null, attemptsBefore: 0, onScreenProductId: null };
