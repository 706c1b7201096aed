import { describe, it } from "vitest";
import type { HttpTool } from "../../../../../shared/agent/tools/execute-tool-call.ts";
import { createRecordedTools } from "../../../../../shared/agent/turn/replay-tools.ts";
import type { ToolCallRecord } from "../../../../../shared/contract/turn-record.ts";
import { aHarness } from "../../../../helpers/harnesses.ts";
import { aToolCall } from "../../../../helpers/turn-records.ts";
import { startTurn } from "../../../../helpers/turns.ts";

const HTTP_TOOL = {
  name: "look_up",
  description: "查询",
  inputSchema: {
    type: "object" as const,
    properties: { product: { type: "string" }, spec: { type: "string" } },
    required: [],
    additionalProperties: false as const,
  },
  binding: { type: "http" as const, url: "https://shop.example/lookup" },
};
const HARNESS = aHarness({ tools: [HTTP_TOOL] });
const NEVER = new AbortController().signal;

function call(http: HttpTool, args: Record<string, unknown>): Promise<string> {
  const tool = HARNESS.tools.get("look_up");
  if (tool === undefined) throw new Error("the harness has the tool");
  return http.call(tool, args, NEVER);
}

describe("createRecordedTools", () => {
  it("answers with the recorded result, whatever the order and spacing of the arguments", async ({ expect }) => {
    const recorded = aToolCall({ argumentsText: ' { "spec": "蓝",\n "product": "1" }', output: "39.9" });
    const { http, unrecordedCalls } = createRecordedTools([recorded]);
    expect(await call(http, { product: "1", spec: "蓝" })).toBe("39.9");
    expect(unrecordedCalls).toEqual([]);
  });

  it("answers equal calls in their order, and then as the last", async ({ expect }) => {
    const { http } = createRecordedTools([aToolCall({ output: "waiting" }), aToolCall({ output: "sent" })]);
    const answers = [await call(http, { product: "1" }), await call(http, { product: "1" })];
    expect([...answers, await call(http, { product: "1" })]).toEqual(["waiting", "sent", "sent"]);
  });

  it.for<[string, Partial<ToolCallRecord>]>([
    ["another tool", { tool: "look_down" }],
    ["other arguments", { argumentsText: '{"product":"2"}' }],
    ["arguments that were cut", { argumentsText: '{"product":"1' }],
    ["a call that a hook denied", { outcome: "tool-denied", code: "tool_denied" }],
    ["a call that did not fit the tool", { outcome: "tool-error", code: "tool_input_invalid" }],
    ["a call that nobody waited for", { outcome: "tool-error", code: "tool_cancelled" }],
    ["a failure of no known kind", { outcome: "tool-error", code: "gone" }],
  ])("has no answer in %s, and says so", async ([, recorded], { expect }) => {
    const { http, unrecordedCalls } = createRecordedTools([aToolCall(recorded)]);
    await expect(call(http, { product: "1" })).rejects.toMatchObject({ code: "tool_failed" });
    expect(unrecordedCalls).toEqual([{ tool: "look_up", argumentsText: '{"product":"1"}' }]);
  });

  it("fails as the service did", async ({ expect }) => {
    const { http, unrecordedCalls } = createRecordedTools([
      aToolCall({ outcome: "tool-error", code: "tool_timed_out", output: "没有结果" }),
    ]);
    await expect(call(http, { product: "1" })).rejects.toMatchObject({ code: "tool_timed_out" });
    expect(unrecordedCalls).toEqual([]);
  });

  it("has no answer to arguments that have no canonical form", async ({ expect }) => {
    const { http } = createRecordedTools([aToolCall({ argumentsText: String.raw`{"product":"\ud800"}` })]);
    await expect(call(http, { product: "\ud800" })).rejects.toMatchObject({ code: "tool_failed" });
  });

  it("stands in for the service in a whole turn: what is recorded is evidence, what is not is told as a failure", async ({
    expect,
  }) => {
    const { http, unrecordedCalls } = createRecordedTools([aToolCall()]);
    const turn = startTurn({
      harness: HARNESS,
      http,
      answers: [
        {
          calls: [
            { id: "a", name: "look_up", arguments: { product: "1" } },
            { id: "b", name: "look_up", arguments: { product: "9" } },
          ],
        },
        { texts: ["39.9元。"] },
      ],
    });
    const { trace } = await turn.end;
    expect(trace.steps[0]?.toolCalls).toMatchObject([
      { outcome: "tool-result", output: '{"price":39.9}' },
      { outcome: "tool-error", code: "tool_failed" },
    ]);
    expect(unrecordedCalls).toEqual([{ tool: "look_up", argumentsText: '{"product":"9"}' }]);
  });
});
