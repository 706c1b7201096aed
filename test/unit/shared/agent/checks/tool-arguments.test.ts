import { describe, it } from "vitest";
import { compileInputSchema, toolArguments } from "../../../../../shared/agent/checks/tool-arguments.ts";
import { toolSchema, type ToolDefinition } from "../../../../../shared/contract/harness-bundle.ts";
import { parseJson } from "../../../../../shared/core/json.ts";
import { aSentence, aToolCall } from "../hooks/hook-inputs.ts";

function aTool(properties: Record<string, object>, required: string[] = []): ToolDefinition {
  return toolSchema.parse({
    name: "get_price",
    description: "查价格",
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    binding: { type: "builtin", builtin: "get_price" },
  });
}

const TOOL = aTool(
  {
    product: { type: "string", maxLength: 5 },
    quantity: { type: ["integer", "null"], minimum: 1, maximum: 9 },
    colour: { type: "string", enum: ["红", "蓝"] },
    specs: { type: "array", items: { type: "string" }, maxItems: 2 },
    sku: { type: "string", pattern: "^[a-z]+[0-9]+$" },
  },
  ["product", "quantity"],
);
const validate = compileInputSchema(TOOL.inputSchema);

describe("compileInputSchema", () => {
  it.for([
    { product: "毛巾", quantity: 1 },
    { product: "毛巾", quantity: 9 },
    { product: "毛巾", quantity: null },
    { product: "一二三四五", quantity: 1, colour: "红", specs: ["L", "M"], sku: "a1" },
    Object.assign(Object.create(null), { product: "毛巾", quantity: 1 }),
  ])("takes %j", (value, { expect }) => {
    expect(validate(value)).toEqual({ ok: true });
  });

  it.for<[value: unknown, complaint: string]>([
    [{ product: "毛巾", quantity: 0 }, "quantity 应为整数或 null（1 到 9）"],
    [{ product: "毛巾", quantity: 10 }, "quantity 应为"],
    [{ product: "毛巾", quantity: 1.5 }, "quantity 应为"],
    [{ product: "毛巾", quantity: "1" }, "quantity 应为"],
    [{ product: "一二三四五六", quantity: 1 }, "product 应为文字（至多 5字）"],
    [{ product: 1, quantity: 1 }, "product 应为文字"],
    [{ quantity: 1 }, "product 应为"],
    [{ product: "毛巾", quantity: 1, colour: "绿" }, 'colour 应为"红" 或 "蓝" 之一'],
    [{ product: "毛巾", quantity: 1, specs: ["a", "b", "c"] }, "specs 应为列表（至多 2项）"],
    [{ product: "毛巾", quantity: 1, specs: [1] }, "specs 应为"],
    [{ product: "毛巾", quantity: 1, sku: "1a" }, "sku 的格式不对"],
    [{ product: "毛巾", quantity: 1, price: 0 }, "没有参数 price"],
    [{ product: "毛巾", quantity: 1, constructor: 1 }, "没有参数 constructor"],
    [parseJson('{"product":"毛巾","quantity":1,"__proto__":{"price":0}}'), "没有参数 __proto__"],
    [[], "JSON 对象"],
    ["毛巾", "JSON 对象"],
    [null, "JSON 对象"],
    [undefined, "JSON 对象"],
  ])("refuses %j and tells what is wanted", ([value, complaint], { expect }) => {
    const verdict = validate(value);
    expect(verdict).toMatchObject({ ok: false, message: expect.stringContaining(complaint) });
    expect(verdict).toMatchObject({ message: expect.stringContaining("参数：product（文字（至多 5字），必填）") });
  });

  it("says that a tool without arguments has none", ({ expect }) => {
    expect(compileInputSchema(aTool({}).inputSchema)({ a: 1 })).toEqual({
      ok: false,
      message: "没有参数 a。这个工具没有参数",
    });
  });

  it("runs a pattern in linear time", ({ expect }) => {
    const slow = compileInputSchema(aTool({ text: { type: "string", pattern: "^(a+)+$" } }).inputSchema);
    expect(slow({ text: `${"a".repeat(5_000)}!` })).toMatchObject({ ok: false });
  });

  it.for<[properties: Record<string, object>]>([
    [{ a: { type: "string", pattern: "(?=a)" } }],
    [{ a: { type: "string", pattern: 1 } }],
    [{ a: { type: "array", items: { type: "string", pattern: "a" } } }],
    [{ a: { type: "colour" } }],
    [{ a: { type: "string", if: {} } }],
  ])("refuses a schema that it cannot check: %j", ([properties], { expect }) => {
    expect(() => compileInputSchema(aTool(properties).inputSchema)).toThrow(
      expect.objectContaining({ code: "harness_invalid" }),
    );
  });
});

describe("toolArguments", () => {
  const check = toolArguments([TOOL]);

  it("finds arguments that do not fit the named tool", ({ expect }) => {
    expect(check(aToolCall({ product: "毛巾", quantity: 0 }), "")?.found).toContain("quantity 应为");
    expect(check(aToolCall({ product: "毛巾", quantity: 1 }), "")).toBeNull();
  });

  it("leaves unknown tools and other events alone", ({ expect }) => {
    expect(check(aToolCall({}, { tool_name: "load_skill" }), "")).toBeNull();
    expect(check(aToolCall({}, { tool_name: "__proto__" }), "")).toBeNull();
    expect(check(aSentence("毛巾"), "毛巾")).toBeNull();
  });
});
