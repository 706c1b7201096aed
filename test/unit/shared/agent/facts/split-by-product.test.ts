import { describe, it } from "vitest";
import { splitByProduct, toPlainSentence } from "../../../../../shared/agent/facts/split-by-product.ts";

const products = [
  { id: "towel", link: 1, names: ["面巾"] },
  { id: "blanket", link: 2, names: ["羊毛毯", "毯子"] },
  { id: null, link: 3, names: ["一次性洗面巾"] },
];
const split = (sentence: string) =>
  splitByProduct(sentence, products, (text) => /\d/u.test(text)).map(({ text, subjects }) => [
    text,
    subjects === null ? null : [...subjects],
  ]);

describe("toPlainSentence", () => {
  it("is half width, simplified, lower case and without spaces but between digits", ({ expect }) => {
    expect(toPlainSentence("這款 Ａ４ 只要 39 49 元，\u200b還有")).toBe("这款a4只要39 49元;还有");
  });
});

describe("toPlainSentence on spoken cents", () => {
  it.for<[text: string, plain: string]>([
    ["四十块九毛七", "四十块97"],
    ["一块三毛七分", "一块37"],
    ["九毛九", "0块99"],
    ["三十九块九毛", "三十九块九毛"],
    ["四十来块", "四十块左右"],
    ["十几块", "十几块"],
    ["三十九块九毛三条", "三十九块九毛三条"],
  ])("%s is %s", ([text, plain], { expect }) => {
    expect(toPlainSentence(text)).toBe(plain);
  });
});

describe("splitByProduct", () => {
  it.for<[sentence: string, clauses: (readonly [string, readonly (string | null)[] | null])[]]>([
    [
      "只要39，放心拍",
      [
        ["只要39", null],
        ["放心拍", null],
      ],
    ],
    [
      "面巾39，很软",
      [
        ["39", ["towel"]],
        ["很软", ["towel"]],
      ],
    ],
    [
      "面巾39，羊毛毯59",
      [
        ["39", ["towel"]],
        ["59", ["blanket"]],
      ],
    ],
    [
      "面巾和羊毛毯都是39",
      [
        ["和", ["towel", "blanket"]],
        ["都是39", ["towel", "blanket"]],
      ],
    ],
    [
      "59，39元的面巾",
      [
        ["59", ["towel"]],
        ["39元的", ["towel"]],
      ],
    ],
    [
      "面巾59，39元的毯子",
      [
        ["59", ["towel"]],
        ["39元的", ["towel", "blanket"]],
      ],
    ],
    [
      "洗面巾39",
      [
        ["洗", ["towel"]],
        ["39", ["towel"]],
      ],
    ],
    ["一次性洗面巾39", [["39", [null]]]],
    [
      "2号链接59，三号39",
      [
        ["59", ["blanket"]],
        ["39", [null]],
      ],
    ],
    ["38号也有", [["38号也有", null]]],
    [
      "1,000元；很软",
      [
        ["1,000元", null],
        ["很软", null],
      ],
    ],
  ])("%s", ([sentence, clauses], { expect }) => {
    expect(split(sentence)).toEqual(clauses);
  });

  it("keeps the names that it cuts out, and tells which product is named anew", ({ expect }) => {
    const clauses = splitByProduct("面巾，39元，59元的毯子，2号链接很软", products, (text) => /\d/u.test(text));
    expect(clauses.map(({ text, nameBefore, nameAfter, isAnew }) => [text, nameBefore, nameAfter, isAnew])).toEqual([
      ["39元", "面巾", "", false],
      ["59元的", "", "毯子", false],
      ["很软", "毯子", "", true],
    ]);
  });
});
