/** The emulator behind HTTP: the engines' routes, and `/control`. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { answerControl } from "./control.ts";
import { toErrorBody, type ApiError } from "./dialects.ts";
import type { Emulator } from "./emulator.ts";
import { toMetricsText } from "./engine-metrics.ts";
import { serveChat } from "./serve-chat.ts";
import { toTokenBlocks } from "./tokens.ts";
import { parseJson } from "../../shared/core/json.ts";

export function createEmulatorServer(emulator: Emulator): Server {
  return createServer((request, response) => {
    route(emulator, request, response).catch(() => response.destroy());
  });
}

async function route(emulator: Emulator, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://endpoint");
  const body = await readBody(request);
  if (pathname.startsWith("/control/")) {
    const name = `${request.method} ${pathname.slice("/control".length)}`;
    const answer = answerControl(emulator, name, body.toString("utf8"));
    return sendJson(response, answer.status, answer.body);
  }
  if (pathname.startsWith("/v1/") && !hasKey(request, emulator.options.key)) {
    return sendError(emulator, response, {
      status: 401,
      message: "Incorrect API key provided",
      code: "invalid_api_key",
    });
  }
  switch (`${request.method} ${pathname}`) {
    case "POST /v1/chat/completions":
      return serveChat(emulator, body, response);
    case "POST /tokenize":
      return sendJson(response, 200, toCount(body.toString("utf8")));
    case "GET /v1/models":
      return sendJson(response, 200, toModels(emulator));
    case "GET /metrics":
      return sendMetrics(emulator, response);
    case "GET /health":
      return void response.writeHead(200).end();
    default:
      return sendError(emulator, response, { status: 404, message: "Not Found" });
  }
}

/** As vLLM and SGLang have it, `/health` and `/metrics` need no key. */
function hasKey(request: IncomingMessage, key: string): boolean {
  return key === "" || request.headers.authorization === `Bearer ${key}`;
}

/** As both engines answer, but for the tokens' own numbers: there is no tokenizer here. */
function toCount(text: string): object {
  const body = parseJson(text);
  const prompt = typeof body === "object" && body !== null && "prompt" in body ? String(body.prompt) : "";
  const { tokens: count } = toTokenBlocks(prompt, 16, "");
  return { count, max_model_len: 32_768, tokens: [] };
}

function toModels({ options }: Emulator): object {
  const model = { id: options.model, object: "model", created: 0, owned_by: options.kind };
  return { object: "list", data: [model] };
}

function sendMetrics(emulator: Emulator, response: ServerResponse): void {
  const { kind, model, noMetrics } = emulator.options;
  emulator.engine.refresh();
  const text = noMetrics ? null : toMetricsText(kind, emulator.engine, model);
  if (text === null) return sendError(emulator, response, { status: 404, message: "Not Found" });
  response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text);
}

function sendError(emulator: Emulator, response: ServerResponse, error: ApiError): void {
  sendJson(response, error.status, toErrorBody(emulator.options.kind, error));
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
