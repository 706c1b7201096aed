import { describe, it } from "vitest";
import { addUnanswered, NONE_UNANSWERED, UNANSWERED_KEPT_MAX } from "../../../../workers/console/unanswered.ts";

const many = (count: number, reason: string) => Array.from({ length: count }, (_, item) => ({ item, reason }));

describe("addUnanswered", () => {
  it("counts all by reason and keeps the latest", ({ expect }) => {
    const noise = addUnanswered<number>(NONE_UNANSWERED, many(UNANSWERED_KEPT_MAX + 5, "noise"));
    const both = addUnanswered(noise, [{ item: 9_000, reason: "crowded" }]);
    expect(both.count).toBe(UNANSWERED_KEPT_MAX + 6);
    expect([...both.byReason]).toEqual([
      ["noise", UNANSWERED_KEPT_MAX + 5],
      ["crowded", 1],
    ]);
    expect(both.latest).toHaveLength(UNANSWERED_KEPT_MAX);
    expect([both.latest.at(0), both.latest.at(-1)]).toEqual([6, 9_000]);
  });
});
