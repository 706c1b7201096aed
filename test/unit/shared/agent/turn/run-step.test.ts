import { describe, it } from "vitest";
import { aHarness } from "../../../../helpers/harnesses.ts";
import { startTurn } from "../../../../helpers/turns.ts";

describe("runStep", () => {
  it("speaks a sentence before the stream ends", async ({ expect }) => {
    const turn = startTurn({ answers: [{ texts: ["第一句。", "第二"], hangs: true }] });
    while (turn.heard.length === 0) await Promise.resolve();
    expect(turn.heard.map(({ text }) => text)).toEqual(["第一句。"]);
    turn.time.advance(8_000);
    await turn.end;
  });

  it.for([
    [{ type: "end", finish: "length", code: null }, "model_output_truncated"],
    [{ type: "end", finish: "incomplete", code: null }, "model_stream_broken"],
    [{ type: "end", finish: "aborted", code: null }, "model_stream_broken"],
    [{ type: "end", finish: "content-filter", code: null }, "model_refused"],
    [{ type: "end", finish: "error", code: "500" }, "model_stream_broken"],
    [{ type: "end", finish: "error", code: "model_unavailable" }, "model_unavailable"],
    [{ type: "end", finish: "stop", code: null }, "model_empty_stream"],
  ] as const)("%j without text is %s, never an answer", async ([end, reason], { expect }) => {
    const turn = startTurn({ harness: aHarness({ budgets: { retriesMax: 0 } }), answers: [{ end }] });
    expect(await turn.end).toMatchObject({ outcome: "fallback", reason });
  });

  it("records usage, times and how the call ended", async ({ expect }) => {
    const turn = startTurn({ answers: [{ texts: ["好的。"] }] });
    const end = await turn.end;
    expect(end.trace.steps).toMatchObject([{ index: 0, finish: "stop", text: "好的。", firstDeltaMs: 0, usage: null }]);
  });
});
