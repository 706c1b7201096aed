import { describe, it } from "vitest";
import { checkForPush } from "../../../harness-kv/check-for-push.ts";
import { aBundle } from "../../helpers/harnesses.ts";

describe("checkForPush", () => {
  it("passes a bundle that works", ({ expect }) => {
    expect(checkForPush(aBundle()).filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("refuses what passes the checks and does not compile", ({ expect }) => {
    const [tool] = aBundle().tools;
    const properties = { product: { type: "string", pattern: "(?=x)" } };
    const tools = tool === undefined ? [] : [{ ...tool, inputSchema: { ...tool.inputSchema, properties } }];
    expect(checkForPush(aBundle({ tools })).filter(({ severity }) => severity === "error")).not.toEqual([]);
  });

  it("reads the lines that hooks answer with", ({ expect }) => {
    const hooks = [
      {
        type: "check" as const,
        name: "busy",
        event: "UserPromptSubmit" as const,
        action: { type: "answer" as const, text: "我们是全网最低价。", reason: "x" },
      },
    ];
    const problems = checkForPush(aBundle({ hooks })).map(({ message }) => message);
    expect(problems.join("\n")).toMatch(/全网最低价/u);
  });

  it("knows this product's builtins, its hooks and its word lists", ({ expect }) => {
    const [tool] = aBundle().tools;
    const bundle = aBundle({
      tools: tool === undefined ? [] : [{ ...tool, binding: { type: "builtin", builtin: "refund" } }],
      hooks: [
        {
          type: "check",
          name: "broken",
          event: "Stop",
          when: "input.reply ===",
          action: { type: "block", reason: "x" },
        },
      ],
      lines: { fallback: ["我们是全网最低价。"] },
    });
    const problems = checkForPush(bundle)
      .map(({ file, message }) => `${file}: ${message}`)
      .join("\n");
    expect(problems).toMatch(/refund/u);
    expect(problems).toMatch(/broken/u);
    expect(problems).toMatch(/全网最低价/u);
  });
});
