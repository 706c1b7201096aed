import { describe, it } from "vitest";
import type { ModelClient } from "../../../../shared/agent/model-client.ts";
import { roomStrategySchema, strategyPolicySchema } from "../../../../shared/contract/strategy.ts";
import { makeStrategy } from "../../../../shared/strategy/make-strategy.ts";
import { ScriptedModel, type ScriptedAnswer } from "../../../helpers/scripted-model.ts";
import { aStrategy, aStrategyInput, roomPrefix } from "./strategies.ts";

const GOOD = "【小结】正在讲1号纯棉毛巾，多人问尺码。\n【提示】下一句主动讲尺码";
const make = (model: ModelClient | null, input = aStrategyInput(), signal = new AbortController().signal) =>
  makeStrategy(input, {
    model,
    prefix: roomPrefix,
    policy: strategyPolicySchema.parse({ isOn: true }),
    clock: { nowMs: () => 77_000 },
    signal,
  });
const answering = (answer: ScriptedAnswer) => new ScriptedModel([answer]);

describe("makeStrategy", () => {
  it("is the model's where it may stand, whichever way it arrives", async ({ expect }) => {
    const made = await make(answering({ texts: [...GOOD] }));
    expect(made).toMatchObject({ refused: null });
    expect(made.strategy).toEqual({
      summary: "正在讲1号纯棉毛巾，多人问尺码。",
      advice: "下一句主动讲尺码",
      onScreenProductId: "p1",
      basedOnSeq: 10,
      atMs: 77_000,
      source: "model",
    });
  });

  it("is the offline policy's where no endpoint is configured", async ({ expect }) => {
    const { strategy, refused } = await make(null);
    expect(strategy).toMatchObject({ source: "offline", summary: "正在讲1号纯棉毛巾。最近没有人问商品。" });
    expect(refused).toBeNull();
    expect(roomStrategySchema.safeParse(strategy).success).toBe(true);
  });

  it.for([
    [{ texts: ["【小结】1号纯棉毛巾只要9.9元。"] }, "ungrounded"],
    [{ texts: ["你好，有什么可以帮您？"] }, "no_summary"],
    [{ texts: [GOOD], end: { type: "end", finish: "length", code: null } }, "model_output_truncated"],
    [{ texts: [GOOD], end: { type: "end", finish: "error", code: "model_timed_out" } }, "model_timed_out"],
    [{ texts: [GOOD], calls: [{ name: "get_price", arguments: {} }] }, "tool-calls"],
  ] as const)("is the offline policy's after %j", async ([answer, reason], { expect }) => {
    const { strategy, refused } = await make(answering(answer));
    expect(refused).toBe(reason);
    expect(strategy).toMatchObject({ source: "offline" });
  });

  it("is the offline policy's when the call is ended", async ({ expect }) => {
    const stop = new AbortController();
    const made = make(answering({ texts: [GOOD], hangs: true }), aStrategyInput(), stop.signal);
    stop.abort();
    expect(await made).toMatchObject({ refused: "aborted", strategy: { source: "offline" } });
  });

  it("keeps the old advice only for the product that it is about", async ({ expect }) => {
    const noAdvice = { texts: ["【小结】正在讲1号纯棉毛巾，多人问尺码。"] };
    const same = await make(answering(noAdvice), aStrategyInput({ previous: aStrategy({ advice: "讲材质" }) }));
    expect(same.strategy.advice).toBe("讲材质");
    const previous = aStrategy({ advice: "讲材质", onScreenProductId: "p2" });
    expect((await make(answering(noAdvice), aStrategyInput({ previous }))).strategy.advice).toBe("");
  });
});
