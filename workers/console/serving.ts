/** Who served a turn, in lines of words. Records from before there were several endpoints say nothing, and get no line. */
import type { StepRecord, TurnTrace } from "../../shared/contract/turn-record.ts";
import { formatMs } from "./format.ts";
import { type Strings, wordFor } from "./strings.ts";

/** How the turn got its place: refusals in their order, then who took it. */
export function describeAdmission(admission: TurnTrace["admission"], strings: Strings): string[] {
  if (admission === undefined) return [];
  if (admission === null) return [strings.admissionNone];
  const { endpoint, waitedMs, local, refusals } = admission;
  const waited = formatMs(waitedMs);
  const taken = endpoint === null ? strings.admissionOffline(waited) : strings.admissionTaken(endpoint, waited);
  return [
    ...refusals.map((refusal) =>
      strings.admissionRefused(
        refusal.endpoint,
        wordFor(strings.refusalReasons, refusal.reason),
        formatMs(refusal.expectedWaitMs),
      ),
    ),
    local ? `${taken} · ${strings.admissionLocal}` : taken,
  ];
}

/** Earlier tries in their order, then who answered. */
export function describeServedBy(servedBy: StepRecord["servedBy"], strings: Strings): string[] {
  if (servedBy === undefined) return [];
  if (servedBy === null) return [strings.servedByNone];
  const { endpoint, tier, firstTokenMs, acceptanceLength, tries } = servedBy;
  const facts = [strings.servedBy(endpoint, strings.tiers[tier])];
  if (firstTokenMs !== null) facts.push(strings.servedFirstToken(formatMs(firstTokenMs)));
  if (acceptanceLength !== null) facts.push(strings.servedAcceptance(acceptanceLength.toFixed(2)));
  return [
    ...tries.map(({ endpoint: tried, code, ms }) => strings.servedTry(tried, code, formatMs(ms))),
    facts.join(" · "),
  ];
}
