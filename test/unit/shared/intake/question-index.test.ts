import { describe, it } from "vitest";
import { QuestionIndex } from "../../../../shared/intake/question-index.ts";

function anIndex(...entries: readonly (readonly [key: string, turn: string])[]): QuestionIndex {
  const index = new QuestionIndex();
  for (const [key, turn] of entries) index.add(key, turn);
  return index;
}

describe("QuestionIndex", () => {
  it("finds the turn with the equal key", ({ expect }) => {
    const index = anIndex(["1号多少钱", "t1"], ["2号多少钱", "t2"]);
    expect(index.find("2号多少钱")).toBe("t2");
    expect(index.find("3号多少钱")).toBeNull();
  });

  it("finds a turn whose key says the same in another order", ({ expect }) => {
    const index = anIndex(["大号有蜜蜂", "t1"], ["材质什么", "t2"]);
    expect(index.find("什么材质")).toBe("t2");
    expect(index.find("大号有蜂蜜")).toBeNull();
  });

  it("finds an equal key before a similar one, and the turn that was added first", ({ expect }) => {
    const index = anIndex(["材质什么", "t1"], ["什么材质", "t2"], ["什么材质", "t3"]);
    expect(index.find("什么材质")).toBe("t2");
  });

  it("never finds the empty key", ({ expect }) => {
    const index = anIndex(["", "t1"]);
    expect(index.find("")).toBeNull();
    expect(index.size).toBe(0);
  });

  it("forgets a removed turn with all its keys, and no other turn", ({ expect }) => {
    const index = anIndex(["材质什么", "t1"], ["什么材质", "t1"], ["材质什么", "t2"], ["包邮", "t3"]);
    index.remove("t1");
    index.remove("unknown");
    expect(index.find("什么材质")).toBe("t2");
    expect(index.size).toBe(2);
    index.remove("t2");
    expect(index.find("什么材质")).toBeNull();
    expect(index.find("包邮")).toBe("t3");
    expect(index.size).toBe(1);
  });

  it("counts a turn once", ({ expect }) => {
    expect(anIndex(["包邮", "t1"], ["包邮", "t1"], ["有货", "t1"]).size).toBe(1);
  });
});
