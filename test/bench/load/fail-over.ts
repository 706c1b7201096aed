/** Two endpoints, one of which fails in the middle of the load: what viewers hear of it. */
import type { FaultInput } from "../../endpoint/faults.ts";
import { mean, rounded } from "../statistics.ts";
import type { LoadWorld, NamedEmulator } from "./load-world.ts";
import { percent, warnOfCpu } from "./print-load.ts";
import { runLoad, type LoadOptions } from "./run-load.ts";
import { summarise, type LoadTurn } from "./summary.ts";

/** Streams that have said a sentence break in the next one; what has no such moment is refused. */
const FAULTS: readonly FaultInput[] = [
  { fault: "reset", at: "mid-sentence", count: -1 },
  { fault: "status", status: 503, count: -1 },
];

type Pair = { readonly failing: NamedEmulator; readonly surviving: NamedEmulator };

/** Runs the load on both endpoints, and breaks one half-way. */
export async function runFailOver(
  world: LoadWorld,
  { failing, surviving }: Pair,
  options: Omit<LoadOptions, "emulators" | "onHalf">,
) {
  const result = await runLoad(world, {
    ...options,
    emulators: [failing, surviving],
    onHalf: () => failing.setFaults(FAULTS),
  });
  await failing.setFaults([]);
  const halfMs = options.windowMs / 2;
  const half = (name: string, fromMs: number) => {
    const range = { fromMs, toMs: fromMs + halfMs };
    const ended = result.turns.filter(({ endedAtMs }) => endedAtMs >= range.fromMs && endedAtMs < range.toMs);
    const gates = result.gates
      .filter(({ atMs }) => atMs >= range.fromMs && atMs < range.toMs)
      .map((seen) => seen.gates);
    const limitOf = (index: number) => mean(gates.map((pair) => pair[index]?.limit ?? 0));
    return {
      half: name,
      ...summarise(ended, range),
      survivorShare: shareServedBy(ended, surviving.name),
      silentTurns: ended.filter(({ firstSentenceAtMs }) => firstSentenceAtMs === null).length,
      breakers: [...new Set(gates.map(([gate]) => gate?.breaker ?? "unknown"))],
      limits: { failing: limitOf(0), surviving: limitOf(1) },
    };
  };
  return {
    halves: [half("before", 0), half("after", halfMs)],
    openTurns: result.openTurns,
    gates: result.gates,
    turnsTouched: result.turns.filter(({ facts }) => facts.retries > 0).length,
    cpu: result.cpu,
  };
}

export type FailOver = Awaited<ReturnType<typeof runFailOver>>;

export function printFailOver({ halves, openTurns, turnsTouched, cpu }: FailOver): void {
  console.log("Two endpoints, one of which breaks half-way (streams reset in mid-sentence, new calls answered 503):");
  console.table(
    halves.map((half) => ({
      half: half.half,
      turns: half.turns,
      "by main": half.by.main,
      "by the survivor": percent(half.survivorShare),
      shed: half.by.busy + half.by.queue_full + half.by.breaker_open,
      "call failed": half.by.failed,
      fallback: half.by.fallback,
      expired: half.by.expired,
      retries: half.retries,
      limits: `${rounded(half.limits.failing)}, ${rounded(half.limits.surviving)}`,
      "breaker seen": half.breakers.join(", "),
      "words twice": half.repeated,
      "silent turns": half.silentTurns,
      "first p95": Math.round(half.firstSentenceMs.p95),
      "turn p95": Math.round(half.turnMs.p95),
      "goodput/s": rounded(half.goodputPerS),
    })),
  );
  console.log(`${turnsTouched} turns had a call that was tried again; ${openTurns} turns never ended`);
  warnOfCpu("two endpoints", cpu);
}

/** Of the turns that main endpoints answered, those that this one answered to the end. */
function shareServedBy(turns: readonly LoadTurn[], name: string): number {
  const main = turns.filter(({ facts }) => facts.served === "main");
  return main.filter(({ facts }) => facts.endpoints.at(-1) === name).length / Math.max(1, main.length);
}
