/** How an inference endpoint does, as its admission sees it: for operators, `/metrics` and the page. */
import { z } from "zod";
import { refusalReasonSchema } from "./admission.ts";

export const breakerStateSchema = z.enum(["closed", "open", "half_open"]);
export type BreakerState = z.infer<typeof breakerStateSchema>;

/** What needs a person. Each has a rule with its threshold in `shared/inference/endpoint-alarms.ts`. */
export const alarmCodeSchema = z.enum([
  /** Calls whose prompt was just sent there found none of it cached. */
  "cache_lost",
  /** Speculative decoding gives under 1.5 tokens a step. */
  "acceptance_low",
  /** The breaker is not closed. */
  "breaker_open",
  /** Turns were refused for want of a slot within the last minute. */
  "shedding",
]);
export type AlarmCode = z.infer<typeof alarmCodeSchema>;

export const endpointAlarmSchema = z.strictObject({
  code: alarmCodeSchema,
  sinceMs: z.int(),
  /** What happened and what to do, in one sentence. */
  message: z.string(),
});
export type EndpointAlarm = z.infer<typeof endpointAlarmSchema>;

/** Counts per bucket; `bounds` are inclusive upper ends, one fewer than `counts`: the last bucket has none. */
export const histogramSchema = z.strictObject({
  bounds: z.array(z.number()),
  counts: z.array(z.int()),
  sum: z.number(),
});
export type HistogramData = z.infer<typeof histogramSchema>;

/** The state of admission now. */
export const gateStatusSchema = z.strictObject({
  /** Turns that may be in flight at once. */
  limit: z.number(),
  slots: z.int(),
  utilizationCeiling: z.number(),
  /** Share of the capacity in use by the latencies of late: 1 − idle latency ÷ latency. `null` before enough calls. */
  utilization: z.number().nullable(),
  inFlight: z.int(),
  waiting: z.int(),
  /** Wait of a turn that came now, ms. */
  expectedWaitMs: z.number(),
  breaker: breakerStateSchema,
  /** When the breaker lets a probe pass; `null` while it is closed. */
  breakerProbeAtMs: z.number().nullable(),
});
export type GateStatus = z.infer<typeof gateStatusSchema>;

/** Figures since the object was started; the same for an endpoint and for one room at it. Times in ms. */
export const useFiguresSchema = z.strictObject({
  inFlight: z.int(),
  waiting: z.int(),
  admitted: z.int(),
  /** By reason. */
  refused: z.partialRecord(refusalReasonSchema, z.int()),
  turns: z.int(),
  calls: z.int(),
  /** Failed calls by error code. */
  failures: z.record(z.string(), z.int()),
  /** Calls that the turn no longer wanted: interrupted, out of time, or beaten by a hedge. */
  aborted: z.int(),
  /** Calls after a failed one of the same turn. */
  retries: z.int(),
  inputTokens: z.int(),
  cachedTokens: z.int(),
  outputTokens: z.int(),
  waitMs: histogramSchema,
  firstTokenMs: histogramSchema,
  firstSentenceMs: histogramSchema,
  turnMs: histogramSchema,
});
export type UseFigures = z.infer<typeof useFiguresSchema>;

/** What the server says about itself at its own `/metrics`. */
export const engineStatusSchema = z.strictObject({
  readAtMs: z.int(),
  running: z.number().nullable(),
  waiting: z.number().nullable(),
  /** Share of prompt tokens found in the prefix cache. */
  cacheHitShare: z.number().nullable(),
  /** Tokens per step of speculative decoding. */
  acceptanceLength: z.number().nullable(),
});
export type EngineStatus = z.infer<typeof engineStatusSchema>;

/** Rooms of which an endpoint keeps figures: those seen last. */
export const ROOMS_WITH_FIGURES_MAX = 500;

export const endpointStatusSchema = z.strictObject({
  name: z.string(),
  sinceMs: z.int(),
  /** `null` where every turn is admitted without asking, as by the policy inside the Worker. */
  gate: gateStatusSchema.nullable(),
  figures: useFiguresSchema,
  /** Tokens per step over the last calls; `null` where nobody says. */
  acceptanceLength: z.number().nullable(),
  engine: engineStatusSchema.nullable(),
  alarms: z.array(endpointAlarmSchema),
  rooms: z.array(z.strictObject({ room: z.string(), figures: useFiguresSchema })),
});
export type EndpointStatus = z.infer<typeof endpointStatusSchema>;
