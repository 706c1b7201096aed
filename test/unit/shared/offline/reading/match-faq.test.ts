import { describe, it } from "vitest";
import { matchFaq, topicsOf } from "../../../../../shared/offline/reading/match-faq.ts";

const entry = (question: string, ...similar: string[]) => ({ question, similar, answer: `${question}的答案` });
const FAQ = [
  entry("购买运费如何收取？"),
  entry("使用什么快递发货？"),
  entry("如何申请退货？"),
  entry("如何开具发票？"),
  entry("多久发货？"),
];

describe("matchFaq", () => {
  it.for([
    ["包邮吗", "购买运费如何收取？"],
    ["发什么快递", "使用什么快递发货？"],
    ["用顺丰吗", "使用什么快递发货？"],
    ["不喜欢能退不", "如何申请退货？"],
    ["可以开票吗", "如何开具发票？"],
    ["啥时候能发", "多久发货？"],
    ["今天拍什么时候发货", "多久发货？"],
  ] as const)("matches %s with %s", ([question, expected], { expect }) => {
    expect(matchFaq(question, FAQ)?.entry.question).toBe(expected);
  });

  it.for(["有运费险吗", "从哪里发货", "能用花呗吗", "多少钱", "保修多久", "哈哈哈"])(
    "finds nothing for %s",
    (question, { expect }) => {
      expect(matchFaq(question, FAQ)).toBe(null);
    },
  );

  it("matches a wording that it lists as similar, and shared characters without a topic", ({ expect }) => {
    expect(matchFaq("支持刻字吗", [entry("能不能定制", "支持刻字吗")])).not.toBe(null);
    expect(matchFaq("收纳袋有没有送", [entry("有没有收纳袋")])).not.toBe(null);
  });
});

describe("topicsOf", () => {
  it("takes the narrow topic for itself", ({ expect }) => {
    expect(topicsOf("有运费险吗")).toEqual(["return-freight"]);
    expect(topicsOf("哪里发货")).toEqual(["ship-from"]);
  });
});
