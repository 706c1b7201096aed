/**
 * The policy as one turn sees it: whichever endpoint admits the turn, the next one when that fails before it has said
 * anything, and the policy inside the Worker when no endpoint is left.
 *
 * After its first words a call is not tried again here: what was said is said, and the turn asks the policy to go on.
 */
import type { Timer } from "../core/timer.ts";
import type { Clock } from "../core/clock.ts";
import type { CallReport, UseReport } from "../contract/admission.ts";
import type { AdmissionRecord, ServedBy } from "../contract/turn-record.ts";
import type { ModelClient, ModelPart, ModelRequest } from "../agent/model-client.ts";
import type { ChatStreamPart } from "../agent/stream/chat-stream.ts";
import type { ErrorCode } from "../errors/error-codes.ts";
import type { Admissions } from "./admissions.ts";
import type { EndpointCall, EndpointClient } from "./endpoint-client.ts";
import { askOne, findSeat, type Candidate, type Seat, type SeatRequest } from "./find-seat.ts";
import type { HedgeBudget } from "./hedge-budget.ts";
import { OpenCall, isContent } from "./open-call.ts";

/** Name of the policy inside the Worker, in records and figures. */
export const OFFLINE = "offline";

/** Kept free before the deadline, ms: so that after a call that ran out of time the policy inside the Worker can answer. */
const OFFLINE_RESERVE_MS = 350;
/** Calls of one turn that may fail without a word at the same endpoint, where there is no other. */
const SAME_ENDPOINT_TRIES_MAX = 3;
/** First wait before a call is tried again at the same endpoint, ms; it doubles, and half of it is random. */
const BACKOFF_MS = 200;
/** Largest block of a prefix cache that is known, tokens: a shorter prompt may rightly be cached in no part. */
const CACHE_BLOCK_TOKENS_MAX = 2_048;

export type TurnModelPolicy = {
  readonly hedgeAfterMs: number | null;
  /** Whether the policy inside the Worker answers when endpoints are configured and none can. */
  readonly offlineFallback: boolean;
};

export type TurnModelDeps = {
  /** In the order in which the room asks them. Empty: the policy inside the Worker answers every call. */
  readonly candidates: readonly Candidate[];
  readonly offline: EndpointClient;
  readonly admissions: Admissions;
  readonly hedges: HedgeBudget;
  readonly clock: Clock;
  readonly timer: Timer;
  /** 0 to 1. */
  readonly random: () => number;
};

/** Who asks, and what its calls carry. */
export type TurnModelRequest = SeatRequest & { readonly cacheSalt: string | null };

/**
 * Stands in where every endpoint is out and the harness wants no other policy: the turn ends with its fallback line. And
 * where the turn took its call back before anybody was asked.
 */
const NOBODY: EndpointClient = {
  model: "none",
  // eslint-disable-next-line typescript/require-await
  async *stream({ signal }) {
    if (signal.aborted) yield [{ type: "end", finish: "aborted", code: null }];
    else yield [{ type: "end", finish: "error", code: "model_unavailable" }];
  },
};

type Tries = ServedBy["tries"];
type Outcome = { readonly call: OpenCall; readonly first: readonly ChatStreamPart[]; readonly seat: Seat | null };

export class TurnModel implements ModelClient {
  readonly #request: TurnModelRequest;
  readonly #deps: TurnModelDeps;
  readonly #refusals: AdmissionRecord["refusals"] = [];
  /** Endpoints at which a call of this turn has failed: asked last. */
  readonly #failed = new Set<string>();
  readonly #silentCounts = new Map<string, number>();
  /** Endpoints at which a call of this turn has ended after its first words and before its end. */
  readonly #brokeOff = new Set<string>();
  readonly #reports = new Map<string, CallReport[]>();
  #policy: TurnModelPolicy = { hedgeAfterMs: null, offlineFallback: true };
  #seat: Promise<Seat | null>;
  /** A hedge's slot that came to nothing and is still to be given back. */
  #lateHedge: Promise<void> = Promise.resolve();
  #first: Seat | null = null;
  #served: { readonly endpoint: string; readonly model: string } | null = null;
  #cachedAt: string | null = null;
  #isClosed = false;

  /** Asks for a slot at once: the turn gets it beside its other preparations. */
  constructor(request: TurnModelRequest, deps: TurnModelDeps) {
    this.#request = request;
    this.#deps = deps;
    this.#seat = this.#findSeat().then((seat) => (this.#first = seat));
  }

  get endpoint(): string {
    return this.#served?.endpoint ?? this.#deps.candidates[0]?.name ?? OFFLINE;
  }

  get model(): string {
    return this.#served?.model ?? this.#deps.candidates[0]?.client.model ?? this.#deps.offline.model;
  }

