/** `POST /v1/audio/speech` as OpenAI has it, and `/control` for tests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { parseJson } from "../../shared/core/json.ts";
import { sendAudio, toAnswer } from "./answer.ts";
import type { SpeechEngine } from "./engine.ts";
import { faultsBodySchema, VoiceFaults, type VoiceFault } from "./faults.ts";
import type { VoiceOptions } from "./options.ts";

/** Requests that are remembered. */
const LOG_MAX = 1_000;

/** OpenAI's limit on `input`, and the fields that our client sends; more is passed over. */
const requestSchema = z.object({
  input: z.string().min(1).max(4_096),
  model: z.string().min(1),
  voice: z.string().default(""),
  speed: z.number().min(0.25).max(4).default(1),
  response_format: z.string().optional(),
});

/** A request, as `GET /control/requests` gives it. */
export type VoiceRequest = {
  readonly input: string;
  readonly voice: string;
  readonly speed: number;
  /** `null` while it lasts. */
  ending: "whole" | "closed-by-client" | "fault" | null;
};

type Voice = {
  readonly options: VoiceOptions;
  readonly engine: SpeechEngine;
  readonly faults: VoiceFaults;
  readonly log: VoiceRequest[];
};

export function createVoiceServer(options: VoiceOptions, engine: SpeechEngine): Server {
  const voice: Voice = { options, engine, faults: new VoiceFaults(), log: [] };
  return createServer((request, response) => {
    route(voice, request, response).catch((thrown: unknown) => {
      process.stderr.write(`${String(thrown)}\n`);
      response.destroy();
    });
  });
}

async function route(voice: Voice, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readText(request);
  switch (`${request.method} ${request.url}`) {
    case "POST /v1/audio/speech":
      return serveSpeech(voice, request, { body, response });
    case "GET /health":
      return void response.writeHead(200).end();
    case "GET /control/requests":
      return sendJson(response, 200, { requests: voice.log });
    case "POST /control/faults":
      return setFaults(voice, body, response);
    default:
      return refuse(response, 404, "Not Found");
  }
}

function setFaults(voice: Voice, body: string, response: ServerResponse): void {
  const parsed = faultsBodySchema.safeParse(parseJson(body));
  if (!parsed.success) return refuse(response, 400, z.prettifyError(parsed.error));
  voice.faults.replace(parsed.data.faults);
  voice.log.length = 0;
  sendJson(response, 200, {});
}

type Exchange = { readonly body: string; readonly response: ServerResponse };

async function serveSpeech(voice: Voice, request: IncomingMessage, { body, response }: Exchange): Promise<void> {
  const { key } = voice.options;
  if (key !== "" && request.headers.authorization !== `Bearer ${key}`)
    return refuse(response, 401, "Incorrect API key");
  const parsed = requestSchema.safeParse(parseJson(body));
  if (!parsed.success) return refuse(response, 400, z.prettifyError(parsed.error));
  const { input, voice: name, speed } = parsed.data;
  const entry: VoiceRequest = { input, voice: name, speed, ending: null };
  voice.log.push(entry);
  if (voice.log.length > LOG_MAX) voice.log.shift();
  const fault = voice.faults.take(input);
  if (fault?.fault === "status") {
    entry.ending = "fault";
    return refuse(response, fault.status, "As was ordered");
  }
  return answer({ voice, entry, fault, response });
}

type Answering = {
  readonly voice: Voice;
  readonly entry: VoiceRequest;
  readonly fault: VoiceFault | null;
  readonly response: ServerResponse;
};

async function answer({ voice, entry, fault, response }: Answering): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => {
    entry.ending ??= "closed-by-client";
    gone.abort();
  });
  const made = await voice.engine({ text: entry.input, voice: entry.voice, speed: entry.speed });
  if (fault?.fault === "slow") await waitFor(fault.ms, gone.signal);
  const body = toAnswer(made, voice.options, fault);
  const isSent = await sendAudio(body, response, () => gone.signal.aborted);
  if (!isSent || fault?.fault === "stall") return;
  const isCut = fault?.fault === "cut";
  entry.ending = isCut ? "fault" : "whole";
  if (isCut) response.socket?.destroySoon();
  else response.end(body.tail);
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {});
}

function refuse(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message, type: "invalid_request_error" } });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
