/** A live room in workerd, under a clock that the tests move. A test names only the field that it is about. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";
import type { z } from "zod";
import { intakePolicySchema, interruptionPolicySchema } from "../../../shared/contract/intake-policy.ts";
import { strategyPolicySchema } from "../../../shared/contract/strategy.ts";
import type { RoomFrame } from "../../../shared/contract/room-frame.ts";
import type { FinishRequest, RoomPolicy } from "../../../shared/contract/turn-lease.ts";
import type { LiveRoom } from "../../../workers/room/live-room.ts";
import { RoomStorage } from "../../../workers/room/room-storage.ts";
import { aProduct, aRoomConfig } from "../../helpers/rooms.ts";
import { NEWEST, aTrace } from "../../unit/workers/room/a-room.ts";

export type RoomStub = DurableObjectStub<LiveRoom>;

export const HARNESS = { name: "live-host", version: "a".repeat(64) };
/** Deadline and grace of {@link aPolicy}. */
export const LEASE_MS = 10_000;

/** A day ahead of the real clock: alarms are set, but none goes off before a test runs it. */
const AHEAD_MS = 86_400_000;

/** Messages of these tests are alike and are not merged, unless a test says so. */
export const aPolicy = ({ intake = {}, interruption = {}, ...fields }: PolicyFields = {}): RoomPolicy => ({
  deadlineMs: 8_000,
  intake: intakePolicySchema.parse({ backlogMax: 5, merges: false, ...intake }),
  interruption: interruptionPolicySchema.parse(interruption),
  strategy: strategyPolicySchema.parse({}),
  fallback: { text: "稍等，我请同事看一下。", speech: "稍等，我请同事看一下。" },
  ...fields,
});

export type PolicyFields = Partial<Omit<RoomPolicy, "intake" | "interruption">> & {
  readonly intake?: z.input<typeof intakePolicySchema>;
  readonly interruption?: z.input<typeof interruptionPolicySchema>;
};

export const aSetup = (fields: { title?: string; sessionContext?: string[] } = {}) => ({
  config: aRoomConfig({ title: fields.title ?? "测试直播间", products: [aProduct(), aProduct2()] }),
  harness: HARNESS,
  sessionContext: fields.sessionContext ?? [],
});

function aProduct2() {
  const skus = [{ id: "p2-s", specs: ["S"], priceCents: 45900, stock: 3 }];
  return aProduct({ id: "p2", link: 2, name: "真丝睡衣", skus });
}

export const aFinish = (turn: string, fields: Partial<FinishRequest> = {}): FinishRequest => ({
  turn,
  attempt: 1,
  sentences: [],
  stateSeq: NEWEST,
  outcome: "answered",
  reason: null,
  trace: aTrace(),
  prefix: null,
  ...fields,
});

/** Lets every test of the file choose the time. */
export function useRoomClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + AHEAD_MS });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

export function advanceMs(elapsedMs: number): void {
  vi.setSystemTime(Date.now() + elapsedMs);
}

/** Waits as long as it needs, and runs the room's alarm. */
export async function runAlarmAfter(room: RoomStub, elapsedMs: number): Promise<boolean> {
  advanceMs(elapsedMs);
  return runDurableObjectAlarm(room);
}

/** A room of its own for each test; its first frame is the configuration. */
export async function openRoom(policy: PolicyFields = {}): Promise<{ room: RoomStub; name: string }> {
  const name = crypto.randomUUID();
  const room = env.LIVE_ROOM.getByName(name);
  const configured = await room.configure({ setup: aSetup(), policy: aPolicy(policy) });
  if (!configured.ok) throw new Error(configured.error);
  return { room, name };
}

/** Runs inside the object, as one of its own events. */
export function inRoom<R>(
  room: RoomStub,
  act: (instance: LiveRoom, state: DurableObjectState) => R | Promise<R>,
): Promise<R> {
  return runInDurableObject<LiveRoom, R>(room, act);
}

/** What is on disk, read without the object's help. */
export function readFrames(room: RoomStub): Promise<RoomFrame[]> {
  return inRoom(room, (_, state) => [...new RoomStorage(state.storage).framesAfter(0)]);
}

export async function readTypes(room: RoomStub): Promise<string[]> {
  return (await readFrames(room)).map(({ type }) => type);
}

export async function readSpoken(room: RoomStub): Promise<string[]> {
  const frames = await readFrames(room);
  return frames.flatMap((frame) => (frame.type === "sentence" ? [`${frame.turn}/${frame.sentence.seq}`] : []));
}

export async function readEnds(room: RoomStub) {
  const frames = await readFrames(room);
  return frames.flatMap((frame) =>
    frame.type === "turn-end" ? [{ turn: frame.turn, outcome: frame.outcome, reason: frame.reason }] : [],
  );
}