  /** What the harness says of calls, known once it is loaded. */
  setPolicy(policy: TurnModelPolicy): void {
    this.#policy = policy;
  }

  admission(): AdmissionRecord | null {
    if (this.#deps.candidates.length === 0) return null;
    return {
      endpoint: this.#first?.candidate.name ?? null,
      waitedMs: this.#first?.waitedMs ?? 0,
      local: this.#first?.isLocal ?? false,
      refusals: [...this.#refusals],
    };
  }

  async *stream(request: ModelRequest): AsyncGenerator<readonly ModelPart[]> {
    const tries: Tries = [];
    const { call, first, seat } = await this.#open(request, tries);
    const servedBy = () => this.#toServedBy(call, seat, tries);
    if (call.client === NOBODY) {
      yield first;
      return;
    }
    try {
      yield withServedBy(first, servedBy);
      if (call.end === null) for await (const parts of call.rest()) yield withServedBy(parts, servedBy);
    } finally {
      // Also when the reader has left: the engine is to stop, and what the call has cost is to be told.
      await call.close();
      this.#note(call, seat);
      if (seat !== null && hasFailed(call.end)) this.#leave(seat.candidate.name, call.end);
    }
  }

  /** The turn asks no more, though it has not ended: its slot is another's. */
  async release(): Promise<void> {
    const seat = await this.#seat;
    const { key, room } = this.#request;
    for (const [endpoint, calls] of this.#reports)
      this.#deps.admissions.report(endpoint, { key, room, calls, end: null });
    this.#reports.clear();
    if (seat !== null) this.#deps.admissions.cancel(seat.candidate.name, key);
  }

  /** Gives the slot back and tells the endpoint how the turn went; `null` for calls that were no turn. */
  async close(end: UseReport["end"]): Promise<void> {
    this.#isClosed = true;
    const [seat] = await Promise.all([this.#seat, this.#lateHedge]);
    const { key, room } = this.#request;
    const name = seat?.candidate.name ?? OFFLINE;
    for (const [endpoint, calls] of this.#reports) {
      if (endpoint !== name) this.#deps.admissions.report(endpoint, { key, room, calls, end: null });
    }
    this.#deps.admissions.report(name, { key, room, calls: this.#reports.get(name) ?? [], end });
    if (end === null && seat !== null) this.#deps.admissions.cancel(name, key);
    this.#reports.clear();
  }

  /** Opens calls until one says something, or nobody is left to ask. */
  async #open(request: ModelRequest, tries: Tries): Promise<Outcome> {
    for (;;) {
      const seat = await this.#seatFor(request);
      const outcome = await this.#race(request, seat, tries);
      const end = failureOf(outcome);
      if (end === null || outcome.seat === null || request.signal.aborted) return outcome;
      const { candidate } = outcome.seat;
      const tried = this.#countSilent(candidate.name);
      const hasOther = this.#hasOtherThan(candidate.name);
      const waitMs = hasOther ? null : this.#backOffMs(end, tried);
      if (!hasOther && waitMs === null && !this.#mayAskOffline()) {
        // The turn may ask again, for a time-out: but not a server that has been asked enough.
        if (tried >= SAME_ENDPOINT_TRIES_MAX) this.#moveOn(candidate.name);
        return outcome;
      }
      tries.push({ endpoint: candidate.name, code: codeOf(end), ms: this.#since(outcome.call) });
      // Its failure may have come on a connection that is still open.
      await outcome.call.close();
      this.#note(outcome.call, outcome.seat);
      if (waitMs === null) this.#moveOn(candidate.name);
      else await this.#unlessLeft(request, waitMs, new Promise<never>(() => {}));
    }
  }

  /** How many calls of this turn have failed at the endpoint before they said anything. */
  #countSilent(name: string): number {
    const count = (this.#silentCounts.get(name) ?? 0) + 1;
    this.#silentCounts.set(name, count);
    return count;
  }

  /** The seat of the turn; waits for it no longer than the turn does, nor into the time of the policy inside the Worker. */
  #seatFor(request: ModelRequest): Promise<Seat | null> {
    return this.#unlessLeft(request, Math.max(0, this.#leftMs()), this.#seat);
  }

  /** What the work gives; `null` when the turn no longer wants its call, or after `limitMs`. */
  async #unlessLeft<Value>({ signal }: ModelRequest, limitMs: number, work: Promise<Value>): Promise<Value | null> {
    if (signal.aborted) return null;
    const { promise, resolve } = Promise.withResolvers<null>();
    const leave = () => resolve(null);
    const cancel = this.#deps.timer.after(limitMs, leave);
    signal.addEventListener("abort", leave, { once: true });
    const value = await Promise.race([work, promise]);
    cancel();
    signal.removeEventListener("abort", leave);
    return value;
  }

  /** One call, and where the harness allows it a second one elsewhere when the first is silent for long. */
  async #race(request: ModelRequest, seat: Seat | null, tries: Tries): Promise<Outcome> {
    const call = this.#call(request, seat);
    const { hedgeAfterMs } = this.#policy;
    if (seat === null || hedgeAfterMs === null) return { call, first: await call.first, seat };
    let cancel = () => {};
    const late = new Promise<"late">((resolve) => {
      cancel = this.#deps.timer.after(hedgeAfterMs, () => resolve("late"));
    });
    const first = await Promise.race([call.first, late]);
    cancel();
    if (first !== "late") return { call, first, seat };
    const asking = this.#hedgeSeat(seat);
    // Words that come while the other slot is asked for are not kept waiting, and need no hedge any more.
    const spoken = call.first.then<Seat | null | "spoken">((parts) =>
      failureOf({ call, first: parts, seat }) === null ? "spoken" : asking,
    );
    const other = await Promise.race([asking, spoken]);
    if (other === "spoken") this.#lateHedge = asking.then((late) => this.#giveBack(late));
    if (other === null || other === "spoken") return { call, first: await call.first, seat };
    return this.#pickFirst(call, seat, { call: this.#call(request, other), seat: other, tries });
  }

  async #pickFirst(
    call: OpenCall,
    seat: Seat,
    hedge: { readonly call: OpenCall; readonly seat: Seat; readonly tries: Tries },
  ): Promise<Outcome> {
    const own = call.first.then((first): Outcome => ({ call, first, seat }));
    const other = hedge.call.first.then((first): Outcome => ({ call: hedge.call, first, seat: hedge.seat }));
    const sooner = await Promise.race([own, other]);
    // Who fails first has not won: the other one may still speak.
    const winner = failureOf(sooner) === null ? sooner : await (sooner.call === call ? other : own);
    const loser = winner.call === call ? hedge : { call, seat };
    const { name } = loser.seat.candidate;
    const { end } = loser.call;
    // A loser that failed by itself is asked as little again as if it had been alone.
    if (hasFailed(end)) this.#failed.add(name);
    const code = hasFailed(end) ? codeOf(end) : "hedged";
    await loser.call.close();
    hedge.tries.push({ endpoint: name, code, ms: this.#since(loser.call) });
    this.#note(loser.call, loser.seat);
    this.#giveBack(loser.seat);
    if (winner.seat !== null) this.#seat = Promise.resolve(winner.seat);
    return winner;
  }

  /** Another main endpoint that has a slot now. */
  async #hedgeSeat({ candidate }: Seat): Promise<Seat | null> {
    const others = this.#deps.candidates.filter(
      ({ name, tier }) => tier === "main" && name !== candidate.name && !this.#failed.has(name),
    );
    const [other] = others;
    if (other === undefined || !this.#deps.hedges.take()) return null;
    const answer = await askOne(other, 0, { request: this.#seatRequest(), admissions: this.#deps.admissions });
    return answer.admitted ? { candidate: other, waitedMs: answer.waitedMs, isLocal: answer.isLocal } : null;
  }

  #giveBack(seat: Seat | null): void {
    if (seat !== null) this.#deps.admissions.cancel(seat.candidate.name, this.#request.key);
  }

  /** Until the deadline, less what the policy inside the Worker may need then. */
  #leftMs(): number {
    const { deadlineAtMs } = this.#request;
    return deadlineAtMs - this.#deps.clock.nowMs() - (this.#mayAskOffline() ? OFFLINE_RESERVE_MS : 0);
  }

  #call(request: ModelRequest, seat: Seat | null): OpenCall {
    const { priority, cacheSalt } = this.#request;
    const client = seat?.candidate.client ?? this.#unseated(request);
    const totalTimeoutMs = Math.max(seat === null ? OFFLINE_RESERVE_MS : 1, this.#leftMs());
    const call: EndpointCall = { ...request, priority, cacheSalt, totalTimeoutMs };
    if (client !== NOBODY) this.#served = { endpoint: seat?.candidate.name ?? OFFLINE, model: client.model };
    if (seat !== null) this.#deps.hedges.earn();
    return new OpenCall(client, call, this.#deps.clock);
  }

  /**
   * Keeps the turn's next call away from an endpoint that broke off. Where there is no other it is asked once more, if a
   * moment may have healed it; then the policy inside the Worker goes on from what was said.
   */
  #leave(name: string, { code }: End): void {
    const isHopeless = this.#brokeOff.has(name) || !isWorthAnotherTry(code);
    this.#brokeOff.add(name);
    if (this.#hasOtherThan(name) || (isHopeless && this.#mayAskOffline())) this.#moveOn(name);
  }

  /** Gives up an endpoint that failed, and asks for a seat at those that are left. */
  #moveOn(name: string): void {
    this.#failed.add(name);
    this.#deps.admissions.cancel(name, this.#request.key);
    this.#seat = this.#lateHedge.then(() => this.#findSeat());
  }

  #findSeat(): Promise<Seat | null> {
    const candidates = this.#deps.candidates.filter(({ name }) => !this.#failed.has(name));
    const { admissions } = this.#deps;
    return findSeat(candidates, { request: this.#seatRequest(), admissions, refusals: this.#refusals });
  }

  #seatRequest(): SeatRequest {
    const { cacheSalt: _salt, ...request } = this.#request;
    return request;
  }

  #hasOtherThan(name: string): boolean {
    return this.#deps.candidates.some((other) => other.name !== name && !this.#failed.has(other.name));
  }

  /** Who answers a call that no endpoint takes. */
  #unseated({ signal }: ModelRequest): EndpointClient {
    return this.#mayAskOffline() && !signal.aborted ? this.#deps.offline : NOBODY;
  }

  #mayAskOffline(): boolean {
    return this.#policy.offlineFallback || this.#deps.candidates.length === 0;
  }

