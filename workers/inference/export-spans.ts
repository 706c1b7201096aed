/** Sends the spans of finished turns to an OpenTelemetry collector, over OTLP/HTTP with JSON. Best effort: nothing is kept or sent again. */
import type { Clock } from "../../shared/core/clock.ts";
import type { Timer } from "../../shared/core/timer.ts";
import { type FinishedTurn, toOtlpTraces } from "../../shared/inference/gen-ai-spans.ts";
import { reportFailure } from "../platform/report-failure.ts";
import type { Settings } from "../platform/settings.ts";
import { systemTime } from "../platform/system-clock.ts";

/** Who the spans are from. The version is that of package.json. */
export const SERVICE = { serviceName: "kaibo", serviceVersion: "0.1.0" };

/** Limit on one export, ms. It keeps an isolate alive after its turn, and no longer than a collector at hand needs. */
const EXPORT_LIMIT_MS = 5_000;

/** One line of the log is for all failures of this time: a collector that is down fails with every turn. */
const REPORT_EVERY_MS = 60_000;

/** `code` is `http_<status>`, `timed_out` or `unreachable`. */
type Failure = { readonly code: string; readonly thrown: unknown };

/**
 * Makes an exporter with its own count of failures.
 *
 * It never rejects. Without settings it does nothing. Failures go to the log at most once a minute, as a code and the
 * number of turns that were lost since the last line: `http_503 x12`.
 */
export function createSpanExporter(time: Clock & Timer) {
  let lostCount = 0;
  let reportedAtMs = Number.NEGATIVE_INFINITY;

  return async function exportSpans(settings: Settings["otlp"], turn: FinishedTurn): Promise<void> {
    if (settings === null) return;
    const failure = await send(settings, turn, time);
    if (failure === null) return;
    lostCount += 1;
    if (time.nowMs() - reportedAtMs < REPORT_EVERY_MS) return;
    reportFailure("export-spans", `${failure.code} x${lostCount}`, failure.thrown);
    reportedAtMs = time.nowMs();
    lostCount = 0;
  };
}

/** The exporter of this isolate. A turn never waits for it: it belongs into `waitUntil`. */
export const exportSpans = createSpanExporter(systemTime);

async function send(
  settings: NonNullable<Settings["otlp"]>,
  turn: FinishedTurn,
  timer: Timer,
): Promise<Failure | null> {
  const limit = new AbortController();
  const cancel = timer.after(EXPORT_LIMIT_MS, () => limit.abort());
  try {
    const response = await fetch(toTracesUrl(settings.endpoint), {
      method: "POST",
      headers: { ...settings.headers, "content-type": "application/json" },
      body: JSON.stringify(toOtlpTraces(turn, SERVICE)),
      // The headers hold the collector's key: a redirect is not followed.
      redirect: "manual",
      signal: limit.signal,
    });
    await response.body?.cancel();
    return response.ok ? null : { code: `http_${response.status}`, thrown: null };
  } catch (thrown) {
    return { code: limit.signal.aborted ? "timed_out" : "unreachable", thrown };
  } finally {
    cancel();
  }
}

/** The base that OTEL_EXPORTER_OTLP_ENDPOINT means, or the whole address of OTEL_EXPORTER_OTLP_TRACES_ENDPOINT. */
function toTracesUrl(endpoint: string): URL {
  const url = new URL(endpoint);
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith("/v1/traces") ? path : `${path}/v1/traces`;
  return url;
}
