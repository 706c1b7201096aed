import { describe, it } from "vitest";
import { readQuestion, toSubject } from "../../../../../shared/offline/reading/read-question.ts";
import { PILLOW, aWorld } from "../a-chat-request.ts";

describe("readQuestion", () => {
  it("adds the topics that rules can forbid", ({ expect }) => {
    expect(readQuestion(aWorld(), "几天能到", null).topics).toContain("arrival");
    expect(readQuestion(aWorld(), "退款多久到账", null).topics).toContain("return");
    expect(readQuestion(aWorld(), "多少钱", null).topics).toEqual(["price"]);
  });

  it("compares one named product with the one on screen", ({ expect }) => {
    const { subjects } = readQuestion(aWorld(), "和乳胶枕比哪个好", null);
    expect(subjects.map(({ product }) => product.link)).toEqual([1, 2]);
  });

  it("has no subject where the product is unclear", ({ expect }) => {
    expect(readQuestion(aWorld(), "盖毯多少钱", null).subjects).toEqual([]);
  });
});

describe("toSubject", () => {
  it("names what is not on screen by link and name", ({ expect }) => {
    const product = { link: PILLOW.link, name: PILLOW.name };
    expect(toSubject(product, true).name).toBe("这款");
    expect(toSubject(product, false).name).toBe("2号链接的泰国乳胶护颈枕");
  });
});
