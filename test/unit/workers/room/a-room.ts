/** A configured room and a clock for pure decisions. A test names only the field that it is about. */
import type { z } from "zod";
import { strategyPolicySchema } from "../../../../shared/contract/strategy.ts";
import { intakePolicySchema, interruptionPolicySchema } from "../../../../shared/contract/intake-policy.ts";
import type { ViewerMessage } from "../../../../shared/contract/message.ts";
import type { RoomFrame } from "../../../../shared/contract/room-frame.ts";
import { type RoomRelease, UNKNOWN_RELEASE } from "../../../../shared/contract/room-release.ts";
import type { Sentence } from "../../../../shared/contract/sentence.ts";
import type { FinishRequest, RoomPolicy } from "../../../../shared/contract/turn-lease.ts";
import type { TurnTrace } from "../../../../shared/contract/turn-record.ts";
import { EMPTY_ROOM, type RoomState, applyFrame, toRules } from "../../../../workers/room/room-state.ts";
import { Mouth } from "../../../../workers/room/mouth.ts";
import { RoomIntake } from "../../../../workers/room/room-intake.ts";
import type { RoomNow, RoomStep } from "../../../../workers/room/room-draft.ts";
import { admitMessages } from "../../../../workers/room/admit-messages.ts";
import { type LeasingRoom, changeConfig } from "../../../../workers/room/room-step.ts";
import { aProduct, aRoomConfig, aSetup } from "../../../helpers/rooms.ts";

/** Knows whatever has changed in a room. */
export const NEWEST = 1_000_000;

export const START_MS = 1_700_000_000_000;

/** Messages of these tests are alike and are not merged, unless a test says so. */
export const aPolicy = ({ intake = {}, interruption = {}, ...fields }: PolicyFields = {}): RoomPolicy => ({
  deadlineMs: 8_000,
  intake: intakePolicySchema.parse({ backlogMax: 3, merges: false, ...intake }),
  interruption: interruptionPolicySchema.parse(interruption),
  strategy: strategyPolicySchema.parse({}),
  fallback: { text: "稍等，我请同事看一下。", speech: "稍等，我请同事看一下。" },
  ...fields,
});

export type PolicyFields = Partial<Omit<RoomPolicy, "intake" | "interruption">> & {
  readonly intake?: z.input<typeof intakePolicySchema>;
  readonly interruption?: z.input<typeof interruptionPolicySchema>;
};

const TWO_PRODUCTS = [
  aProduct(),
  aProduct({ id: "p2", link: 2, name: "真丝睡衣", skus: [{ id: "p2-s", specs: ["S"], priceCents: 45900, stock: 3 }] }),
];

/** What a lease says of the room itself, from `room`'s state. */
export const aLeasing = ({ state }: RoomNow, release: Partial<RoomRelease> = {}): LeasingRoom => ({
  name: "room-1",
  setup: aSetup(),
  prefixDigest: null,
  release: { ...UNKNOWN_RELEASE, ...release },
  state,
});

export const HARNESS = { name: "live-host", version: "a".repeat(64) };

/** A room that took its configuration at {@link START_MS}; its next frame is number 2. */
export function aRoom(policy: PolicyFields = {}): RoomNow {
  const setup = aSetup({ config: aRoomConfig({ products: TWO_PRODUCTS }) });
  const rules = toRules(setup, aPolicy(policy));
  const memory = { intake: new RoomIntake(), mouth: new Mouth() };
  const now = { room: "room-1", state: EMPTY_ROOM, rules, ...memory, nowMs: START_MS };
  return { ...now, state: changeConfig(now, { revision: 1, harness: HARNESS, changesFacts: false }).state };
}

/** The room after a step, some time later. */
export function after(now: RoomNow, step: RoomStep, elapsedMs = 0): RoomNow {
  return { ...now, state: step.state, nowMs: now.nowMs + elapsedMs };
}

export const later = (now: RoomNow, elapsedMs: number): RoomNow => ({ ...now, nowMs: now.nowMs + elapsedMs });

export const aMessage = (id: string, text = "1号链接多少钱"): ViewerMessage => ({ id, text });

export const aSentence = (seq: number, text = "这款三十九块九。"): Sentence => ({
  seq,
  text,
  speech: text,
  kind: "answer",
});

export function post(now: RoomNow, ...ids: readonly string[]): RoomStep {
  return admitMessages(
    now,
    ids.map((id) => aMessage(id)),
    new Map(),
  ).step;
}

export const aTrace = (fields: Partial<TurnTrace> = {}): TurnTrace => ({
  prefixDigest: "d".repeat(64),
  configRevision: 1,
  turnPrompt: "请回答。",
  continuation: [],
  model: { endpoint: "offline", model: "offline" },
  steps: [],
  hooks: [],
  hookRuns: 0,
  ...fields,
});

export const aFinish = (fields: Partial<FinishRequest> = {}): FinishRequest => ({
  turn: "t2",
  attempt: 1,
  sentences: [],
  stateSeq: NEWEST,
  outcome: "answered",
  reason: null,
  trace: aTrace(),
  prefix: null,
  ...fields,
});

export const typesOf = (frames: readonly RoomFrame[]): string[] => frames.map(({ type }) => type);

export function spokenIn(frames: readonly RoomFrame[]): string[] {
  return frames.flatMap((frame) => (frame.type === "sentence" ? [`${frame.turn}/${frame.sentence.seq}`] : []));
}

export function endsIn(frames: readonly RoomFrame[]) {
  return frames.flatMap((frame) =>
    frame.type === "turn-end" ? [{ turn: frame.turn, outcome: frame.outcome, reason: frame.reason }] : [],
  );
}

export function fold(state: RoomState, frames: readonly RoomFrame[], now: RoomNow): RoomState {
  return frames.reduce((folded, frame) => applyFrame(folded, frame, now.rules), state);
}
