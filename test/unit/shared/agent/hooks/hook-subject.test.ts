import { describe, it } from "vitest";
import { subjectOf, withText, withToolInput } from "../../../../../shared/agent/hooks/hook-subject.ts";
import type { HookInput } from "../../../../../shared/contract/hook-io.ts";
import { aMessage, aModelCall, aReply, aSentence, aStart, aToolCall, aToolResult } from "./hook-inputs.ts";

describe("subjectOf", () => {
  it.for<[input: HookInput, subject: string]>([
    [aMessage("多少钱"), "多少钱"],
    [aSentence("39.9元"), "39.9元"],
    [aToolResult("{}"), "{}"],
    [aReply("好的。"), "好的。"],
    [aToolCall({ product: "毛巾", list: ["红", { deep: "蓝" }], quantity: 1 }), "毛巾\n红\n蓝"],
    [aStart(), ""],
    [aModelCall(), ""],
  ])("reads $0.hook_event_name", ([input, subject], { expect }) => {
    expect(subjectOf(input)).toBe(subject);
  });
});

describe("withText", () => {
  it.for([aMessage("旧"), aSentence("旧"), aToolResult("旧")])(
    "changes the text of $hook_event_name",
    (input, { expect }) => {
      expect(subjectOf(withText(input, "新"))).toBe("新");
      expect(subjectOf(input)).toBe("旧");
    },
  );

  it.for([aReply("旧"), aStart(), aToolCall({ a: "旧" })])("leaves $hook_event_name as it is", (input, { expect }) => {
    expect(withText(input, "新")).toBe(input);
  });
});

describe("withToolInput", () => {
  it("changes arguments of a call, and nothing else", ({ expect }) => {
    expect(withToolInput(aToolCall({ a: "旧" }), { a: "新" })).toEqual(aToolCall({ a: "新" }));
    const sentence = aSentence("旧");
    expect(withToolInput(sentence, { a: "新" })).toBe(sentence);
  });
});
