import { describe, it } from "vitest";
import { compileCondition } from "../../../../../shared/agent/hooks/cel-condition.ts";
import type { HookEvent, HookInput } from "../../../../../shared/contract/hook-io.ts";
import { aMessage, aModelCall, aReply, aSentence, aToolCall, aToolResult } from "./hook-inputs.ts";

function ask(source: string, input: HookInput): boolean {
  const compiled = compileCondition(source, input.hook_event_name);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.value(input);
}

describe("compileCondition", () => {
  it.for<[source: string, input: HookInput, expected: boolean]>([
    ['input.text.contains("最")', aSentence("最好"), true],
    ['input.text.contains("最")', aSentence("很好"), false],
    ["input.seq == 0 && size(input.said) == 0", aSentence("好"), true],
    ["input.seq + 1 == 2", aSentence("好", { seq: 1 }), true],
    ['["真人", "机器人"].exists(word, input.prompt.contains(word))', aMessage("你是机器人吗"), true],
    ['!("get_price" in input.tools_used)', aSentence("39元"), true],
    ["input.tool_input.quantity > 10", aToolCall({ quantity: 12 }), true],
    ["has(input.tool_input.spec)", aToolCall(Object.assign(Object.create(null), { quantity: 1 })), false],
    ["input.is_error", aToolResult("{}"), false],
    ["input.step == 0 && input.prompt_bytes > 1000", aModelCall(), true],
    ['input.stop_hook_active || input.reply == "好"', aReply("好"), true],
    ["input.retry_active", aSentence("好"), false],
    ['input.question.startsWith("1号")', aSentence("好", { question: "1号多少钱" }), true],
    ["size(input.evidence) > 0", aSentence("好"), false],
  ])("evaluates %s", ([source, input, expected], { expect }) => {
    expect(ask(source, input)).toBe(expected);
  });

  it.for<[source: string, event: HookEvent, why: string]>([
    ["input.text ==", "PreUtterance", "Unexpected token"],
    ["text == 'a'", "PreUtterance", "Unknown variable"],
    ["input.txet == 'a'", "PreUtterance", "No such key: txet"],
    ["input.text == 'a'", "UserPromptSubmit", "No such key: text"],
    ["input.text + 1 == 2", "PreUtterance", "no such overload"],
    ["input.text", "PreUtterance", "not true or false"],
    ['"a"', "PreUtterance", "not true or false"],
    ['input.text.matches("(a+)+$")', "PreUtterance", "`pattern`"],
    ["cel.bind(x, input.text + input.text, x == '')", "PreUtterance", "cel.bind"],
    [
      "input.said.all(a, input.said.all(b, input.said.all(c, a == b && b == c)))",
      "PreUtterance",
      "more than 2 loops inside each other",
    ],
    [`${"(".repeat(60)}true${")".repeat(60)}`, "PreUtterance", "maxDepth"],
  ])("refuses %s on %s and says why", ([source, event, why], { expect }) => {
    const compiled = compileCondition(source, event);
    expect(compiled.ok ? "accepted" : compiled.error).toContain(why);
  });

  it.for(["input.tool_input.spec == '蓝'", "input.tool_input.spec > 3"])(
    "throws where the input has no such value: %s",
    (source, { expect }) => {
      expect(() => ask(source, aToolCall({}))).toThrow();
    },
  );

  it("throws where the value is no truth value", ({ expect }) => {
    expect(() => ask("input.tool_input.flag", aToolCall({ flag: "yes" }))).toThrow("neither true nor false");
  });
});
