import { describe, it } from "vitest";
import { checkHookOutput } from "../../../../../shared/agent/hooks/check-hook-output.ts";
import { compileHooks } from "../../../../../shared/agent/hooks/compile-hooks.ts";
import type { HookInput } from "../../../../../shared/contract/hook-io.ts";
import { aHook, aMessage, aSentence, aToolCall } from "./hook-inputs.ts";

function output(fields: Record<string, unknown>, input: HookInput) {
  const hook = compileHooks([aHook({ event: input.hook_event_name, ...fields })], { tools: [] }).byEvent.get(
    input.hook_event_name,
  )?.[0];
  if (hook?.type !== "check") throw new Error("no hook");
  return checkHookOutput(hook, input);
}

const REWRITE = {
  check: { type: "forbidden-words", words: ["顶级"], replacements: { 最便宜: "很划算" } },
  action: { type: "rewrite", reason: "换掉{{found}}" },
};

describe("checkHookOutput", () => {
  it("says nothing where the check finds nothing", ({ expect }) => {
    expect(output({}, aSentence("很好"))).toEqual({});
  });

  it("blocks with what was found in the reason, once, not as a template", ({ expect }) => {
    const found = { check: { type: "pattern", pattern: "\\{\\{ found \\}\\}|最便宜" } };
    expect(output(found, aSentence("最便宜"))).toEqual({ decision: "block", reason: "不能说「最便宜」" });
    expect(output(found, aSentence("{{ found }}"))).toEqual({ decision: "block", reason: "不能说「{{ found }}」" });
    expect(output(found, aSentence("$& 最便宜"))).toMatchObject({ reason: "不能说「最便宜」" });
  });

  it("denies a tool call in the field's words", ({ expect }) => {
    expect(output({}, aToolCall({ product: "最便宜" }))).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "不能说「最便宜」",
      },
    });
  });

  it("rewrites the part that the event has", ({ expect }) => {
    expect(output(REWRITE, aSentence("最便宜"))).toEqual({
      reason: "换掉最便宜",
      hookSpecificOutput: { hookEventName: "PreUtterance", updatedText: "很划算" },
    });
    expect(output(REWRITE, aMessage("最便宜"))).toMatchObject({ hookSpecificOutput: { updatedPrompt: "很划算" } });
  });

  it.for<[why: string, text: string, replacements: Record<string, string>]>([
    ["has no correction", "最便宜，顶级", { 最便宜: "很划算" }],
    ["still holds a finding after it", "最便宜", { 最便宜: "顶级" }],
  ])("blocks when the text %s", ([, text, replacements], { expect }) => {
    const check = { type: "forbidden-words", words: ["顶级"], replacements };
    expect(output({ ...REWRITE, check }, aSentence(text))).toMatchObject({ decision: "block" });
  });

  it("adds a context or answers with a line, without putting what was found into either", ({ expect }) => {
    const context = { action: { type: "context", text: "别提{{ found }}" } };
    expect(output(context, aMessage("最便宜"))).toEqual({
      hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "别提{{ found }}" },
    });
    const answer = { action: { type: "answer", text: "价格看小黄车哈。", reason: "问了{{ found }}" } };
    expect(output(answer, aMessage("最便宜"))).toEqual({
      reason: "问了最便宜",
      hookSpecificOutput: { hookEventName: "UserPromptSubmit", fixedAnswer: "价格看小黄车哈。" },
    });
  });

  it("asks the condition first", ({ expect }) => {
    expect(output({ when: "input.seq > 0" }, aSentence("最便宜"))).toEqual({});
    expect(output({ when: "input.seq > 0" }, aSentence("最便宜", { seq: 1 }))).toMatchObject({ decision: "block" });
  });

  it("acts by condition alone where it has no check", ({ expect }) => {
    expect(output({ check: undefined, when: "input.seq == 0" }, aSentence("好"))).toEqual({
      decision: "block",
      reason: "不能说「」",
    });
  });

  it("throws when the condition cannot be evaluated", ({ expect }) => {
    expect(() => output({ when: "input.tool_input.price > 1" }, aToolCall({}))).toThrow();
  });
});
