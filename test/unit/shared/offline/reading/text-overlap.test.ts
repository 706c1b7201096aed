import { describe, it } from "vitest";
import {
  countShared,
  diceOf,
  longestRun,
  pairsOf,
  splitSentences,
  toPlain,
} from "../../../../../shared/offline/reading/text-overlap.ts";

describe("toPlain", () => {
  it("keeps letters and digits in one spelling", ({ expect }) => {
    expect(toPlain("３号 链接！多少\u200b钱？")).toBe("3号链接多少钱");
  });
});

describe("pairsOf", () => {
  it("gives neighbouring characters, or the only one", ({ expect }) => {
    expect([...pairsOf("四件套")]).toEqual(["四件", "件套"]);
    expect([...pairsOf("被")]).toEqual(["被"]);
    expect([...pairsOf("")]).toEqual([]);
  });
});

describe("diceOf", () => {
  it("is 1 for equals, 0 for strangers and for nothing", ({ expect }) => {
    expect(diceOf(pairsOf("包邮吗"), pairsOf("包邮吗"))).toBe(1);
    expect(diceOf(pairsOf("包邮吗"), pairsOf("多少钱"))).toBe(0);
    expect(diceOf(new Set(), new Set())).toBe(0);
    expect(countShared(pairsOf("包邮吗"), pairsOf("包邮不"))).toBe(1);
  });
});

describe("longestRun", () => {
  it.for([
    ["水洗四件套多少钱", "轻奢纯棉刺绣水洗四件套", "水洗四件套"],
    ["毛巾", "浴巾", "巾"],
    ["锅", "", ""],
  ] as const)("of %s and %s is %s", ([a, b, run], { expect }) => {
    expect(longestRun(a, b)).toBe(run);
  });
});

describe("splitSentences", () => {
  it("cuts at stops and lines and takes list numbers off, not decimals", ({ expect }) => {
    expect(splitSentences("1.深浅色分开洗。\n2、可机洗；水温30度")).toEqual(["深浅色分开洗", "可机洗", "水温30度"]);
    expect(splitSentences("1.5米床：200*230cm")).toEqual(["1.5米床：200*230cm"]);
  });
});
