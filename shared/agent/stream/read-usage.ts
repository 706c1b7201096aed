/** Tokens of one model call, as the engine counted them. */
export type StreamUsage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input tokens that the engine's prefix cache held; `null` if it does not say. */
  readonly cachedTokens: number | null;
  /** Output tokens that were thoughts; `null` or absent if it does not say. */
  readonly reasoningTokens?: number | null;
  /** True if the engine gave no usage and the figures are guessed from the text's length, with no input tokens. */
  readonly estimated: boolean;
  /** Tokens per step of speculative decoding, 1 or more. Absent if the engine does not say. */
  readonly meanAcceptanceLength?: number;
};

/** Tokens per UTF-16 unit of a Chinese answer with digits and JSON. Only for the guess, so a round figure. */
const TOKENS_PER_CHAR = 0.7;

/** Usage of a call from its last `usage` and `metrics` objects; guessed from the output's length if there is no usage. */
export function readUsage(usage: unknown, metrics: unknown, outputChars: number): StreamUsage {
  const acceptance = readNumber(readObject(metrics, "speculative_decoding"), "mean_acceptance_length");
  const extra = acceptance === null ? {} : { meanAcceptanceLength: acceptance };
  const inputTokens = readNumber(usage, "prompt_tokens");
  const outputTokens = readNumber(usage, "completion_tokens");
  if (inputTokens === null && outputTokens === null) {
    const guess = Math.ceil(outputChars * TOKENS_PER_CHAR);
    return {
      inputTokens: 0,
      outputTokens: guess,
      cachedTokens: null,
      reasoningTokens: null,
      estimated: true,
      ...extra,
    };
  }
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    cachedTokens: readNumber(readObject(usage, "prompt_tokens_details"), "cached_tokens"),
    reasoningTokens: readNumber(readObject(usage, "completion_tokens_details"), "reasoning_tokens"),
    estimated: false,
    ...extra,
  };
}

function readObject(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}

function readNumber(value: unknown, key: string): number | null {
  const found = readObject(value, key);
  return typeof found === "number" && Number.isFinite(found) && found >= 0 ? found : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
