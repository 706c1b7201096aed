import type { ModelClient, ModelRequest } from "../../shared/agent/model-client.ts";
import { readChatStream } from "../../shared/agent/stream/read-chat-stream.ts";
import { answerChat } from "../../shared/offline/offline-endpoint.ts";

/** The offline policy behind its own protocol: a request body in, a stream of bytes out. */
export const offlineModel: ModelClient = {
  endpoint: "offline",
  model: "offline-policy",
  stream: (request) => readChatStream(bodyOf(request), request),
};

async function* bodyOf({ messages, tools }: ModelRequest): AsyncGenerator<Uint8Array> {
  const answer = answerChat(JSON.stringify({ model: "offline-policy", stream: true, tools, messages }));
  yield new TextEncoder().encode(answer.body);
}
