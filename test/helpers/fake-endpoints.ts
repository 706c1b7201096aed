/** Endpoints that a test scripts, and the desk that admits turns to them. */
import type { ChatStreamPart } from "../../shared/agent/stream/chat-stream.ts";
import type { Admission, AdmissionRequest, UseReport } from "../../shared/contract/admission.ts";
import type { AdmissionAnswer, Admissions } from "../../shared/inference/admissions.ts";
import type { EndpointCall, EndpointClient } from "../../shared/inference/endpoint-client.ts";
import type { Candidate } from "../../shared/inference/find-seat.ts";

type Parts = readonly ChatStreamPart[];
/** Lists of parts as they come; `"hangs"` waits for the abort. */
export type ScriptedStream = readonly (Parts | "hangs")[];

export const text = (...texts: readonly string[]): Parts[] => texts.map((one) => [{ type: "text-delta", text: one }]);
export const done: Parts = [{ type: "end", finish: "stop", code: null }];
export const failed = (code: string, retryAfterMs?: number): Parts => [
  { type: "end", finish: "error", code, ...(retryAfterMs !== undefined && { retryAfterMs }) },
];

/** Plays one stream a call; the last one again and again. */
export class FakeEndpoint implements EndpointClient {
  readonly calls: EndpointCall[] = [];
  readonly aborted: number[] = [];
  readonly #streams: readonly ScriptedStream[];
  readonly model: string;

  constructor(model: string, ...streams: readonly ScriptedStream[]) {
    this.model = model;
    this.#streams = streams;
  }

  async *stream(call: EndpointCall): AsyncGenerator<Parts> {
    const index = this.calls.push(call) - 1;
    call.signal.addEventListener("abort", () => this.aborted.push(index), { once: true });
    for (const parts of this.#streams[index] ?? this.#streams.at(-1) ?? [done]) {
      if (parts === "hangs") await untilAborted(call.signal);
      if (call.signal.aborted) return yield [{ type: "end", finish: "aborted", code: null }];
      if (parts !== "hangs") yield parts;
    }
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Admits everybody at once, unless an endpoint has another answer. Keeps what it was told. */
export class FakeAdmissions implements Admissions {
  readonly asked: { endpoint: string; request: AdmissionRequest }[] = [];
  readonly cancelled: string[] = [];
  readonly reports: { endpoint: string; report: UseReport }[] = [];
  readonly #answers: Readonly<Record<string, Admission>>;

  constructor(answers: Readonly<Record<string, Admission>> = {}) {
    this.#answers = answers;
  }

  async admit(endpoint: string, request: AdmissionRequest): Promise<AdmissionAnswer> {
    this.asked.push({ endpoint, request });
    return { ...(this.#answers[endpoint] ?? { admitted: true, waitedMs: 0 }), isLocal: false };
  }

  cancel(endpoint: string): void {
    this.cancelled.push(endpoint);
  }

  report(endpoint: string, report: UseReport): void {
    this.reports.push({ endpoint, report });
  }
}

export function aCandidate(name: string, client: EndpointClient, tier: "main" | "fallback" = "main"): Candidate {
  return { name, tier, client, limits: { slots: 16, utilizationCeiling: 0.5, capacity: "adaptive", updatedAtMs: 1 } };
}
