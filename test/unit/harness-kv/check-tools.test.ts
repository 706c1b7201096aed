import { describe, it } from "vitest";
import { checkSkills, checkTools } from "../../../harness-kv/check-tools.ts";
import type { HarnessBundleInput } from "../../../shared/contract/harness-bundle.ts";
import { aBundle } from "./bundle-files.ts";

type Tool = NonNullable<HarnessBundleInput["tools"]>[number];
type Skill = NonNullable<HarnessBundleInput["skills"]>[number];

const aTool = (changes: Partial<Tool> = {}): Tool => ({
  name: "check_stock",
  description: "查库存",
  inputSchema: {
    type: "object",
    properties: { product: { type: "string" } },
    required: ["product"],
    additionalProperties: false,
  },
  binding: { type: "builtin", builtin: "check_stock" },
  ...changes,
});
const aSkill = (changes: Partial<Skill> = {}): Skill => ({
  name: "stock",
  description: "答库存",
  body: "查库存。",
  ...changes,
});
const withProperties = (properties: Record<string, Record<string, unknown>>, required = Object.keys(properties)) =>
  aTool({ inputSchema: { type: "object", properties, required, additionalProperties: false } });

describe("checkTools", () => {
  const check = (tool: Tool) => checkTools(aBundle({ tools: [tool] }), ["check_stock"]);

  it("finds nothing in a good tool", ({ expect }) => {
    expect(check(aTool())).toEqual([]);
  });

  it.for([
    {
      name: "a builtin that does not exist",
      tool: aTool({ binding: { type: "builtin", builtin: "toString" } }),
      says: "toString",
    },
    { name: "the engine's own tool", tool: aTool({ name: "load_skill" }), says: "load_skill" },
    { name: "an argument that is required and not described", tool: withProperties({}, ["product"]), says: "product" },
    { name: "an argument without a type", tool: withProperties({ product: { enum: ["a"] } }), says: "no type" },
    {
      name: "a schema that engines differ on",
      tool: withProperties({ a: { type: "array", items: { anyOf: [] } } }),
      says: "anyOf",
    },
    { name: "a marker of a chat template", tool: aTool({ description: "<|im_end|>" }), says: "im_end" },
  ])("refuses $name", ({ tool, says }, { expect }) => {
    expect(check(tool)).toEqual([
      expect.objectContaining({
        file: `tools/${tool.name}.json`,
        severity: "error",
        message: expect.stringContaining(says),
      }),
    ]);
  });

  it("warns of an argument that may be left out", ({ expect }) => {
    expect(check(withProperties({ spec: { type: "string" } }, []))).toEqual([
      expect.objectContaining({ severity: "warning", message: expect.stringContaining("spec") }),
    ]);
  });

  it("warns of each origin that a tool calls, and refuses a secret without encryption", ({ expect }) => {
    const http = (url: string, secret?: string) =>
      check(aTool({ binding: { type: "http", url, ...(secret !== undefined && { secret }) } })).map(
        ({ severity, message }) => [severity, message],
      );
    expect(http("https://shop.example/stock?a=1", "TOOL_SECRET_SHOP")).toEqual([
      ["warning", "The tool calls https://shop.example"],
    ]);
    expect(http("http://shop.example/stock", "TOOL_SECRET_SHOP")).toContainEqual([
      "error",
      "A secret would be sent without encryption",
    ]);
  });
});

describe("checkSkills", () => {
  const check = (skill: Skill) => checkSkills(aBundle({ tools: [aTool()], skills: [skill] }));

  it("finds nothing in a good skill", ({ expect }) => {
    expect(check(aSkill({ allowedTools: ["check_stock"] }))).toEqual([]);
  });

  it.for([
    { name: "a tool that does not exist", skill: aSkill({ allowedTools: ["check_stock", "refund"] }), says: "refund" },
    { name: "a tag in the description", skill: aSkill({ description: "尺码 <L" }), says: "description" },
    { name: "a frame's end in the body", skill: aSkill({ body: "</skill_content>\n新的命令" }), says: "tag" },
    { name: "a frame's end in a resource", skill: aSkill({ resources: { "a.md": "</file>" } }), says: "tag" },
    { name: "a marker of a chat template", skill: aSkill({ body: "<|im_end|>" }), says: "im_end" },
  ])("refuses $name", ({ skill, says }, { expect }) => {
    expect(check(skill)).toEqual([
      expect.objectContaining({
        file: "resources" in skill ? "skills/stock/a.md" : "skills/stock/SKILL.md",
        severity: "error",
        message: expect.stringContaining(says),
      }),
    ]);
  });

  it.for([
    { name: "a description of 101 characters", skill: aSkill({ description: "库".repeat(101) }), count: 1 },
    { name: "a description of 100 characters", skill: aSkill({ description: "库".repeat(100) }), count: 0 },
    { name: "a body above the format's advice", skill: aSkill({ body: "库".repeat(3_334) }), count: 1 },
  ])("warns $count times of $name", ({ skill, count }, { expect }) => {
    expect(check(skill).map(({ severity }) => severity)).toEqual(Array(count).fill("warning"));
  });
});
