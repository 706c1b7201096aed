import { describe, it } from "vitest";
import { chooseTool, type ToolNeed } from "../../../../shared/offline/choose-tool.ts";
import { chatRequestSchema } from "../../../../shared/offline/reading/chat-request.ts";
import { aTool } from "./a-chat-request.ts";

const product = { link: 2, id: "pillow", name: "泰国乳胶护颈枕" };
const text = { type: "string" };

function offered(...tools: unknown[]) {
  const request = chatRequestSchema.parse({ model: "m", messages: [{ role: "user", content: "" }], tools });
  return (request.tools ?? []).map((tool) => tool.function);
}

describe("chooseTool", () => {
  it.for<[ToolNeed, string, Record<string, unknown>, Record<string, unknown>]>([
    [{ kind: "product", product }, "get_product", { product: text }, { product: "pillow" }],
    [{ kind: "product", product }, "goods_detail", { link: { type: "integer" } }, { link: 2 }],
    [
      { kind: "price", product, spec: "蓝 M", quantity: 3 },
      "get_price",
      { product: text, spec: text, quantity: { type: "integer" } },
      { product: "pillow", spec: "蓝 M", quantity: 3 },
    ],
    [
      { kind: "stock", product, spec: "" },
      "check_stock",
      { product: text, spec: text },
      { product: "pillow", spec: "" },
    ],
    [{ kind: "faq", query: "包邮吗" }, "search_faq", { query: text }, { query: "包邮吗" }],
    [{ kind: "promotions" }, "list_promotions", {}, {}],
    [
      { kind: "compare", products: [product] },
      "compare_products",
      { products: { type: "array" } },
      { products: ["pillow"] },
    ],
    [{ kind: "skill", name: "s" }, "load_skill", { name: { type: "string", enum: ["s"] } }, { name: "s" }],
    [
      { kind: "human", reasons: ["投诉"], message: "要退" },
      "hand_over_to_human",
      { reason: { enum: ["订单", "投诉"] }, message: text },
      { reason: "投诉", message: "要退" },
    ],
  ])("fills the properties of the offered schema: %j", ([need, name, properties, expected], { expect }) => {
    const call = chooseTool(need, offered(aTool(name, properties)));
    expect(call).toEqual({ name, argumentsText: JSON.stringify(expected) });
  });

  it("gives null for what no offered tool does", ({ expect }) => {
    expect(chooseTool({ kind: "promotions" }, offered(aTool("get_price")))).toBe(null);
    expect(chooseTool({ kind: "promotions" }, [])).toBe(null);
  });

  it("gives null where a required argument is unknown or outside its enum", ({ expect }) => {
    expect(chooseTool({ kind: "product", product }, offered(aTool("get_product", { tenant: text })))).toBe(null);
    const closed = aTool("load_skill", { name: { type: "string", enum: ["other"] } });
    expect(chooseTool({ kind: "skill", name: "s" }, offered(closed))).toBe(null);
  });

  it("gives null to an unknown argument that may be null", ({ expect }) => {
    const call = chooseTool(
      { kind: "promotions" },
      offered(aTool("list_promotions", { page: { type: ["integer", "null"] } })),
    );
    expect(call?.argumentsText).toBe('{"page":null}');
  });

  it("reads a product's stock from its details where no stock tool is offered", ({ expect }) => {
    const tools = offered(aTool("get_product", { product: text }));
    expect(chooseTool({ kind: "stock", product, spec: "" }, tools)?.name).toBe("get_product");
  });
});
