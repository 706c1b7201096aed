import { describe, it } from "vitest";
import { checkHookFit, isObserved } from "../../../../../shared/agent/hooks/check-hook-fit.ts";
import { aCodeHook, aHook } from "./hook-inputs.ts";

const BLOCK = { type: "block", reason: "不行" };
const REWRITE = { type: "rewrite", reason: "换" };
const ANSWER = { type: "answer", text: "稍等", reason: "x" };
const CONTEXT = { type: "context", text: "x" };

describe("checkHookFit", () => {
  it.for<[fields: Record<string, unknown>, message: string]>([
    [{ event: "Stop", action: REWRITE }, "Stop has no text that can be rewritten"],
    [{ event: "PreToolUse", action: REWRITE }, "PreToolUse has no text that can be rewritten"],
    [{ event: "PreUtterance", action: ANSWER }, "PreUtterance cannot be answered"],
    [{ event: "PostUtterance", action: BLOCK }, "PostUtterance cannot be blocked"],
    [{ event: "SessionStart", action: BLOCK, check: undefined, when: "true" }, "SessionStart cannot be blocked"],
    [{ event: "PreUtterance", action: CONTEXT }, "PreUtterance has no model call after it"],
    [{ event: "PreUtterance", check: { type: "tool-arguments" } }, "`tool-arguments` finds nothing on PreUtterance"],
    [
      { event: "UserPromptSubmit", check: { type: "promise-without-action", promises: {} } },
      "finds nothing on UserPromptSubmit",
    ],
    [{ event: "PreModelCall" }, "PreModelCall has no text to check"],
    [{ matcher: "get_price" }, "PreUtterance has no tool"],
    [{ check: undefined, action: REWRITE }, "A rewrite needs a check"],
  ])("refuses %j", ([fields, message], { expect }) => {
    expect(checkHookFit(aHook(fields))).toContainEqual(
      expect.objectContaining({ severity: "error", message: expect.stringContaining(message) }),
    );
  });

  it.for<[fields: Record<string, unknown>, message: string]>([
    [{ check: { type: "pattern", pattern: "a" }, action: REWRITE }, "knows no better text"],
    [{ action: REWRITE }, "Without `replacements`"],
    [{ check: undefined }, "acts on every PreUtterance"],
  ])("warns about %j", ([fields, message], { expect }) => {
    expect(checkHookFit(aHook(fields))).toEqual([
      expect.objectContaining({ severity: "warning", message: expect.stringContaining(message) }),
    ]);
  });

  it.for<Record<string, unknown>>([
    {},
    { event: "UserPromptSubmit", action: ANSWER },
    { event: "Stop", action: ANSWER },
    { event: "PreToolUse", matcher: "get_price", check: { type: "tool-arguments" } },
    { event: "SessionStart", action: CONTEXT, check: undefined },
    { event: "UserPromptSubmit", action: REWRITE, check: { type: "prompt-injection" } },
    { event: "PreUtterance", action: REWRITE, check: { type: "advertising-law", replacements: { 最好: "很好" } } },
  ])("passes %j", (fields, { expect }) => {
    expect(checkHookFit(aHook(fields))).toEqual([]);
  });

  it("refuses a matcher on code of an event without tools", ({ expect }) => {
    expect(checkHookFit(aCodeHook({ matcher: "x" }))).toHaveLength(1);
    expect(checkHookFit(aCodeHook({ matcher: "x", event: "PreToolUse" }))).toEqual([]);
  });
});

describe("isObserved", () => {
  it("is true of events that cannot be stopped", ({ expect }) => {
    const events = ["SessionStart", "PreUtterance", "PostUtterance", "PostToolUse"] as const;
    expect(events.map(isObserved)).toEqual([true, false, true, false]);
  });
});
