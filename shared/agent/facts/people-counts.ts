/** Counts of people: 12人, 5位观众. 2人份 and 四人桌 are goods. */
const PEOPLE =
  /\d+\s*(?:多|来|余|几)?\s*(?:个人|人(?![份气用桌座位装])|位(?:观众|宝宝|顾客|网友)|[个名](?:观众|宝宝|网友))/gu;

/** A text without its counts of people. They are no fact of goods, and 问库存98人 would read like a stock. */
export function withoutPeopleCounts(text: string): string {
  return text.replaceAll(PEOPLE, "");
}
