import { describe, it } from "vitest";
import { scoreName } from "../../../../../shared/offline/reading/score-name.ts";
import { subjectWords } from "../../../../../shared/offline/reading/subject-words.ts";
import { toPlain } from "../../../../../shared/offline/reading/text-overlap.ts";

const blanket = { link: 3, name: "澳洲羊毛盖毯", aliases: ["羊毛毯"] };
const pan = {
  link: 4,
  name: "钻石不粘锅",
  skus: [{ id: "a", specs: { 锅型: "煎锅28cm" }, price: 1, stock: 1 }],
};

function scoreOf(question: string, product: Parameters<typeof scoreName>[1], allowsCommon = false): number {
  const asked = { plain: toPlain(question), words: subjectWords(question), allowsCommon };
  return scoreName(asked, product)?.score ?? 0;
}

describe("scoreName", () => {
  it("puts a whole name above a part, a part above a guess, and a guess above nothing", ({ expect }) => {
    const scores = ["澳洲羊毛盖毯多少钱", "盖毯多少钱", "毯子多少钱", "蚕丝被多少钱"].map((text) =>
      scoreOf(text, blanket),
    );
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBe(4);
    expect(scores.at(-1)).toBe(0);
  });

  it("knows goods by their specification", ({ expect }) => {
    expect(scoreOf("煎锅多少钱", pan)).toBeGreaterThan(0);
  });

  it("takes one wrong character for a slip, unless it changes the kind of goods", ({ expect }) => {
    expect(scoreOf("蛋黄苏多少钱", { link: 6, name: "绿茶点心", aliases: ["蛋黄酥"] })).toBeGreaterThan(0);
    expect(scoreOf("羊毛被多少钱", { link: 3, name: "盖毯", aliases: ["羊毛毯"] })).toBe(0);
  });

  it("takes a property for a name only where it is allowed to", ({ expect }) => {
    const silk = { link: 8, name: "真丝四件套" };
    expect(scoreOf("真丝的有货吗", silk, true)).toBeGreaterThan(0);
    expect(scoreOf("真丝的有货吗", silk)).toBe(0);
  });
});
