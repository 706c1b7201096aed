/** Each fault of an endpoint at each moment of a call, against the real product. The table is in `workers/inference/README.md`. */
import { afterAll, beforeAll, describe, it } from "vitest";
import type { FaultInput } from "../endpoint/faults.ts";
import { openBench, QUESTION, until, type Bench } from "./fault-bench.ts";
import { askOffline, playRow, readRows, releaseHarnesses } from "./fault-rows.ts";

/** A turn's own work beside limits and pauses, ms, and how much slower than it should a machine may be. */
const WORK_MS = 300;
const SLOWNESS_MAX = 3;

/** Turns that open a breaker, which takes 5 failed calls in a row: two turns of three calls. */
const TURNS_TO_OPEN = 2;

const ON_THE_WAY = ["before-first-byte", "before-first-sentence", "mid-sentence", "mid-tool-call"];
const IN_A_STREAM = [...ON_THE_WAY, "after-finish"];
const ANY = ["connect", ...IN_A_STREAM];

/** The moments at which a fault means something. A fault that the emulator learns is missed here by the compiler. */
const MOMENTS: Readonly<Record<FaultInput["fault"], readonly string[]>> = {
  stall: ANY,
  reset: ANY,
  cut: ANY,
  close: ANY,
  slow: ANY,
  "error-event": IN_A_STREAM,
  garbage: IN_A_STREAM,
  "truncated-json": IN_A_STREAM,
  "finish-abort": ON_THE_WAY,
  "finish-length": ON_THE_WAY,
  status: ["whole"],
  fixture: ["whole"],
  "empty-body": ["whole"],
  refuse: ["whole"],
  "no-headers": ["whole"],
};
/** After these a call goes on or is asked for again at the same endpoint, whoever else there is. */
const ALIKE_EVERYWHERE: ReadonlySet<string> = new Set(["slow", "garbage", "finish-length"]);

const rows = readRows();
let bench: Bench;
let offline: readonly string[];

beforeAll(async () => {
  bench = await openBench();
  await releaseHarnesses(bench);
  offline = await askOffline(bench);
});
afterAll(() => bench.stop());

describe("the matrix of faults", () => {
  it.for(["one", "two"])("has every fault at every moment where the endpoints are: %s", (setUp, { expect }) => {
    const pairs = Object.entries(MOMENTS).flatMap(([fault, moments]) =>
      setUp === "two" && ALIKE_EVERYWHERE.has(fault) ? [] : moments.map((moment) => `${fault} ${moment}`),
    );
    const tested = rows
      .filter((row) => row.setUp === setUp)
      .map(({ fault, moment }) => `${fault.split(" ")[0] ?? ""} ${moment.replace(" after words", "")}`);
    expect(new Set(tested)).toEqual(new Set(pairs));
  });

  it.for(rows)("$setUp: $fault, $moment, hits $hits", async (row, { expect }) => {
    const { totalMs, ...played } = await playRow(bench, row, offline);
    const { outcome, heard, requests, calls } = row;
    expect(played).toEqual({ outcome, heard, requests, calls });
    expect(totalMs).toBeLessThan((row.limitsMs + WORK_MS) * SLOWNESS_MAX);
  });

  it("leaves an endpoint alone after failures in a row, and answers all the same", async ({ expect }) => {
    const room = await bench.openRoom({ harness: "fault-host", endpoints: 1 });
    await bench.own.setFaults([{ fault: "status", status: 503, count: -1 }]);
    for (let turn = 0; turn < TURNS_TO_OPEN; turn += 1) await room.record(await room.ask());
    await until(
      () => room.endpoint("own"),
      ({ status }) => status?.gate?.breaker === "open",
    );
    const { requests } = await bench.own.stats();
    const record = await room.record(await room.ask(`${QUESTION}呢`));
    expect(record).toMatchObject({ outcome: "answered", reason: null });
    expect(record.trace?.admission).toMatchObject({
      endpoint: null,
      refusals: [{ endpoint: (await room.endpoint("own")).name, reason: "breaker_open" }],
    });
    expect((await bench.own.stats()).requests).toBe(requests);
    await room.close();
  });
});