  /** Wait before the only endpoint is asked again; `null` where that cannot help or the time is up. */
  #backOffMs({ code, retryAfterMs = 0 }: End, tried: number): number | null {
    if (tried >= SAME_ENDPOINT_TRIES_MAX || !isWorthAnotherTry(code)) return null;
    const doubled = BACKOFF_MS * 2 ** (tried - 1);
    const waitMs = Math.max(retryAfterMs, doubled * (0.5 + this.#deps.random() / 2));
    const leftMs = this.#request.deadlineAtMs - this.#deps.clock.nowMs() - OFFLINE_RESERVE_MS;
    // Half of what is left must remain for the answer.
    return waitMs > leftMs / 2 ? null : waitMs;
  }

  /** Failed calls are told at once, so that other turns keep away; the rest with the turn's end. */
  #note(call: OpenCall, seat: Seat | null): void {
    const endpoint = seat?.candidate.name ?? OFFLINE;
    const report = call.report(this.#cachedAt === endpoint);
    this.#cachedAt = call.inputTokens >= CACHE_BLOCK_TOKENS_MAX && report.failure === null ? endpoint : this.#cachedAt;
    const { key, room } = this.#request;
    if ((report.failure !== null && report.failure.code !== "aborted") || this.#isClosed) {
      this.#deps.admissions.report(endpoint, { key, room, calls: [report], end: null });
      return;
    }
    const reports = this.#reports.get(endpoint);
    if (reports === undefined) this.#reports.set(endpoint, [report]);
    else reports.push(report);
  }

  #since(call: OpenCall): number {
    return this.#deps.clock.nowMs() - call.startedAtMs;
  }

