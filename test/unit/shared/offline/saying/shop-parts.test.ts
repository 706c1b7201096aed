import { describe, it } from "vitest";
import { readQuestion } from "../../../../../shared/offline/reading/read-question.ts";
import { faqParts, shopParts } from "../../../../../shared/offline/saying/shop-parts.ts";
import { aToolRound, aWorld } from "../a-chat-request.ts";

const partsOf = (question: string, parts = {}) => shopParts(readQuestion(aWorld(parts), question, null));

describe("shopParts", () => {
  it("answers questions about the shop's ways, and only those", ({ expect }) => {
    expect(partsOf("什么时候发货")[0]?.lines.join("")).toContain("48小时");
    expect(partsOf("多少钱")).toEqual([]);
  });

  it("sends a single order's matter to the order page", ({ expect }) => {
    expect(partsOf("我的快递到哪了")[0]?.lines.join("")).toContain("订单页");
  });

  it("looks the FAQ up where the prompt holds none", ({ expect }) => {
    expect(partsOf("包邮吗", { faq: [] })[0]?.needs).toEqual([{ kind: "faq", query: "包邮吗" }]);
  });

  it("asks for a person once", ({ expect }) => {
    expect(partsOf("我要投诉")[0]?.needs?.[0]?.kind).toBe("human");
    expect(
      partsOf("我要投诉", { after: aToolRound("hand_over_to_human", { accepted: true }) })[0]?.needs,
    ).toBeUndefined();
  });
});

describe("faqParts", () => {
  it("is empty where nothing fits", ({ expect }) => {
    expect(faqParts(readQuestion(aWorld(), "多少钱", null))).toEqual([]);
  });
});
