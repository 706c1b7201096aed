/** What got no answer, counted by its reason. Only the latest are kept: a flood of them must not fill the page. */

/** Kept for reading, of one kind. */
export const UNANSWERED_KEPT_MAX = 100;

export type Unanswered<Item> = {
  readonly count: number;
  readonly byReason: ReadonlyMap<string, number>;
  /** Latest last. */
  readonly latest: readonly Item[];
};

export const NONE_UNANSWERED: Unanswered<never> = { count: 0, byReason: new Map(), latest: [] };

export function addUnanswered<Item>(
  before: Unanswered<Item>,
  added: readonly { readonly item: Item; readonly reason: string }[],
): Unanswered<Item> {
  const byReason = new Map(before.byReason);
  for (const { reason } of added) byReason.set(reason, (byReason.get(reason) ?? 0) + 1);
  return {
    count: before.count + added.length,
    byReason,
    latest: [...before.latest, ...added.map(({ item }) => item)].slice(-UNANSWERED_KEPT_MAX),
  };
}
