/** One strategy, from what the room hands over to what it keeps: the model's where that may stand, else the offline policy's. */
import type { ChatMessage, ModelClient, ModelRequest } from "../agent/model-client.ts";
import type { PromptPrefix } from "../agent/prompt/build-prefix.ts";
import type { StreamEnd } from "../agent/stream/chat-stream.ts";
import type { StreamUsage } from "../agent/stream/read-usage.ts";
import type { RoomStrategy, StrategyInput, StrategyPolicy } from "../contract/strategy.ts";
import type { ServedBy } from "../contract/turn-record.ts";
import type { Clock } from "../core/clock.ts";
import { fail, type Result } from "../core/result.ts";
import { buildStrategyPrompt } from "./build-strategy-prompt.ts";
import { offlineStrategy } from "./offline-strategy.ts";
import { readStrategy, type StrategyText } from "./read-strategy.ts";

/** Low: a summary shall say what is there. */
const TEMPERATURE = 0.2;
/** Longer than a turn's: nobody waits for it, and a background call is served after all turns. */
const FIRST_BYTE_TIMEOUT_MS = 15_000;
const BETWEEN_CHUNKS_TIMEOUT_MS = 5_000;
/** Characters of an answer that are read; more is no answer to what was asked. */
const ANSWER_CHARS_MAX = 8_000;

export type StrategyDeps = {
  /** `null` where no endpoint is configured. It must not fall back to the offline policy of turns, which answers viewers. */
  readonly model: ModelClient | null;
  readonly prefix: Pick<PromptPrefix, "products" | "evidence">;
  readonly policy: StrategyPolicy;
  readonly clock: Clock;
  /** Ends the call; the offline policy answers then. */
  readonly signal: AbortSignal;
};

export type MadeStrategy = {
  readonly strategy: RoomStrategy;
  /** Why the model's words are not used: a code of the call, or a reason of the reader. `null` when they are, or none was asked. */
  readonly refused: string | null;
  /** Who served the call; `null` when nobody did. */
  readonly servedBy: ServedBy | null;
  /** Of the model's call; `null` for none. */
  readonly usage: StreamUsage | null;
};

/** Never fails: there is always something to count. */
export async function makeStrategy(input: StrategyInput, deps: StrategyDeps): Promise<MadeStrategy> {
  const answer = deps.model === null ? NOT_ASKED : await ask(deps.model, input, deps);
  const made = answer.read.ok
    ? { ...answer.read.value, source: "model" as const }
    : { ...offlineStrategy(input, deps.prefix), source: "offline" as const };
  const { onScreenProductId, basedOnSeq } = input;
  return {
    strategy: { ...made, onScreenProductId, basedOnSeq, atMs: deps.clock.nowMs() },
    refused: answer.read.ok ? null : answer.read.error,
    servedBy: answer.servedBy,
    usage: answer.usage,
  };
}

type Answer = Pick<MadeStrategy, "servedBy" | "usage"> & { readonly read: Result<StrategyText, string | null> };

const NOT_ASKED: Answer = { read: fail(null), servedBy: null, usage: null };

async function ask(model: ModelClient, input: StrategyInput, deps: StrategyDeps): Promise<Answer> {
  const { messages, grounds } = buildStrategyPrompt(input, deps.prefix);
  let text = "";
  let servedBy: ServedBy | null = null;
  let usage: StreamUsage | null = null;
  let failure: string | null = "model_stream_broken";
  for await (const parts of model.stream(toRequest(messages, deps))) {
    for (const part of parts) {
      if (part.type === "text-delta" && text.length < ANSWER_CHARS_MAX) text += part.text;
      if (part.type === "served-by") servedBy = part.servedBy;
      if (part.type === "usage") usage = part.usage;
      if (part.type === "end") failure = failureOf(part);
    }
  }
  if (failure !== null) return { read: fail(failure), servedBy, usage };
  const read = readStrategy(text, { ...grounds, advice: standingAdvice(input) });
  return { read: read.ok ? read : fail(read.error.reason), servedBy, usage };
}

/** Only a whole answer is read: half a sentence may say the opposite. */
function failureOf({ finish, code }: StreamEnd): string | null {
  if (finish === "stop") return null;
  return code ?? (finish === "length" ? "model_output_truncated" : finish);
}

/** An advice is about the product that was on screen. */
function standingAdvice({ previous, onScreenProductId }: StrategyInput): string {
  return previous !== null && previous.onScreenProductId === onScreenProductId ? previous.advice : "";
}

function toRequest(messages: readonly ChatMessage[], { policy, signal }: StrategyDeps): ModelRequest {
  return {
    messages,
    tools: [],
    temperature: TEMPERATURE,
    topP: null,
    maxOutputTokens: policy.outputTokensMax,
    thinking: false,
    firstByteTimeoutMs: FIRST_BYTE_TIMEOUT_MS,
    betweenChunksTimeoutMs: BETWEEN_CHUNKS_TIMEOUT_MS,
    callIdPrefix: "strategy",
    signal,
  };
}
