/** The offline policy at the speed of an inference server: its own words, as tokens, at times drawn from a seed. */
import type { Clock } from "../../shared/core/clock.ts";
import { parseJson } from "../../shared/core/json.ts";
import { pause, type Timer } from "../../shared/core/timer.ts";
import type { ModelClient, ModelRequest } from "../../shared/agent/model-client.ts";
import { readChatStream } from "../../shared/agent/stream/read-chat-stream.ts";
import { offlineChat, type OfflineReply } from "../../shared/offline/decide.ts";
import { toSse } from "../../shared/offline/offline-endpoint.ts";
import { chatRequestSchema } from "../../shared/offline/reading/chat-request.ts";

/** How fast the server is. Times in ms. */
export type PolicySpeed = {
  /** Median time to the first token; most calls take half to twice of it. */
  readonly firstTokenMs: number;
  readonly tokenMs: number;
  /** Share of calls that are {@link slowFactor} times slower in both. */
  readonly slowShare: number;
  readonly slowFactor: number;
  /** Share of calls that say nothing, or nothing more, for ever. */
  readonly stalledShare: number;
};

/** A server of a 7 to 14 B model under load: the first token after a prefill with its cache warm, 40 tokens a second. */
export const POLICY_SPEED: PolicySpeed = {
  firstTokenMs: 350,
  tokenMs: 25,
  slowShare: 0.08,
  slowFactor: 6,
  stalledShare: 0.01,
};

/** Characters of a token of Chinese text, about. */
const TOKEN_CHARS = 2;

export type SimulatedPolicyPorts = {
  readonly time: Clock & Timer;
  readonly random: () => number;
  readonly speed: PolicySpeed;
};

export function createSimulatedPolicy(ports: SimulatedPolicyPorts): ModelClient {
  return {
    endpoint: "offline",
    model: "offline-policy",
    stream: (request) => readChatStream(bodyOf(request, ports), { ...request, timer: ports.time }),
  };
}

async function* bodyOf(
  { messages, tools }: ModelRequest,
  { time, random, speed }: SimulatedPolicyPorts,
): AsyncGenerator<Uint8Array> {
  const request = chatRequestSchema.parse(
    parseJson(JSON.stringify({ model: "offline-policy", stream: true, tools, messages })),
  );
  const events = toSse(toTokens(offlineChat(request)), request, 0).split(/(?<=\n\n)/u);
  const factor = random() < speed.slowShare ? speed.slowFactor : 1;
  // Where it stalls: before its first word as likely as later.
  const stallsAt = random() < speed.stalledShare ? Math.floor((random() * 2 - 1) * events.length) : Infinity;
  await pause(time, speed.firstTokenMs * factor * 2 ** (random() * 2 - 1));
  for (const [index, event] of events.entries()) {
    if (index >= stallsAt) await new Promise(() => {});
    if (index > 0) await pause(time, speed.tokenMs * factor);
    yield new TextEncoder().encode(event);
  }
}

function toTokens(reply: OfflineReply): OfflineReply {
  if (reply.kind === "tool-calls") return reply;
  const chars = Array.from(reply.sentences.join(""));
  const count = Math.ceil(chars.length / TOKEN_CHARS);
  const tokens = Array.from({ length: count }, (_, index) =>
    chars.slice(index * TOKEN_CHARS, (index + 1) * TOKEN_CHARS).join(""),
  );
  return { kind: "text", sentences: tokens };
}
