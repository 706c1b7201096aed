import { describe, it } from "vitest";
import { compileHarness, fillSections, toRoomPolicy } from "../../../../shared/agent/compiled-harness.ts";
import { aBundle, aHarness, VERSION } from "../../../helpers/harnesses.ts";

const tool = (name: string) => ({
  name,
  description: "查",
  inputSchema: { type: "object" as const, properties: {}, required: [], additionalProperties: false as const },
  binding: { type: "builtin" as const, builtin: "list_promotions" },
});
const skill = (name: string) => ({ name, description: `${name} 时用`, body: "照着说" });

describe("compileHarness", () => {
  it("gives the same tools block and system text, in whatever order the bundle lists its parts", ({ expect }) => {
    const one = aHarness({ tools: [tool("a_tool"), tool("b_tool")], skills: [skill("x"), skill("y")] });
    const other = aHarness({ tools: [tool("b_tool"), tool("a_tool")], skills: [skill("y"), skill("x")] });
    expect(JSON.stringify(other.toolSpecs)).toBe(JSON.stringify(one.toolSpecs));
    expect(other.systemText).toBe(one.systemText);
  });

  it("lists skills by name and description, and keeps their bodies out of the prompt", ({ expect }) => {
    const { systemText } = aHarness({ skills: [skill("price")] });
    expect(systemText).toContain("<skill><name>price</name><description>price 时用</description></skill>");
    expect(systemText).not.toContain("照着说");
  });

  it("refuses a template that names an unknown variable", ({ expect }) => {
    const bundle = aBundle();
    expect(() =>
      compileHarness({ ...bundle, prompt: { ...bundle.prompt, identity: "{{ 商品名 }}" } }, VERSION),
    ).toThrow(expect.objectContaining({ code: "harness_invalid" }));
  });
});

describe("fillSections", () => {
  it("leaves no gap where a section comes out empty", ({ expect }) => {
    const bundle = aBundle({ prompt: { identity: "一", rules: " ", room: "二", turn: "三" } });
    expect(fillSections(bundle, ["identity", "rules", "room"], {})).toBe("一\n\n二");
  });
});

describe("toRoomPolicy", () => {
  it("gives the room what it needs when every runner is dead, the spoken form included", ({ expect }) => {
    const harness = aHarness({
      budgets: { deadlineMs: 5_000 },
      messages: { ttlMs: 9_000, backlogMax: 3 },
      lines: { fallback: ["满88元包邮哈。"] },
    });
    expect(toRoomPolicy(harness)).toEqual({
      deadlineMs: 5_000,
      intake: harness.bundle.messages,
      interruption: harness.bundle.interruption,
      strategy: harness.bundle.strategy,
      fallback: { text: "满88元包邮哈。", speech: "满八十八元包邮哈。" },
    });
  });
});
