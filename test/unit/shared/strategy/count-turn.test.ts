import fc from "fast-check";
import { describe, it } from "vitest";
import {
  EMPTY_TALLY,
  strategyTallySchema,
  TALLY_QUESTIONS_MAX,
  type StrategyTally,
} from "../../../../shared/contract/strategy.ts";
import { countTurn, turnsOf, type EndedTurn } from "../../../../shared/strategy/count-turn.ts";

const aTurn = (text: string, fields: Partial<EndedTurn> = {}): EndedTurn => ({
  text,
  askers: 1,
  outcome: "answered",
  ...fields,
});
const countAll = (...turns: EndedTurn[]): StrategyTally => turns.reduce(countTurn, EMPTY_TALLY);

describe("countTurn", () => {
  it("adds what is asked again to its first wording, in whatever spelling", ({ expect }) => {
    const { questions } = countAll(aTurn("这款多少钱", { askers: 3 }), aTurn("這款多少錢？？", { askers: 2 }));
    expect(questions).toMatchObject([{ text: "这款多少钱", askers: 5 }]);
  });

  it("counts all askers of a topic, also of questions that are no longer kept apart", ({ expect }) => {
    const sizes = Array.from({ length: TALLY_QUESTIONS_MAX * 2 }, (_, link) => aTurn(`${link + 1}号链接有什么尺码`));
    const { topics, questions } = countAll(...sizes);
    expect(topics).toEqual([{ intent: "spec", topic: "尺码", askers: TALLY_QUESTIONS_MAX * 2 }]);
    expect(questions).toHaveLength(TALLY_QUESTIONS_MAX);
  });

  it("makes room by what fewest have asked, the oldest first", ({ expect }) => {
    const many = aTurn("1号链接包邮吗", { askers: 9 });
    const few = Array.from({ length: TALLY_QUESTIONS_MAX }, (_, link) => aTurn(`${link + 2}号链接包邮吗`));
    const texts = countAll(many, ...few).questions.map(({ text }) => text);
    expect(texts).toContain(many.text);
    expect(texts).not.toContain("2号链接包邮吗");
    expect(texts.at(-1)).toBe(few.at(-1)?.text);
  });

  it.for([
    [["expired"], 2],
    [["expired", "fallback", "interrupted"], 6],
    [["expired", "answered"], 0],
    [["answered", "expired"], 2],
    [["expired", "silent"], 2],
  ] as const)("after %s leaves %i of two askers each without an answer", ([outcomes, unanswered], { expect }) => {
    const tally = countAll(...outcomes.map((outcome) => aTurn("能开发票吗", { askers: 2, outcome })));
    expect(tally.questions[0]?.unanswered).toBe(unanswered);
  });

  it("keeps no greeting and no talk as a question, and counts their turns", ({ expect }) => {
    const tally = countAll(aTurn("主播好"), aTurn("哈哈哈哈"));
    expect(tally.questions).toEqual([]);
    expect(turnsOf(tally)).toBe(2);
  });

  it("stays within its contract, whatever is asked", ({ expect }) => {
    const turn = fc.record({
      text: fc.oneof(fc.string({ minLength: 1, maxLength: 300, unit: "grapheme" }), fc.constant("🧣".repeat(300))),
      askers: fc.integer({ min: 1, max: 1_000 }),
      outcome: fc.constantFrom("answered", "fallback", "expired", "silent", "interrupted"),
    });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 40 }), (turns) => {
        const clean = turns.filter(({ text }) => text.isWellFormed() && !/\p{Cc}/u.test(text));
        const tally = clean.reduce<StrategyTally>(countTurn, EMPTY_TALLY);
        expect(strategyTallySchema.safeParse(tally).success).toBe(true);
        expect(turnsOf(tally)).toBe(clean.length);
      }),
      { numRuns: 60 },
    );
  });
});
