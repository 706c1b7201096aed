/** Reads the inference endpoints: once to know whether this token may, then again and again while somebody looks. */
import type { EndpointView } from "../../shared/contract/http-api.ts";
import type { Timer } from "../../shared/core/timer.ts";
import type { ApiFailure } from "../../shared/client/client-error.ts";
import type { KaiboApi } from "./api.ts";

/** From an answer to the next question, ms: a glance at a gauge, and little beside the turns themselves. */
export const REFRESH_MS = 3_000;

/** Statuses with which the API says that this token never sees endpoints, or that this server has none to tell of. */
const REFUSAL_STATUSES: ReadonlySet<number> = new Set([401, 403, 404]);

export type EndpointsSeen = {
  /** As last read; `null` before the first time. */
  readonly endpoints: readonly EndpointView[] | null;
  /** Why the last reading failed; what was read before it stays. */
  readonly failure: ApiFailure | null;
  readonly isRefused: boolean;
};

export type EndpointWatch = {
  seen(): EndpointsSeen;
  /** Forgets what was seen and reads once, for another token. */
  restart(): void;
  /** Forgets what was seen and reads no more. */
  stop(): void;
  /** Whether somebody looks: reads at once and every few seconds, until nobody does. */
  watch(isLookedAt: boolean): void;
};

export type EndpointWatchOptions = {
  readonly load: KaiboApi["listEndpoints"];
  readonly timer: Timer;
  readonly onChange: () => void;
};

const NOTHING_SEEN: EndpointsSeen = { endpoints: null, failure: null, isRefused: false };

export function createEndpointWatch({ load, timer, onChange }: EndpointWatchOptions): EndpointWatch {
  let seen = NOTHING_SEEN;
  /** Counts beginnings, so that the answer to an earlier token is not taken for one to a later. */
  let beginnings = 0;
  let isReading = false;
  let isLookedAt = false;
  let cancelNext = (): void => {};

  const read = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    const beginning = beginnings;
    const answer = await load();
    if (beginning !== beginnings) return;
    isReading = false;
    seen = answer.ok
      ? { endpoints: answer.value.endpoints, failure: null, isRefused: false }
      : { ...seen, failure: answer.error, isRefused: REFUSAL_STATUSES.has(answer.error.status) };
    if (isLookedAt && !seen.isRefused) cancelNext = timer.after(REFRESH_MS, () => void read());
    onChange();
  };
  const stop = (): void => {
    beginnings += 1;
    isReading = false;
    isLookedAt = false;
    cancelNext();
    seen = NOTHING_SEEN;
  };

  return {
    seen: () => seen,
    restart: () => {
      stop();
      void read();
    },
    stop,
    watch: (next) => {
      if (next === isLookedAt) return;
      isLookedAt = next;
      cancelNext();
      if (next) void read();
    },
  };
}
