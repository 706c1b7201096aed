/** What the figures say about the two targets, in words that fall short where the figures do. */
import { PROMPT_MS_MAX, type LoadSummary } from "./summary.ts";

/** Largest growth of the p95 of admitted turns, over that of the lightest load, until capacity is used up. */
const GROWTH_MAX = 1.3;
/** Least share of the peak that is still done under a load of {@link OVERLOAD} times the peak. */
const GOODPUT_SHARE_MIN = 0.9;
const OVERLOAD = 2;

export type Cell = { readonly rooms: number } & Pick<
  LoadSummary,
  "offeredPerS" | "goodputPerS" | "promptPerS" | "firstSentenceMs" | "turnMs" | "ownTurnMs"
>;

export type Overload = {
  readonly rooms: number;
  readonly peakPerS: number;
  /** Offered load, in peaks. */
  readonly load: number;
  /** Goodput, in peaks. */
  readonly share: number;
  /** Turns whose viewer did not wait long, in peaks of these. */
  readonly promptShare: number;
};

/** Goodput under the smallest load that is an overload; `null` when none was. */
export function findOverload(cells: readonly Cell[]): Overload | null {
  const peakPerS = Math.max(0, ...cells.map(({ goodputPerS }) => goodputPerS));
  const [first] = cells
    .filter(({ offeredPerS }) => peakPerS > 0 && offeredPerS >= OVERLOAD * peakPerS)
    .toSorted((a, b) => a.offeredPerS - b.offeredPerS);
  if (first === undefined) return null;
  return {
    rooms: first.rooms,
    peakPerS,
    load: first.offeredPerS / peakPerS,
    share: first.goodputPerS / peakPerS,
    promptShare: first.promptPerS / Math.max(...cells.map(({ promptPerS }) => promptPerS)),
  };
}

export type Growth = {
  readonly rooms: number;
  readonly firstSentence: number;
  readonly turn: number;
  /** Without the wait for earlier turns of the same room. */
  readonly ownTurn: number;
  /** The load is above the peak: the target is about loads below. */
  readonly isBeyondCapacity: boolean;
};

/** How the p95 grows, over that of the fewest rooms. */
export function growthOf(cells: readonly Cell[]): Growth[] {
  const [light, ...heavier] = cells.toSorted((a, b) => a.rooms - b.rooms);
  if (light === undefined) return [];
  const peakPerS = Math.max(...cells.map(({ goodputPerS }) => goodputPerS));
  return heavier.map((cell) => ({
    rooms: cell.rooms,
    firstSentence: cell.firstSentenceMs.p95 / light.firstSentenceMs.p95,
    turn: cell.turnMs.p95 / light.turnMs.p95,
    ownTurn: cell.ownTurnMs.p95 / light.ownTurnMs.p95,
    isBeyondCapacity: cell.offeredPerS > peakPerS,
  }));
}

/** One line for each target. */
export function toVerdicts(adaptive: readonly Cell[], unlimited: readonly Cell[]): string[] {
  const growth = growthOf(adaptive).flatMap((cell) => {
    const where = `p95 of admitted turns at ${cell.rooms} rooms`;
    const text = `${where}: whole turn ×${two(cell.turn)} (×${two(cell.ownTurn)} without the room's own queue), first sentence ×${two(cell.firstSentence)}`;
    if (cell.isBeyondCapacity) return [`      ${text}; the load is beyond capacity, no target`];
    return [`${mark(Math.max(cell.turn, cell.ownTurn) <= GROWTH_MAX)} ${text}; target ×${GROWTH_MAX}`];
  });
  return [...growth, overloadLine("with admission", adaptive, true), overloadLine("without", unlimited, false)];
}

function overloadLine(name: string, cells: readonly Cell[], hasTarget: boolean): string {
  const found = findOverload(cells);
  if (found === null) return `${hasTarget ? mark(false) : "     "} ${name}: no load was ${OVERLOAD}× the peak`;
  const text = `${name}: goodput at ${two(found.load)}× the peak (${found.rooms} rooms) is ${found.share.toFixed(3)} of the peak of ${two(found.peakPerS)}/s; of turns heard within ${PROMPT_MS_MAX / 1_000} s, ${two(found.promptShare)}`;
  return hasTarget ? `${mark(found.share >= GOODPUT_SHARE_MIN)} ${text}; target ${GOODPUT_SHARE_MIN}` : `      ${text}`;
}

function mark(isMet: boolean): string {
  return isMet ? "met  " : "SHORT";
}

function two(figure: number): string {
  return figure.toFixed(2);
}
