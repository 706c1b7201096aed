/** A turn's model over scripted endpoints, in a time that the test moves. */
import type { ModelPart, ModelRequest } from "../../../../shared/agent/model-client.ts";
import type { AdmissionRequest } from "../../../../shared/contract/admission.ts";
import type { Candidate } from "../../../../shared/inference/find-seat.ts";
import { HedgeBudget } from "../../../../shared/inference/hedge-budget.ts";
import { TurnModel, type TurnModelPolicy } from "../../../../shared/inference/turn-model.ts";
import { FakeAdmissions, FakeEndpoint, done, text } from "../../../helpers/fake-endpoints.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";

export const DEADLINE_MS = 8_000;
export const END = { firstSentenceMs: 900, totalMs: 2_000, outcome: "answered" };

export function aRequest(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: [{ role: "user", content: "多少钱" }],
    tools: [],
    temperature: 0.3,
    topP: null,
    maxOutputTokens: 100,
    thinking: false,
    firstByteTimeoutMs: 2_500,
    betweenChunksTimeoutMs: 2_500,
    callIdPrefix: "t1_0",
    signal: new AbortController().signal,
    ...changes,
  };
}

export function aTurn(
  candidates: readonly Candidate[],
  {
    admissions = new FakeAdmissions(),
    policy = {},
  }: { admissions?: FakeAdmissions; policy?: Partial<TurnModelPolicy> } = {},
) {
  const time = new FakeTime();
  const offline = new FakeEndpoint("offline-policy", [...text("库存充足。"), done]);
  const model = new TurnModel(
    { key: "room-1/t1", room: "room-1", merchant: "m1", priority: 4, deadlineAtMs: DEADLINE_MS, cacheSalt: "5a" },
    { candidates, offline, admissions, hedges: new HedgeBudget(), clock: time, timer: time, random: () => 0.5 },
  );
  model.setPolicy({ hedgeAfterMs: null, offlineFallback: true, ...policy });
  return { model, time, offline, admissions };
}

export async function collect(model: TurnModel, request: ModelRequest = aRequest()): Promise<ModelPart[]> {
  const all: ModelPart[] = [];
  for await (const parts of model.stream(request)) all.push(...parts);
  return all;
}

export const said = (parts: readonly ModelPart[]) =>
  parts.flatMap((part) => (part.type === "text-delta" ? [part.text] : [])).join("");
export const servedBy = (parts: readonly ModelPart[]) => parts.find((part) => part.type === "served-by")?.servedBy;
export const endOf = (parts: readonly ModelPart[]) => parts.at(-1);

/** Keeps who asks for one endpoint waiting until it is let go. */
export class SlowAdmissions extends FakeAdmissions {
  readonly #slow: string;
  readonly #gate = Promise.withResolvers<void>();

  constructor(slow: string) {
    super();
    this.#slow = slow;
  }

  letGo(): void {
    this.#gate.resolve();
  }

  override async admit(endpoint: string, request: AdmissionRequest) {
    const answer = await super.admit(endpoint, request);
    if (endpoint === this.#slow) await this.#gate.promise;
    return answer;
  }
}

/** Lets promises that are ready run on. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
