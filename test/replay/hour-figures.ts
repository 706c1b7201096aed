/** What became of a replayed hour, in figures. */
import type { Intent } from "../../shared/contract/intake-policy.ts";
import type { RoomFrame } from "../../shared/contract/room-frame.ts";
import type { TurnRecord } from "../../shared/contract/turn-record.ts";
import { readIntents } from "../../shared/intake/read-intents.ts";
import { readForScore, scoreStanding } from "../../shared/intake/score-turn.ts";
import { percentile } from "../bench/statistics.ts";
import type { Replay } from "./replay-hour.ts";
import { type Judgement, judgeSaid, judgeVoiced } from "./stale-judge.ts";

/** Of some times in ms. */
export type Spread = { readonly count: number; readonly p50: number; readonly p95: number; readonly max: number };
export type Waits = Spread & { readonly expired: number };

export type HourFigures = {
  /** Messages that were posted, by kind. */
  readonly messages: Readonly<Record<string, number>>;
  /** `queued`, `merged`, `duplicate`, and `dropped` by reason. */
  readonly dispositions: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Messages whose turns ended so, those included that were merged. */
  readonly askersByOutcome: Readonly<Record<string, number>>;
  readonly reasons: Readonly<Record<string, number>>;
  /** From acceptance to the floor, by the points that a turn had for anything but waiting. */
  readonly waitsByPoints: Readonly<Record<string, Waits>>;
  readonly waitsByIntent: Readonly<Record<string, Waits>>;
  /** Turns that spoke of 这款, and those of them where a question was asked while another product was on screen. */
  readonly pointing: { readonly turns: number; readonly askedOfAnother: number };
  readonly askersPerAnswer: Spread & { readonly mean: number };
  /** To the first sentence, from the acceptance of the question and from the floor; and to its first sound, from the floor. */
  readonly firstSentence: { readonly accepted: Spread; readonly floor: Spread; readonly sound: Spread };
  readonly stale: { readonly said: StaleFigures; readonly voiced: StaleFigures };
  readonly fillers: { readonly used: number; readonly inARow: number };
  readonly interrupts: Readonly<Record<string, InterruptFigures>>;
  /** Interruptions of a turn that the voice was speaking, and those where the room knew how many sentences had begun to sound. */
  readonly heard: { readonly told: number; readonly right: number };
  /** Messages of expired turns that had not yet waited as long as they themselves may. */
  readonly expiredEarly: number;
  /** Turns that count as answered, and no sentence of an answer was said. */
  readonly answeredWithoutAnswer: number;
  readonly voice: { readonly busyShare: number; readonly gaps: Spread };
  readonly idleAlarms: number;
  readonly bugs: number;
};

export type StaleFigures = { readonly [Kind in "sentences" | "price" | "stock" | "onScreen" | "pointsAway"]: number };
/** `frames`: a turn may be told several times that it has lost the floor. `resumed`: it waited again; `answered` then. */
export type InterruptFigures = { readonly [Figure in "frames" | "turns" | "resumed" | "answered"]: number };

export function figuresOf(replay: Replay): HourFigures {
  const { config, script, frames, records, dispositions, voiced, idleAlarmsCount, bugs } = replay;
  const answers = records.filter(({ outcome }) => outcome === "answered");
  const askers = answers.map((record) => record.askers ?? 1);
  return {
    messages: countBy(script.flatMap((event) => (event.type === "message" ? [event.kind] : []))),
    dispositions: countBy(dispositions.map(({ disposition, reason }) => reason ?? disposition)),
    outcomes: countBy(records.map(({ outcome }) => outcome)),
    askersByOutcome: countBy(
      records.flatMap(({ outcome, askers: count = 1 }) => Array.from({ length: count }, () => outcome)),
    ),
    reasons: countBy(records.flatMap(({ outcome, reason }) => (reason === null ? [] : [`${outcome}: ${reason}`]))),
    waitsByPoints: waitsBy(records, createBandOf(replay)),
    waitsByIntent: waitsBy(records, intentOf),
    pointing: pointingOf(frames),
    askersPerAnswer: { ...spreadOf(askers), mean: sum(askers) / Math.max(1, askers.length) },
    firstSentence: firstSentences(replay),
    stale: { said: toStale(judgeSaid(config, frames)), voiced: toStale(judgeVoiced(config, frames, voiced)) },
    fillers: fillersOf(frames),
    interrupts: interruptsOf(frames, records),
    heard: heardOf(replay),
    expiredEarly: expiredEarly(replay),
    answeredWithoutAnswer: answers.filter(({ sentences }) => sentences.every(({ kind }) => kind !== "answer")).length,
    voice: voiceOf(replay),
    idleAlarms: idleAlarmsCount,
    bugs: bugs.length,
  };
}

