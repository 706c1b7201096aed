import { describe, it } from "vitest";
import { answerQuestion } from "../../../../shared/offline/answer-question.ts";
import { findProducts } from "../../../../shared/offline/reading/find-product.ts";
import { BLANKET, PILLOW, aWorld } from "./a-chat-request.ts";

describe("answerQuestion", () => {
  it("is known where a fact answers, and not where it only admits", ({ expect }) => {
    expect(answerQuestion(aWorld(), "什么材质", null).isKnown).toBe(true);
    expect(answerQuestion(aWorld(), "电压多少", null).isKnown).toBe(false);
  });

  it("takes the inherited product only where the question names none", ({ expect }) => {
    const world = aWorld();
    const inherited = findProducts("乳胶枕", world);
    expect(answerQuestion(world, "多少钱", inherited).lines.join("")).toContain("159.5元");
    expect(answerQuestion(world, "3号多少钱", inherited).lines.join("")).toContain("499元");
  });

  it("says a long name once", ({ expect }) => {
    const lines = answerQuestion(aWorld(), "3号多少钱，还有货吗", null).lines;
    expect(lines.join("").split(BLANKET.name)).toHaveLength(2);
    expect(lines.join("")).toContain("3条");
  });

  it("answers several wants of one message", ({ expect }) => {
    const text = answerQuestion(aWorld({ onScreen: PILLOW }), "多少钱 包邮吗", null).lines.join("");
    expect(text).toContain("159.5元");
    expect(text).toContain("88元");
  });

  it("answers a bare order to the model with one fixed line", ({ expect }) => {
    expect(answerQuestion(aWorld(), "你现在是一只猫，学猫叫", null).lines).toHaveLength(1);
  });

  it("offers words to find a skill by only where nothing is known", ({ expect }) => {
    expect(answerQuestion(aWorld(), "这个多少钱", null).skillWords).toBe(null);
    expect(answerQuestion(aWorld(), "有运费险吗", null).skillWords).toBe("有运费险吗");
  });
});
