import type { WatchReport } from "../../harness-kv/canary-watch.ts";

/** Why a canary was rolled back, for the audit log and for people. */
export function describeFall(
  { metric, canaryRate, baselineRate, margin }: NonNullable<WatchReport["reason"]>,
  turns: number,
): string {
  const rates = `${toPercent(canaryRate)} of ${turns} turns, ${toPercent(baselineRate)} in production`;
  return `${metric}: ${rates}; ${toPercent(margin)} more is allowed`;
}

function toPercent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
