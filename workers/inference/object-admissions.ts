/** Admission by the endpoints' objects, and by a limit of this isolate while one cannot be reached. */
import type { Admission, AdmissionRequest, UseReport } from "../../shared/contract/admission.ts";
import { BoundedCache } from "../../shared/core/bounded-cache.ts";
import type { AdmissionAnswer, Admissions } from "../../shared/inference/admissions.ts";
import { ENDPOINTS_MAX } from "../../shared/contract/endpoint.ts";
import { type Result, fail, ok } from "../../shared/core/result.ts";
import { reportFailure } from "../platform/report-failure.ts";
import { systemClock, systemTimer } from "../platform/system-clock.ts";
import { LocalLimit } from "./local-limit.ts";

/** What an answer may take beyond the wait in the queue, ms: a round trip to another location and back, with a start. */
const ROUND_TRIP_MS_MAX = 250;
/** After a failure the object is left alone for so long, ms: no turn waits for it again and again. */
const AWAY_MS = 5_000;

/** What is asked of an endpoint's object. Its stub's own type takes a union apart into promises of each member. */
type AdmissionObject = {
  admit(request: AdmissionRequest): Promise<Admission>;
  cancel(key: string): Promise<void>;
  report(report: UseReport): Promise<void>;
};

const local = new LocalLimit();
/** Until when an endpoint's object counts as unreachable. */
const awayUntilMs = new BoundedCache<string, number>(ENDPOINTS_MAX);

/** @param waitUntil - Keeps the isolate alive for reports that nobody waits for. */
export function objectAdmissions(env: Env, waitUntil: (work: Promise<unknown>) => void): Admissions {
  // A fresh stub for every call: one that has thrown may stay broken.
  const objectOf = (endpoint: string) => env.ENDPOINT_ADMISSION.getByName(endpoint) as unknown as AdmissionObject;

  const cancelThere = (endpoint: string, key: string) => {
    waitUntil(tell(() => objectOf(endpoint).cancel(key)));
  };

  const admitHere = (endpoint: string, request: AdmissionRequest): AdmissionAnswer => ({
    ...local.admit(endpoint, request, systemClock.nowMs()),
    isLocal: true,
  });

  return {
    async admit(endpoint, request) {
      if ((awayUntilMs.get(endpoint) ?? 0) > systemClock.nowMs()) return admitHere(endpoint, request);
      let cancelTimer = () => {};
      const late = new Promise<null>((resolve) => {
        cancelTimer = systemTimer.after(request.waitMsMax + ROUND_TRIP_MS_MAX, () => resolve(null));
      });
      const asked = ask(() => objectOf(endpoint).admit(request));
      const answer = await Promise.race([asked, late]);
      cancelTimer();
      if (answer?.ok === true) return { ...answer.value, isLocal: false };
      awayUntilMs.set(endpoint, systemClock.nowMs() + AWAY_MS);
      reportFailure("admission", "internal", answer === null ? "no answer in time" : answer.error);
      // An answer that comes after all would hold a slot that nobody uses.
      if (answer === null) waitUntil(asked.then(() => cancelThere(endpoint, request.key)));
      return admitHere(endpoint, request);
    },
    cancel(endpoint, key) {
      if (!local.release(endpoint, key)) cancelThere(endpoint, key);
    },
    report(endpoint, report: UseReport) {
      if (report.end !== null) local.release(endpoint, report.key);
      waitUntil(tell(() => objectOf(endpoint).report(report)));
    },
  };
}

async function ask<Answer>(call: () => Promise<Answer>): Promise<Result<Answer, unknown>> {
  try {
    return ok(await call());
  } catch (thrown) {
    return fail(thrown);
  }
}

/** Figures are worth one try: a lost report costs a slot until its turn's deadline, and a line in the log. */
async function tell(call: () => Promise<unknown>): Promise<void> {
  const answer = await ask(call);
  if (!answer.ok) reportFailure("admission-report", "internal", answer.error);
}
