/** Port to one inference endpoint: a call goes there or fails. Where it goes instead is the turn's decision. */
import type { ModelRequest } from "../agent/model-client.ts";
import type { ChatStreamPart } from "../agent/stream/chat-stream.ts";

/** What a call takes along besides the conversation. */
export type EndpointCall = ModelRequest & {
  /** 0 to 9, lower first; sent where the server schedules by it. */
  readonly priority: number;
  /** Hex of a hash of the merchant, at most 128 characters: no merchant's cached prompts serve another's. `null`: none. */
  readonly cacheSalt: string | null;
  /** The whole answer must have come within this time, ms; then `model_timed_out`. */
  readonly totalTimeoutMs: number;
};

/** Never throws: every failure is an `end` part with its code, after whatever text came before. */
export interface EndpointClient {
  readonly model: string;
  stream(call: EndpointCall): AsyncIterable<readonly ChatStreamPart[]>;
}
