/** What of an endpoint needs a person, as a pure function. An alarm ends at another value than it begins at, so that it does not flutter. */
import { alarmCodeSchema, type AlarmCode, type BreakerState, type EndpointAlarm } from "../contract/endpoint-status.ts";

/** Calls that the cache alarm looks back on. */
export const CACHE_CALLS_MAX = 20;
/** Fewer misses than this may be chance: a server restarted, a cache made room. */
const CACHE_MISSES_MIN = 5;
const CACHE_MISS_SHARE_ON = 0.5;
const CACHE_MISS_SHARE_OFF = 0.2;

/** Calls whose mean is worth an alarm. */
export const ACCEPTANCE_CALLS_MIN = 20;
/**
 * One draft a step that is right half of the time. Below it drafting may cost more than it saves:
 * https://github.com/vllm-project/vllm/issues/39680 has a model that is slower with than without.
 */
const ACCEPTANCE_ON = 1.5;
const ACCEPTANCE_OFF = 1.6;

/** Turns refused longer ago than this no longer count, ms. */
export const SHEDDING_MS = 60_000;

export type AlarmFacts = {
  /** The last calls whose prompt had just been sent there and of which the server said how much it found cached. */
  readonly cache: { readonly calls: number; readonly misses: number };
  /** Tokens per step; `null`: nothing to judge by, so the alarm stays as it is. */
  readonly acceptanceLength: number | null;
  /** `null` where nothing is guarded by a breaker. */
  readonly breaker: BreakerState | null;
  /** Turns refused for want of a slot, none more than `SHEDDING_MS` after the one before; `null` before the first. */
  readonly shed: { readonly turns: number; readonly lastAtMs: number } | null;
};

/** Whether an alarm is on, given whether it was, and what it says while it is. */
type Rule = {
  readonly isOn: (facts: AlarmFacts, wasOn: boolean, nowMs: number) => boolean;
  readonly message: (facts: AlarmFacts) => string;
  /** The line for the log when it is over. */
  readonly ended: string;
};

const RULES: Readonly<Record<AlarmCode, Rule>> = {
  cache_lost: {
    isOn: ({ cache: { calls, misses } }, wasOn) => {
      const share = calls === 0 ? 0 : misses / calls;
      return wasOn ? share >= CACHE_MISS_SHARE_OFF : misses >= CACHE_MISSES_MIN && share >= CACHE_MISS_SHARE_ON;
    },
    message: ({ cache: { calls, misses } }) =>
      `${misses} of the last ${calls} calls found none of their prompt in the prefix cache; ` +
      "check --enable-prefix-caching, the block size, or whether the prompt's head changes.",
    ended: "Calls find their prompt in the prefix cache again.",
  },
  acceptance_low: {
    isOn: ({ acceptanceLength }, wasOn) =>
      acceptanceLength === null ? wasOn : acceptanceLength < (wasOn ? ACCEPTANCE_OFF : ACCEPTANCE_ON),
    message: ({ acceptanceLength }) =>
      `Speculative decoding gives ${acceptanceLength?.toFixed(2) ?? `under ${ACCEPTANCE_OFF}`} tokens a step; ` +
      "check that the draft fits the model, or serve without it.",
    ended: "Speculative decoding is worth its cost again.",
  },
  breaker_open: {
    isOn: ({ breaker }) => breaker !== null && breaker !== "closed",
    message: ({ breaker }) =>
      breaker === "half_open"
        ? "Calls failed, and only a probe is let through now; check the server's log if it fails too."
        : "Calls failed, so no turn is sent to the endpoint for now; check that the server is up and its address and key are right.",
    ended: "The endpoint answers again, and the breaker is closed.",
  },
  shedding: {
    isOn: ({ shed }, _wasOn, nowMs) => shed !== null && nowMs - shed.lastAtMs <= SHEDDING_MS,
    message: ({ shed }) =>
      `${turnsWere(shed?.turns ?? 0)} refused for want of a slot since this began; ` +
      "add servers and slots, or move rooms to another endpoint.",
    ended: "No turn was refused for want of a slot in the last minute.",
  },
};

/** The alarms that are on now, given those that were; one that stays keeps its beginning, and its message is of now. */
export function judgeAlarms(before: readonly EndpointAlarm[], facts: AlarmFacts, nowMs: number): EndpointAlarm[] {
  return alarmCodeSchema.options.flatMap((code) => {
    const was = before.find((alarm) => alarm.code === code);
    const rule = RULES[code];
    if (!rule.isOn(facts, was !== undefined, nowMs)) return [];
    return [{ code, sinceMs: was?.sinceMs ?? nowMs, message: rule.message(facts) }];
  });
}

export type AlarmChange = { readonly code: AlarmCode; readonly isOn: boolean; readonly message: string };

/** What began and what ended between two judgements. */
export function alarmChanges(before: readonly EndpointAlarm[], after: readonly EndpointAlarm[]): AlarmChange[] {
  const isIn = (alarms: readonly EndpointAlarm[], code: AlarmCode) => alarms.some((alarm) => alarm.code === code);
  const began = after
    .filter(({ code }) => !isIn(before, code))
    .map(({ code, message }) => ({ code, isOn: true, message }));
  const ended = before
    .filter(({ code }) => !isIn(after, code))
    .map(({ code }) => ({ code, isOn: false, message: RULES[code].ended }));
  return [...began, ...ended];
}

function turnsWere(count: number): string {
  return count === 1 ? "1 turn was" : `${count} turns were`;
}
