import { describe, it } from "vitest";
import { findProducts, productsNamedIn } from "../../../../../shared/offline/reading/find-product.ts";
import { BLANKET, PILLOW, aWorld } from "../a-chat-request.ts";

const linksOf = (question: string, parts = {}) => {
  const { how, products } = findProducts(question, aWorld(parts));
  return [how, products.map((product) => product.link)];
};

describe("findProducts", () => {
  it.for([
    ["3号多少钱", "link", [3]],
    ["三号链接", "link", [3]],
    ["第2号", "link", [2]],
    ["链接3", "link", [3]],
    ["3链接还有吗", "link", [3]],
    ["2号和3号哪个好", "link", [2, 3]],
    ["99号链接", "unknown-link", []],
    ["乳胶枕多少钱", "name", [2]],
    ["泰国乳胶护颈枕", "name", [2]],
    ["护颈枕", "name", [2]],
    ["羊毛毯", "name", [3]],
    ["盖毯", "unclear", [3, 4]],
    ["这个多少钱", "screen", [1]],
    ["四件套多少钱", "screen or name", [1]],
    ["15号能到吗", "screen", [1]],
    ["11月11号有活动吗", "screen", [1]],
    ["蚕丝被多少钱", "unknown-name", []],
    ["有电饭锅吗", "unknown-name", []],
    ["被套多大", "screen", [1]],
    ["是羊毛的吗", "screen", [1]],
  ] as const)("resolves %s as %s", ([question, how, links], { expect }) => {
    const [foundHow, foundLinks] = linksOf(question);
    expect(how).toContain(foundHow);
    expect(foundLinks).toEqual(links);
  });

  it("takes the product on screen among equals", ({ expect }) => {
    expect(linksOf("盖毯多少钱", { onScreen: BLANKET })).toEqual(["name", [3]]);
  });

  it("has nothing to go by without a screen and a name", ({ expect }) => {
    expect(linksOf("多少钱", { onScreen: null })).toEqual(["none", []]);
  });

  it("goes back through what was heard, past the product on screen", ({ expect }) => {
    const heard = ["先看乳胶枕", "现在是这套新疆长绒棉四件套"];
    expect(linksOf("刚才那个呢", { heard })).toEqual(["heard", [2]]);
    expect(linksOf("刚才那个呢")).toEqual(["unclear", []]);
  });

  it("takes what a search found for an unknown name", ({ expect }) => {
    const content = `<evidence source="tool:search_products">\n${JSON.stringify({ products: [{ link: 2, name: PILLOW.name }] })}\n</evidence>`;
    expect(linksOf("太空记忆枕芯套多少钱", { after: [{ role: "tool", content }] })).toEqual(["name", [2]]);
  });

  it("takes the name out of what is left to read", ({ expect }) => {
    expect(findProducts("乳胶枕多少钱", aWorld()).rest).not.toContain("乳胶枕");
  });
});

describe("productsNamedIn", () => {
  it("reads links and names of a spoken line", ({ expect }) => {
    expect(productsNamedIn("3号链接和乳胶枕都有货", aWorld()).map((product) => product.link)).toEqual([3, 2]);
    expect(productsNamedIn("欢迎大家", aWorld())).toEqual([]);
  });
});
