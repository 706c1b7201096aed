import { describe, it } from "vitest";
import { aHarness } from "../../../../helpers/harnesses.ts";
import { startTurn, textsOf } from "../../../../helpers/turns.ts";

describe("utter", () => {
  it("strips what nobody should hear, and drops what has nothing to say", async ({ expect }) => {
    const turn = startTurn({
      answers: [{ texts: ["**毛巾**39.9元。\n", "🎉🎉！\n", "看 https://a.example/x 这里。"] }],
    });
    await turn.end;
    expect(textsOf(turn.heard)).toEqual(["毛巾39.9元。", "看 这里。"]);
  });

  it("speaks the text that a hook made of a sentence", async ({ expect }) => {
    const harness = aHarness({
      hooks: [
        {
          type: "check",
          name: "softer",
          event: "PreUtterance",
          check: { type: "forbidden-words", words: ["绝对"], replacements: { 绝对: "真的" } },
          action: { type: "rewrite", reason: "不绝对" },
        },
      ],
    });
    const turn = startTurn({ harness, answers: [{ texts: ["绝对好用。"] }] });
    const end = await turn.end;
    expect(textsOf(turn.heard)).toEqual(["真的好用。"]);
    expect(end.trace.hooks).toMatchObject([{ hook: "softer", verdict: "rewrite" }]);
  });

  it("numbers sentences without a gap", async ({ expect }) => {
    const turn = startTurn({ answers: [{ texts: ["一。\n🎉\n二。三。"] }] });
    await turn.end;
    expect(turn.heard.map(({ seq }) => seq)).toEqual([0, 1, 2]);
  });
});