function spreadOf(figures: readonly number[]): Spread {
  const at = (share: number) => (figures.length === 0 ? 0 : percentile(figures, share));
  return { count: figures.length, p50: at(0.5), p95: at(0.95), max: at(1) };
}

/** Turns of one kind: those that got the floor, by how long they waited for it, and those that never did. */
function waitsBy(records: readonly TurnRecord[], kindOf: (record: TurnRecord) => string): Record<string, Waits> {
  const kinds = Map.groupBy(records, kindOf);
  return Object.fromEntries(
    [...kinds]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([kind, turns]) => {
        const served = turns.filter(({ priority }) => priority !== undefined);
        const waits = spreadOf(served.map(({ timings }) => timings.waitedMs));
        return [kind, { ...waits, expired: turns.filter(({ outcome }) => outcome === "expired").length }];
      }),
  );
}

/**
 * Bands of the points that do not come from waiting. A turn that never had the floor gets those that it would have had for
 * its messages, with nothing of the screen counted.
 */
function createBandOf({ config, priority: policy }: Replay): (record: TurnRecord) => string {
  const offScreen = { onScreen: null, otherNames: [] };
  const standingOf = ({ priority, messages, askers = 1 }: TurnRecord) => {
    if (priority !== undefined) {
      return sum(priority.parts.filter(({ name }) => name !== "waited").map(({ points }) => points));
    }
    const read = messages.map((message) => readForScore(message, offScreen));
    return scoreStanding(policy, { messages: read, askers: askers - 1, merchant: config.merchant.id }).points;
  };
  return (record) => {
    const floor = Math.max(
      -BAND_POINTS,
      Math.min(BANDS_END, Math.floor(standingOf(record) / BAND_POINTS) * BAND_POINTS),
    );
    if (floor < 0) return "below 0";
    return floor === BANDS_END ? `${floor} and more` : `${String(floor).padStart(2, "0")} to ${floor + BAND_POINTS}`;
  };
}

const BAND_POINTS = 15;
const BANDS_END = 60;

function intentOf({ messages }: TurnRecord): Intent | "none" {
  return readIntents(messages[0]?.text ?? "")[0] ?? "none";
}

function firstSentences({ frames, records, voiced }: Replay): HourFigures["firstSentence"] {
  const floorAtMs = new Map<string, number>();
  const floor: number[] = [];
  const sound: number[] = [];
  const soundAtMs = new Map(voiced.map(({ frameSeq, beganAtMs }) => [frameSeq, beganAtMs]));
  for (const frame of frames) {
    if (frame.type === "turn-start") floorAtMs.set(frame.turn, frame.atMs);
    if (frame.type !== "sentence") continue;
    const fromMs = floorAtMs.get(frame.turn);
    floorAtMs.delete(frame.turn);
    if (fromMs === undefined) continue;
    floor.push(frame.atMs - fromMs);
    const beganAtMs = soundAtMs.get(frame.seq);
    if (beganAtMs !== undefined) sound.push(beganAtMs - fromMs);
  }
  const accepted = records.flatMap(({ timings }) => timings.firstSentenceMs ?? []);
  return { accepted: spreadOf(accepted), floor: spreadOf(floor), sound: spreadOf(sound) };
}

function toStale({ sentences, stale, pointsAway }: Judgement): StaleFigures {
  const count = (kind: string) => stale.filter((sentence) => sentence.kind === kind).length;
  return { sentences, price: count("price"), stock: count("stock"), onScreen: count("on-screen"), pointsAway };
}