  #toServedBy(call: OpenCall, seat: Seat | null, tries: Tries): ServedBy {
    return {
      endpoint: seat?.candidate.name ?? OFFLINE,
      model: call.client.model,
      tier: seat?.candidate.tier ?? OFFLINE,
      firstTokenMs: call.firstTokenMs,
      acceptanceLength: call.acceptanceLength,
      tries,
    };
  }
}

type End = Extract<ChatStreamPart, { type: "end" }>;

/** Why a call that has said nothing failed; `null` where it spoke, or its silence is the turn's own matter. */
function failureOf({ call, first }: Outcome): End | null {
  const { end } = call;
  return hasFailed(end) && !first.some(isContent) ? end : null;
}

function hasFailed(end: End | null): end is End {
  return end !== null && (end.finish === "error" || end.finish === "incomplete");
}

/** A stream that stopped without an end has no code of its own. */
function codeOf({ code }: End): string {
  return code ?? "model_stream_broken";
}

/** What a moment may heal. A time-out has used the moment already, and who refuses a request will refuse it again. */
function isWorthAnotherTry(code: string | null): boolean {
  const hopeless: readonly ErrorCode[] = ["model_timed_out", "model_stalled", "model_refused", "model_misconfigured"];
  return code === null || !(hopeless as readonly string[]).includes(code);
}

/** Who served the call stands before its end. */
function withServedBy(parts: readonly ChatStreamPart[], servedBy: () => ServedBy): readonly ModelPart[] {
  const last = parts.at(-1);
  return last?.type === "end" ? [...parts.slice(0, -1), { type: "served-by", servedBy: servedBy() }, last] : parts;
}
