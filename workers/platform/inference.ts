/** Which policy answers: the configured endpoint, or the offline policy inside this Worker. */
import type { ModelClient } from "../../shared/agent/model-client.ts";
import { answerChat } from "../../shared/offline/offline-endpoint.ts";
import { createModelClient } from "./openai-model-client.ts";
import type { Settings } from "./settings.ts";

const clients = new WeakMap<Settings, ModelClient>();

/** The client of a deployment, made once an isolate. */
export function modelClientOf(settings: Settings): ModelClient {
  const known = clients.get(settings);
  if (known !== undefined) return known;
  const client =
    settings.inference === null
      ? createModelClient({
          name: "offline",
          baseUrl: "http://offline.invalid/v1",
          model: "offline-policy",
          apiKey: "",
          kind: "vllm",
          opensThinking: false,
          fetch: answerOffline,
        })
      : createModelClient({ name: new URL(settings.inference.baseUrl).host, ...settings.inference });
  clients.set(settings, client);
  return client;
}

/** The offline policy behind the same protocol as any server, without a network hop. */
async function answerOffline(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const answer = answerChat(await new Request(input, init).text());
  return new Response(answer.body, { status: answer.status, headers: { "content-type": answer.contentType } });
}
