/** The order in which waiting turns are answered: points by the policy, and the longer a turn waits the more of them. */
import {
  ASKERS_COUNTED_MAX,
  type Intent,
  type PriorityPolicy,
  type PriorityRule,
  type TurnPriority,
} from "../contract/intake-policy.ts";
import { linkNumbers } from "./link-numbers.ts";
import { foldMessage } from "./plain-words.ts";
import { readIntents } from "./read-intents.ts";

/** What the score needs of a message. Never changes, so it is read once, when the message arrives. */
export type ScoredMessage = {
  readonly intents: readonly Intent[];
  readonly folded: string;
  /** 0 when the platform told none. */
  readonly viewerLevel: number;
  /** It names the product on screen, or none while one is there. */
  readonly isOnScreen: boolean;
};

/** What a room calls its products. The lists are folded once each: hand in the same ones again. */
export type RoomNames = {
  readonly onScreen: { readonly link: number | null; readonly names: readonly string[] } | null;
  /** Names and aliases of the products that are not on screen. */
  readonly otherNames: readonly string[];
};

/** Reads once what the score needs of a message. */
export function readForScore(
  message: { readonly text: string; readonly viewer?: { readonly level?: number | undefined } | undefined },
  room: RoomNames,
): ScoredMessage {
  const folded = foldMessage(message.text);
  return {
    intents: readIntents(message.text),
    folded,
    viewerLevel: message.viewer?.level ?? 0,
    isOnScreen: isAboutScreen(linkNumbers(message.text), folded, room),
  };
}

function isAboutScreen(links: readonly number[], folded: string, { onScreen, otherNames }: RoomNames): boolean {
  if (onScreen === null) return false;
  if (onScreen.link !== null && links.includes(onScreen.link)) return true;
  const named = whoseNames(folded, foldWords(onScreen.names), foldWords(otherNames));
  return named.hasScreen || (links.length === 0 && !named.hasOther);
}

/** Longer names hide the shorter ones inside them: 洗面巾 of one product is no 面巾 of another. */
function whoseNames(folded: string, onScreen: readonly string[], others: readonly string[]) {
  const hits = [onScreen, others].flatMap((names, index) =>
    names
      .filter((name) => name.length >= NAME_CHARS_MIN && folded.includes(name))
      .map((name) => ({ name, isScreen: index === 0 })),
  );
  let rest = folded;
  const named = { hasScreen: false, hasOther: false };
  for (const { name, isScreen } of hits.toSorted((a, b) => b.name.length - a.name.length)) {
    if (!rest.includes(name)) continue;
    named[isScreen ? "hasScreen" : "hasOther"] = true;
    rest = rest.replaceAll(name, "\n");
  }
  return named;
}

/** One character stands in too many words to name a product. */
const NAME_CHARS_MIN = 2;
const foldedLists = new WeakMap<readonly string[], readonly string[]>();

/** The words of a list, folded once for as long as the list lives. What folds to nothing is left out. */
function foldWords(words: readonly string[]): readonly string[] {
  const known = foldedLists.get(words);
  if (known !== undefined) return known;
  const folded = words.map(foldMessage).filter((word) => word !== "");
  foldedLists.set(words, folded);
  return folded;
}

export type Points = Pick<TurnPriority, "points" | "parts">;

/** A turn that waits, without its waiting time: what changes only when a message joins it. */
export type WaitingTurn = {
  readonly messages: readonly ScoredMessage[];
  /** Viewers who ask the same beyond the first. */
  readonly askers: number;
  /** Id of the room's merchant. */
  readonly merchant: string;
};

/** The points that a turn has however long it waits. Kept with the turn until another message joins it. */
export function scoreStanding(policy: PriorityPolicy, { messages, askers, merchant }: WaitingTurn): Points {
  const rules = policy.rules.filter((rule) => isMet(rule, messages, merchant));
  const level = Math.max(0, ...messages.map(({ viewerLevel }) => viewerLevel));
  return addUp([
    ...rules.map(({ name, points }) => ({ name, points })),
    { name: "viewer-level", points: level * policy.pointsPerViewerLevel },
    { name: "askers", points: Math.min(Math.max(0, askers), ASKERS_COUNTED_MAX) * policy.pointsPerAsker },
  ]);
}

/**
 * The turn's points now, and what made them: rules by their names, each once a turn, then `viewer-level` (the highest),
 * `askers` and `waited`. Parts of 0 points are left out; points have one decimal, and the parts add up to them.
 */
export function scoreTurn(policy: PriorityPolicy, turn: WaitingTurn & { readonly waitedMs: number }): Points {
  return addUp([
    ...scoreStanding(policy, turn).parts,
    { name: "waited", points: pointsOfWaiting(policy, turn.waitedMs) },
  ]);
}

/**
 * Index of the turn to speak next: most points, then longest waiting, then first; `null` when none waits. One pass over
 * numbers, as a thousand turns may wait.
 *
 * Since all turns gain points at one rate, no turn is passed over for longer than the gap of points to the highest that
 * may come, over `pointsPerSecond`.
 *
 * @param turns - `standing`: the points of {@link scoreStanding}.
 */
export function chooseNext(
  policy: Pick<PriorityPolicy, "pointsPerSecond">,
  turns: readonly { readonly standing: number; readonly waitedMs: number }[],
): number | null {
  let best: { index: number; points: number; waitedMs: number } | null = null;
  for (const [index, { standing, waitedMs }] of turns.entries()) {
    const points = standing + pointsOfWaiting(policy, waitedMs);
    const isNext = best === null || points > best.points || (points === best.points && waitedMs > best.waitedMs);
    if (isNext) best = { index, points, waitedMs };
  }
  return best === null ? null : best.index;
}

function pointsOfWaiting({ pointsPerSecond }: Pick<PriorityPolicy, "pointsPerSecond">, waitedMs: number): number {
  return (Math.max(0, waitedMs) / 1_000) * pointsPerSecond;
}

function isMet(rule: PriorityRule, messages: readonly ScoredMessage[], merchant: string): boolean {
  if (rule.merchants !== undefined && !rule.merchants.includes(merchant)) return false;
  const words = rule.contains === undefined ? undefined : foldWords(rule.contains);
  return messages.some(
    (message) =>
      (rule.intents === undefined || rule.intents.some((intent) => message.intents.includes(intent))) &&
      (words === undefined || words.some((word) => message.folded.includes(word))) &&
      (rule.isOnScreen === undefined || rule.isOnScreen === message.isOnScreen) &&
      (rule.viewerLevelMin === undefined || message.viewerLevel >= rule.viewerLevelMin),
  );
}

function addUp(parts: readonly { readonly name: string; readonly points: number }[]): Points {
  const rounded = parts
    .map(({ name, points }) => ({ name, points: toTenths(points) }))
    .filter(({ points }) => points !== 0);
  return { points: toTenths(rounded.reduce((sum, { points }) => sum + points, 0)), parts: rounded };
}

function toTenths(points: number): number {
  return Math.round(points * 10) / 10;
}
