import { describe, it } from "vitest";
import type { AdmissionRecord, ServedBy } from "../../../../shared/contract/turn-record.ts";
import { describeAdmission, describeServedBy } from "../../../../workers/console/serving.ts";
import { stringsFor } from "../../../../workers/console/strings.ts";

const en = stringsFor("en");

function anAdmission(fields: Partial<AdmissionRecord> = {}): AdmissionRecord {
  return { endpoint: "h20", waitedMs: 12, local: false, refusals: [], ...fields };
}

function aServedBy(fields: Partial<ServedBy> = {}): ServedBy {
  return { endpoint: "h20", model: "m", tier: "main", firstTokenMs: 120, acceptanceLength: 2.1, tries: [], ...fields };
}

describe("describeAdmission", () => {
  it("says nothing of a record from before there was admission", ({ expect }) => {
    expect(describeAdmission(undefined, en)).toEqual([]);
  });

  it.for([
    { name: "a turn without an endpoint", admission: null, lines: [en.admissionNone] },
    { name: "the endpoint and the wait", admission: anAdmission(), lines: ["admitted by h20 · waited 12 ms"] },
    {
      name: "the policy inside the Worker",
      admission: anAdmission({ endpoint: null }),
      lines: ["no endpoint took it, the offline policy answered · waited 12 ms"],
    },
    {
      name: "an admission that could not be reached",
      admission: anAdmission({ local: true }),
      lines: [`admitted by h20 · waited 12 ms · ${en.admissionLocal}`],
    },
    {
      name: "refusals before it, with their reasons",
      admission: anAdmission({
        endpoint: "l40",
        refusals: [
          { endpoint: "h20", reason: "queue_full", expectedWaitMs: 1_240 },
          { endpoint: "b", reason: "of_a_newer_server", expectedWaitMs: 0 },
        ],
      }),
      lines: [
        "refused by h20: queue full · expected wait 1.24 s",
        "refused by b: of_a_newer_server · expected wait 0 ms",
        "admitted by l40 · waited 12 ms",
      ],
    },
  ])("tells of $name", ({ admission, lines }, { expect }) => {
    expect(describeAdmission(admission, en)).toEqual(lines);
  });
});

describe("describeServedBy", () => {
  it("says nothing of a record from before there were several endpoints", ({ expect }) => {
    expect(describeServedBy(undefined, en)).toEqual([]);
  });

  it.for([
    { name: "a call that nobody took", servedBy: null, lines: [en.servedByNone] },
    {
      name: "the endpoint, its tier and what it says of itself",
      servedBy: aServedBy(),
      lines: ["h20 (main) · endpoint's first token 120 ms · acceptance 2.10"],
    },
    {
      name: "an endpoint that said nothing",
      servedBy: aServedBy({ tier: "fallback", firstTokenMs: null, acceptanceLength: null }),
      lines: ["h20 (fallback)"],
    },
    {
      name: "earlier tries, in their order",
      servedBy: aServedBy({ acceptanceLength: null, tries: [{ endpoint: "l40", code: "model_stalled", ms: 800 }] }),
      lines: ["tried l40 before: model_stalled · 800 ms", "h20 (main) · endpoint's first token 120 ms"],
    },
  ])("tells of $name", ({ servedBy, lines }, { expect }) => {
    expect(describeServedBy(servedBy, en)).toEqual(lines);
  });
});
