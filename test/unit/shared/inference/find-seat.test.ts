import { describe, it } from "vitest";
import type { Admission, AdmissionRequest } from "../../../../shared/contract/admission.ts";
import type { Admissions } from "../../../../shared/inference/admissions.ts";
import { findSeat, type Candidate } from "../../../../shared/inference/find-seat.ts";
import { FakeAdmissions, FakeEndpoint, aCandidate } from "../../../helpers/fake-endpoints.ts";

/** Admits whoever would wait longer than the expected wait, as the gate does. */
class BusyAdmissions extends FakeAdmissions {
  readonly #waits: Readonly<Record<string, number>>;

  constructor(waits: Readonly<Record<string, number>>) {
    super();
    this.#waits = waits;
  }

  override async admit(endpoint: string, request: AdmissionRequest) {
    await super.admit(endpoint, request);
    const expectedWaitMs = this.#waits[endpoint] ?? 0;
    const admission: Admission =
      expectedWaitMs > request.waitMsMax
        ? { admitted: false, reason: "busy", expectedWaitMs }
        : { admitted: true, waitedMs: expectedWaitMs };
    return { ...admission, isLocal: false };
  }
}

const request = { key: "room-1/t1", room: "room-1", merchant: "m1", priority: 4, deadlineAtMs: 8_000 };
const main = (name: string) => aCandidate(name, new FakeEndpoint("m"));
const spare = (name: string) => aCandidate(name, new FakeEndpoint("m"), "fallback");

async function find(candidates: readonly Candidate[], waits: Readonly<Record<string, number>>) {
  const admissions = new BusyAdmissions(waits);
  const seat = await findSeat(candidates, { request, admissions, refusals: [] });
  return { at: seat?.candidate.name ?? null, asked: admissions.asked.map(({ endpoint }) => endpoint) };
}

describe("findSeat", () => {
  it("stays at the room's own endpoint for a short wait", async ({ expect }) => {
    expect(await find([main("a"), main("b")], { a: 400 })).toEqual({ at: "a", asked: ["a"] });
  });

  it("goes to another endpoint before it waits long", async ({ expect }) => {
    expect(await find([main("a"), main("b")], { a: 700 })).toEqual({ at: "b", asked: ["a", "b"] });
  });

  it("takes the shortest wait that is bearable when all are busy", async ({ expect }) => {
    expect(await find([main("a"), main("b"), spare("s")], { a: 950, b: 700 })).toEqual({
      at: "b",
      asked: ["a", "b", "b"],
    });
  });

  it("goes to the fallback tier at once when no wait is bearable", async ({ expect }) => {
    expect(await find([main("a"), main("b"), spare("s")], { a: 3_000, b: 1_500 })).toEqual({
      at: "s",
      asked: ["a", "b", "s"],
    });
  });

  it("takes an endpoint without limits at once, and asks nobody", async ({ expect }) => {
    expect(await find([{ ...main("a"), limits: null }, main("b")], {})).toEqual({ at: "a", asked: [] });
  });

  it("does not ask a runner's own limit again, which knows of no wait", async ({ expect }) => {
    const admissions = new BusyAdmissions({ b: 700 });
    const gone: Admissions = {
      cancel: () => {},
      report: () => {},
      admit: async (endpoint, asked) =>
        endpoint === "a"
          ? { admitted: false, reason: "busy", expectedWaitMs: 0, isLocal: true }
          : admissions.admit(endpoint, asked),
    };
    const seat = await findSeat([main("a"), main("b"), spare("s")], { request, admissions: gone, refusals: [] });
    expect(seat?.candidate.name).toBe("b");
  });

  it("finds no seat when every tier is full, after few questions", async ({ expect }) => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const full = Object.fromEntries(names.map((name) => [name, 9_000]));
    expect(await find(names.map(main), full)).toEqual({ at: null, asked: ["a", "b", "c", "d"] });
  });
});
