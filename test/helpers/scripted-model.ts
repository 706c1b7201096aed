import type { ChatMessage, ModelClient, ModelRequest } from "../../shared/agent/model-client.ts";
import type { ChatStreamPart } from "../../shared/agent/stream/chat-stream.ts";

export type ScriptedCall = { readonly name: string; readonly arguments: unknown; readonly id?: string };
/** One answer: texts as they stream, calls at the end, and how the stream ends. */
export type ScriptedAnswer = {
  readonly texts?: readonly string[];
  readonly calls?: readonly ScriptedCall[];
  readonly end?: Extract<ChatStreamPart, { type: "end" }>;
  /** Never ends by itself: waits until the request is aborted. */
  readonly hangs?: boolean;
};

/** A policy that plays a list of answers and keeps what it was asked. */
export class ScriptedModel implements ModelClient {
  readonly endpoint = "scripted";
  readonly model = "scripted-1";
  readonly requests: {
    readonly messages: readonly ChatMessage[];
    readonly body: string;
    readonly signal: AbortSignal;
  }[] = [];
  readonly #answers: readonly ScriptedAnswer[];

  constructor(answers: readonly ScriptedAnswer[]) {
    this.#answers = answers;
  }

  async *stream(request: ModelRequest): AsyncGenerator<readonly ChatStreamPart[]> {
    const answer = this.#answers[this.requests.length];
    this.requests.push({
      messages: structuredClone(request.messages) as ChatMessage[],
      body: JSON.stringify({ tools: request.tools, messages: request.messages }),
      signal: request.signal,
    });
    if (answer === undefined) throw new Error(`The script has no answer for call ${this.requests.length}`);
    for (const text of answer.texts ?? []) {
      if (request.signal.aborted) break;
      yield [{ type: "text-delta", text }];
    }
    if (answer.hangs === true) await untilAborted(request.signal);
    if (request.signal.aborted) {
      yield [{ type: "end", finish: "aborted", code: null }];
      return;
    }
    const calls = (answer.calls ?? []).map((call, index): ChatStreamPart => ({
      type: "tool-call",
      toolCall: { id: call.id ?? `call_${index}`, name: call.name, argumentsText: textOf(call.arguments) },
    }));
    const finish = calls.length > 0 ? "tool-calls" : "stop";
    yield [...calls, answer.end ?? { type: "end", finish, code: null }];
  }
}

function textOf(args: unknown): string {
  return typeof args === "string" ? args : JSON.stringify(args);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