/** In a row: no other word of the host's between two of them. */
export function fillersOf(frames: readonly RoomFrame[]): HourFigures["fillers"] {
  const kinds = frames.flatMap((frame) => (frame.type === "sentence" ? [frame.sentence.kind] : []));
  const used = kinds.filter((kind) => kind === "filler").length;
  return { used, inARow: kinds.filter((kind, index) => kind === "filler" && kinds[index - 1] === "filler").length };
}

function interruptsOf(
  frames: readonly RoomFrame[],
  records: readonly TurnRecord[],
): Readonly<Record<string, InterruptFigures>> {
  const interrupts = frames.filter((frame) => frame.type === "interrupt");
  const answered = new Set(records.filter(({ outcome }) => outcome === "answered").map(({ turn }) => turn));
  return Object.fromEntries(
    [...Map.groupBy(interrupts, ({ cause }) => cause)].map(([cause, all]) => {
      const resumed = all.filter(({ resumes }) => resumes);
      return [
        cause,
        {
          frames: all.length,
          turns: new Set(all.map(({ turn }) => turn)).size,
          resumed: resumed.length,
          answered: resumed.filter(({ turn }) => answered.has(turn)).length,
        },
      ];
    }),
  );
}

/** What began to sound before the voice could know of the interruption was heard. */
function heardOf({ frames, voiced }: Replay): HourFigures["heard"] {
  const told = frames.flatMap((frame) => (frame.type === "interrupt" && frame.heard !== undefined ? [frame] : []));
  const right = told.filter(({ turn, atMs, heard }) => {
    const begun = voiced.filter((one) => one.turn === turn && one.beganAtMs <= atMs);
    return (begun.at(-1)?.seq ?? -1) + 1 === heard?.sentences;
  });
  return { told: told.length, right: right.length };
}

/** Whoever asked "how much is this one" asked about what they saw. */
function pointingOf(frames: readonly RoomFrame[]): HourFigures["pointing"] {
  let onScreen: string | null = null;
  const asked = new Map<string, Set<string | null>>();
  const begun = new Map<string, string | null>();
  const pointing = new Set<string>();
  for (const frame of frames) {
    if (frame.type === "state") onScreen = frame.patch.onScreenProductId ?? onScreen;
    if (frame.type === "message") asked.set(frame.turn, (asked.get(frame.turn) ?? new Set()).add(onScreen));
    if (frame.type === "turn-start") begun.set(frame.turn, onScreen);
    if (frame.type === "sentence" && frame.sentence.text.includes("这款")) pointing.add(frame.turn);
  }
  const ofAnother = [...pointing].filter((turn) => [...(asked.get(turn) ?? [])].some((id) => id !== begun.get(turn)));
  return { turns: pointing.size, askedOfAnother: ofAnother.length };
}

function expiredEarly({ frames, ttlMs }: Replay): number {
  const comers = new Map<string, number[]>();
  let count = 0;
  for (const frame of frames) {
    if (frame.type === "message") {
      const expiresAtMs = frame.atMs + (frame.message.ttlMs ?? ttlMs);
      comers.set(frame.turn, [...(comers.get(frame.turn) ?? []), expiresAtMs]);
    }
    if (frame.type !== "turn-end" || frame.outcome !== "expired") continue;
    count += (comers.get(frame.turn) ?? []).filter((expiresAtMs) => expiresAtMs > frame.atMs).length;
  }
  return count;
}

function voiceOf({ voiced, script }: Replay): HourFigures["voice"] {
  const [first, last] = [script[0], script.at(-1)];
  const lengthMs = (last?.atMs ?? 0) - (first?.atMs ?? 0);
  const gaps = voiced.slice(1).map(({ beganAtMs }, index) => beganAtMs - (voiced[index]?.endedAtMs ?? beganAtMs));
  const busyMs = sum(voiced.map(({ beganAtMs, endedAtMs }) => endedAtMs - beganAtMs));
  return { busyShare: lengthMs === 0 ? 0 : busyMs / lengthMs, gaps: spreadOf(gaps) };
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a));
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}
