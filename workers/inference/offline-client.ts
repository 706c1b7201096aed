/** The policy inside the Worker, behind the same protocol as any server, without a network hop. */
import { answerChat } from "../../shared/offline/offline-endpoint.ts";
import type { EndpointClient } from "../../shared/inference/endpoint-client.ts";
import { createOpenAiClient } from "./openai-client.ts";

export const offlineClient: EndpointClient = createOpenAiClient({
  baseUrl: "http://offline.invalid/v1",
  model: "offline-policy",
  apiKey: "",
  fields: new Set(),
  opensThinking: false,
  connectTimeoutMs: 10_000,
  fetch: answerOffline,
});

async function answerOffline(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const answer = answerChat(await new Request(input, init).text());
  return new Response(answer.body, { status: answer.status, headers: { "content-type": answer.contentType } });
}
