import { describe, it } from "vitest";
import { readUsage } from "../../../../../shared/agent/stream/read-usage.ts";

describe("readUsage", () => {
  it("reads tokens, cached and reasoning tokens, and acceptance", ({ expect }) => {
    const usage = {
      prompt_tokens: 812,
      completion_tokens: 9,
      prompt_tokens_details: { cached_tokens: 784 },
      completion_tokens_details: { reasoning_tokens: 2 },
    };
    expect(readUsage(usage, { speculative_decoding: { mean_acceptance_length: 1.9 } }, 30)).toEqual({
      inputTokens: 812,
      outputTokens: 9,
      cachedTokens: 784,
      reasoningTokens: 2,
      estimated: false,
      meanAcceptanceLength: 1.9,
    });
  });

  it.for([null, undefined, {}, "x", { prompt_tokens: "9" }, { completion_tokens: -1 }, { prompt_tokens: Number.NaN }])(
    "guesses output tokens from the length when usage is %j",
    (usage, { expect }) => {
      expect(readUsage(usage, null, 10)).toEqual({
        inputTokens: 0,
        outputTokens: 7,
        cachedTokens: null,
        reasoningTokens: null,
        estimated: true,
      });
    },
  );

  it("says null, not 0, for details that the engine leaves out", ({ expect }) => {
    const usage = { prompt_tokens: 5, completion_tokens: 0, prompt_tokens_details: null };
    expect(readUsage(usage, { speculative_decoding: null }, 10)).toEqual({
      inputTokens: 5,
      outputTokens: 0,
      cachedTokens: null,
      reasoningTokens: null,
      estimated: false,
    });
  });
});
