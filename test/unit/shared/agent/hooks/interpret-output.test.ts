import { describe, it } from "vitest";
import { interpretOutput, parseOutput } from "../../../../../shared/agent/hooks/interpret-output.ts";
import type { HookEvent } from "../../../../../shared/contract/hook-io.ts";

const specific = (hookEventName: HookEvent, fields: object) => ({ hookSpecificOutput: { hookEventName, ...fields } });

describe("parseOutput", () => {
  it.for<[output: unknown, reason: string]>([
    [{ decision: "block", reason: "不行" }, "不行"],
    [{ decision: "block" }, "没有通过检查"],
    [{ continue: false, stopReason: "停" }, "停"],
    [specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "太贵" }), "太贵"],
    [specific("PreToolUse", { permissionDecision: "ask" }), "没有通过检查"],
    [specific("PreToolUse", { permissionDecision: "defer" }), "没有通过检查"],
    [{ decision: "approve", ...specific("PreToolUse", { permissionDecision: "deny" }) }, "没有通过检查"],
  ])("denies on %j", ([output, reason], { expect }) => {
    expect(parseOutput("PreToolUse", output)).toMatchObject({ ok: true, value: { verdict: "deny", reason } });
  });

  it.for([
    {},
    { decision: "approve" },
    { continue: true, systemMessage: "ok" },
    specific("PreToolUse", { permissionDecision: "allow" }),
  ])("allows on %j", (output, { expect }) => {
    expect(parseOutput("PreToolUse", output)).toMatchObject({ ok: true, value: { verdict: "allow" } });
  });

  it.for<[event: HookEvent, output: unknown]>([
    ["PreUtterance", null],
    ["PreUtterance", undefined],
    ["PreUtterance", "block"],
    ["PreUtterance", []],
    ["PreUtterance", { desicion: "block" }],
    ["PreUtterance", { decision: "deny" }],
    ["PreUtterance", specific("PreToolUse", { updatedText: "a" })],
    ["PreUtterance", specific("PreUtterance", { updatedInput: {} })],
    ["PreUtterance", specific("PreUtterance", { fixedAnswer: "a" })],
    ["Stop", specific("Stop", { updatedText: "a" })],
    ["PreToolUse", specific("PreToolUse", { updatedPrompt: "a" })],
    ["Stop", specific("Stop", { fixedAnswer: "" })],
    ["PreUtterance", specific("PreUtterance", { updatedText: "长".repeat(8_001) })],
  ])("takes no answer to %s in %j", ([event, output], { expect }) => {
    expect(parseOutput(event, output)).toMatchObject({ ok: false, error: expect.any(String) });
  });

  it.for<[event: HookEvent, fields: object, effect: object]>([
    ["PreUtterance", { updatedText: "很好" }, { text: "很好" }],
    ["UserPromptSubmit", { updatedPrompt: "多少钱" }, { text: "多少钱" }],
    ["PostToolUse", { updatedToolOutput: "{}" }, { text: "{}" }],
    ["PreToolUse", { updatedInput: { a: 1 } }, { input: { a: 1 } }],
    ["SessionStart", { additionalContext: "新店" }, { context: "新店" }],
    ["Stop", { fixedAnswer: "稍等" }, { verdict: "answer", fixedAnswer: "稍等" }],
  ])("reads what %s may change: %j", ([event, fields, effect], { expect }) => {
    expect(parseOutput(event, specific(event, fields))).toMatchObject({ ok: true, value: effect });
  });
});

describe("interpretOutput", () => {
  it("lets a denial win over an answer in the same output", ({ expect }) => {
    const output = {
      decision: "block" as const,
      reason: "不行",
      hookSpecificOutput: { hookEventName: "Stop" as const, fixedAnswer: "好" },
    };
    const interpreted = interpretOutput(output);
    expect(interpreted).toEqual({ verdict: "deny", reason: "不行" });
  });
});
