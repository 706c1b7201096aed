import { describe, it } from "vitest";
import { toProductFact } from "../../../../../shared/agent/facts/product-fact.ts";
import { findSkus, specLabel } from "../../../../../shared/offline/reading/find-skus.ts";
import { PILLOW, QUILT } from "../a-chat-request.ts";

const quilt = toProductFact(QUILT, {});
const idsOf = (question: string) => findSkus(quilt, question).skus.map((sku) => sku.id);

describe("findSkus", () => {
  it.for([
    ["燕麦色多少钱", ["q3"]],
    ["蓝色的", ["q1", "q2"]],
    ["蓝色1.8的", ["q2"]],
    ["1.5米床", ["q1", "q3"]],
    ["多少钱", ["q1", "q2", "q3"]],
  ] as const)("narrows %s to %j", ([question, ids], { expect }) => {
    expect(idsOf(question)).toEqual(ids);
  });

  it("tells a colour that no SKU has, where colours are listed", ({ expect }) => {
    expect(findSkus(quilt, "有黑色吗").missing).toBe("黑");
    expect(findSkus(toProductFact(PILLOW, {}), "有黑色吗").missing).toBe(null);
  });

  it("does not find 1.5 in 11.5", ({ expect }) => {
    const product = { ...quilt, skus: [{ id: "x", specs: { 尺寸: "11.5米" }, price: 1, stock: 1 }] };
    expect(findSkus(product, "1.5米").named).toEqual([]);
  });
});

describe("specLabel", () => {
  it("leaves out what all SKUs share", ({ expect }) => {
    const [first, second] = quilt.skus ?? [];
    if (first === undefined || second === undefined) throw new Error("the quilt has SKUs");
    expect(specLabel(first, [first, second])).toBe("1.5米床");
    expect(specLabel(first, [first])).toBe("");
  });
});
