import { describe, it } from "vitest";
import { checkHooks, compileHooks, isAsked } from "../../../../../shared/agent/hooks/compile-hooks.ts";
import { toolSchema } from "../../../../../shared/contract/harness-bundle.ts";
import { aCodeHook, aHook, aSentence, aToolCall } from "./hook-inputs.ts";

const TOOL = toolSchema.parse({
  name: "get_price",
  description: "查价格",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  binding: { type: "builtin", builtin: "get_price" },
});
const context = { tools: [TOOL] };

const BROKEN: readonly [fields: Record<string, unknown>, message: string][] = [
  [{ when: "input.nothing == 1" }, "The condition: No such key: nothing"],
  [{ when: "input.text.matches('(a+)+')" }, "`matches` can take for ever"],
  [{ check: { type: "pattern", pattern: "(?=a)" } }, "look-around"],
  [{ event: "PreToolUse", matcher: "get_(" }, "The matcher: "],
  [{ event: "Stop", action: { type: "rewrite", reason: "x" } }, "Stop has no text"],
];

describe("compileHooks", () => {
  it("groups by event in declared order", ({ expect }) => {
    const names = (event: "PreUtterance" | "Stop") =>
      compileHooks([aHook({ name: "b" }), aHook({ name: "s", event: "Stop" }), aCodeHook({ name: "a" })], context)
        .byEvent.get(event)
        ?.map(({ name }) => name);
    expect([names("PreUtterance"), names("Stop")]).toEqual([["b", "a"], ["s"]]);
  });

  it.for(BROKEN)("throws for %j", ([fields, message], { expect }) => {
    expect(() => compileHooks([aHook(fields)], context)).toThrow(
      expect.objectContaining({ code: "harness_invalid", message: expect.stringContaining(message) }),
    );
  });

  it("takes what only earns a warning", ({ expect }) => {
    expect(compileHooks([aHook({ check: undefined })], context).byEvent.size).toBe(1);
  });
});

describe("checkHooks", () => {
  it.for(BROKEN)("complains about %j by the hook's name", ([fields, message], { expect }) => {
    expect(checkHooks([aHook(fields)], context)).toContainEqual(
      expect.objectContaining({ hook: "guard", severity: "error", message: expect.stringContaining(message) }),
    );
  });

  it("finds every problem, not the first alone", ({ expect }) => {
    const hooks = [aHook({ name: "a", when: "input.x" }), aHook({ name: "b", when: "input.y" })];
    expect(checkHooks(hooks, context).map(({ hook }) => hook)).toEqual(["a", "b"]);
  });

  it("refuses a matcher that fits no tool; load_skill is one", ({ expect }) => {
    const matching = (matcher: string) => aHook({ event: "PreToolUse", matcher });
    expect(checkHooks([matching("get_prise")], context)).toMatchObject([
      { code: "missing-tool", at: ["matcher"], severity: "error" },
    ]);
    expect(checkHooks([matching("get_price|x"), matching("load_.*")], context)).toEqual([]);
  });

  it("complains about a tool whose schema cannot be checked", ({ expect }) => {
    const tool = { ...TOOL, inputSchema: { ...TOOL.inputSchema, properties: { a: { type: "colour" } } } };
    const hook = aHook({ event: "PreToolUse", check: { type: "tool-arguments" } });
    expect(checkHooks([hook], { tools: [tool] })).toMatchObject([{ severity: "error" }]);
  });

  it("finds nothing in good hooks", ({ expect }) => {
    expect(checkHooks([aHook({ when: "input.seq == 0" }), aCodeHook()], context)).toEqual([]);
  });
});

describe("isAsked", () => {
  it("fits the whole tool name", ({ expect }) => {
    const [hook] =
      compileHooks([aHook({ event: "PreToolUse", matcher: "get_price" })], context).byEvent.get("PreToolUse") ?? [];
    const asked = (toolName: string) => hook !== undefined && isAsked(hook, aToolCall({}, { tool_name: toolName }));
    expect(["get_price", "get_price_list", "forget_price", "GET_PRICE"].map(asked)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it("asks a hook without matcher always", ({ expect }) => {
    const [hook] = compileHooks([aHook()], context).byEvent.get("PreUtterance") ?? [];
    expect(hook !== undefined && isAsked(hook, aSentence("好"))).toBe(true);
  });
});
