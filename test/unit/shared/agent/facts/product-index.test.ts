import { describe, it } from "vitest";
import { indexProducts, resolveProduct, searchProducts } from "../../../../../shared/agent/facts/product-index.ts";
import { aProduct } from "../../../../helpers/rooms.ts";

const sku = (id: string) => [{ id, specs: ["标准"], priceCents: 100, stock: 1 }];
const index = indexProducts([
  aProduct({ id: "towel", link: 1, name: "新疆棉雪花绒面巾", aliases: ["面巾", "雪花毛巾"], skus: sku("s1") }),
  aProduct({ id: "blanket", link: 2, name: "澳洲羊羔毛华夫格盖毯", aliases: ["羊毛毯"], skus: sku("s2") }),
  aProduct({ id: "quilt", link: 12, name: "色织华夫格夏凉被", aliases: ["夏凉被"], skus: sku("s3") }),
]);
const ids = (text: string) => searchProducts(index, text, 3).map((product) => product.id);

describe("searchProducts", () => {
  it.for([
    ["2号链接多少钱", ["blanket"]],
    ["二號有货吗", ["blanket"]],
    ["12号还有吗", ["quilt"]],
    ["#1 什么材质", ["towel"]],
    ["夏凉被多大", ["quilt"]],
    ["那个羊毛毯掉毛不", ["blanket"]],
    ["面巾和羊毛毯哪个好", ["blanket", "towel"]],
    ["今天天气真好", []],
  ] as const)("%s names %j", ([text, expected], { expect }) => {
    expect(ids(text)).toEqual(expected);
  });

  it("puts the link number first when a text names both", ({ expect }) => {
    expect(ids("1号链接跟夏凉被")[0]).toBe("towel");
  });

  it("gives no more than asked for", ({ expect }) => {
    expect(searchProducts(index, "面巾 羊毛毯 夏凉被", 2)).toHaveLength(2);
  });
});

describe("resolveProduct", () => {
  it.for([
    ["blanket", "blanket"],
    ["2", "blanket"],
    ["2号链接", "blanket"],
    ["链接12", "quilt"],
    ["夏凉被", "quilt"],
    ["手机", undefined],
    ["999", undefined],
  ] as const)("%s is %s", ([reference, id], { expect }) => {
    expect(resolveProduct(index, reference)?.id).toBe(id);
  });
});
