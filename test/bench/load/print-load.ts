/** The tables of a load benchmark. */
import { mean, rounded } from "../statistics.ts";
import { CPU_SHARE_MAX, busyShare, type CpuShares } from "./cpu-share.ts";
import type { LoadResult } from "./run-load.ts";
import { PROMPT_MS_MAX, summarise, type LoadSummary, type Times } from "./summary.ts";
import { findOverload, growthOf } from "./verdicts.ts";

export const MODES = ["adaptive", "unlimited"] as const;
export type Mode = (typeof MODES)[number];

/** One load under one mode, as it is reported. */
export type LoadCell = LoadSummary & {
  readonly mode: Mode;
  readonly rooms: number;
  readonly windowS: number;
  readonly openTurns: number;
  readonly refusedMessages: number;
  /** Mean sequences that ran, by the emulator; its busy share is this over its places. */
  readonly running: number;
  readonly busyShare: number;
  readonly waitingPeak: number;
  /** Of prompt tokens. */
  readonly cachedShare: number;
  /** Mean and least limit in the window; `null` without admission. A dip to learn the idle latency shows as a low least. */
  readonly limit: { readonly mean: number; readonly min: number } | null;
  readonly inFlight: number | null;
  readonly cpu: CpuShares;
};

export function toCell(
  result: LoadResult,
  { mode, rooms, windowMs, places }: { mode: Mode; rooms: number; windowMs: number; places: number },
): LoadCell {
  const [stats] = result.stats;
  const gates = mode === "unlimited" ? [] : result.gates.flatMap(({ gates: [gate] }) => gate ?? []);
  const limits = gates.map(({ limit }) => limit);
  return {
    mode,
    rooms,
    windowS: windowMs / 1_000,
    ...summarise(result.turns, { fromMs: 0, toMs: windowMs }),
    openTurns: result.openTurns,
    refusedMessages: result.refusedMessages,
    running: (stats?.busyShare ?? 0) * places,
    busyShare: stats?.busyShare ?? 0,
    waitingPeak: stats?.waitingPeak ?? 0,
    cachedShare: stats === undefined || stats.promptTokens === 0 ? 0 : stats.cachedTokens / stats.promptTokens,
    limit: limits.length === 0 ? null : { mean: mean(limits), min: Math.min(...limits) },
    inFlight: gates.length === 0 ? null : mean(gates.map(({ inFlight }) => inFlight)),
    cpu: result.cpu,
  };
}

export function printCells(cells: readonly LoadCell[]): void {
  console.log("Turns that ended in the window, by who answered them:");
  console.table(cells.map(toTurnRow));
  console.log(
    "Turns that a main endpoint answered, ms from the viewer's message (own: from the room's turning to it):",
  );
  console.table(cells.map((cell) => toTimesRow(cell, cells)));
  console.log("The endpoint and the machine:");
  console.table(cells.map(toUseRow));
  for (const { mode, rooms, cpu } of cells) warnOfCpu(`${mode}, ${rooms} rooms`, cpu);
}

/** Latencies of a busy machine are its own. */
export function warnOfCpu(name: string, cpu: CpuShares): void {
  if (busyShare(cpu) <= CPU_SHARE_MAX) return;
  console.log(`warning: ${name}: the machine was ${percent(busyShare(cpu))} busy, so these times are the machine's`);
}

function toTurnRow(cell: LoadCell) {
  const { by } = cell;
  return {
    mode: cell.mode,
    rooms: cell.rooms,
    "window, s": rounded(cell.windowS),
    "offered/s": rounded(cell.offeredPerS),
    turns: cell.turns,
    "by main": by.main,
    busy: by.busy,
    "queue full": by.queue_full,
    "breaker open": by.breaker_open,
    "call failed": by.failed,
    "no call": by.no_call,
    fallback: by.fallback,
    expired: by.expired,
    silent: by.silent,
    "never ended": cell.openTurns,
    "goodput/s": rounded(cell.goodputPerS),
    [`in ${PROMPT_MS_MAX / 1_000} s/s`]: rounded(cell.promptPerS),
  };
}

function toTimesRow(cell: LoadCell, cells: readonly LoadCell[]) {
  const growth = growthOf(cells.filter(({ mode }) => mode === cell.mode)).find(({ rooms }) => rooms === cell.rooms);
  return {
    mode: cell.mode,
    rooms: cell.rooms,
    ...times("first ", cell.firstSentenceMs),
    ...times("turn ", cell.turnMs),
    "first p95 ×": rounded(growth?.firstSentence ?? 1),
    "turn p95 ×": rounded(growth?.turn ?? 1),
    ...times("own ", cell.ownTurnMs),
    "own p95 ×": rounded(growth?.ownTurn ?? 1),
    "slot wait": Math.round(cell.waitedMs),
  };
}

function toUseRow(cell: LoadCell) {
  const { limit, inFlight, cpu } = cell;
  return {
    mode: cell.mode,
    rooms: cell.rooms,
    "busy share": percent(cell.busyShare),
    "running, mean": rounded(cell.running),
    "waiting, peak": cell.waitingPeak,
    "limit, mean (least)": limit === null ? "none" : `${rounded(limit.mean)} (${limit.min})`,
    "in flight / limit": limit === null || inFlight === null ? "none" : percent(inFlight / limit.mean),
    "prompt cached": percent(cell.cachedShare),
    "CPU client": percent(cpu.client),
    workerd: percent(cpu.workerd),
    emulator: percent(cpu.emulator),
    others: percent(cpu.others),
  };
}

/** Goodput beside the load, both in peaks of the mode. */
export function overloadOf(cells: readonly LoadCell[], mode: Mode) {
  return findOverload(cells.filter((cell) => cell.mode === mode));
}

function times(prefix: string, { p50, p95, p99 }: Times): Record<string, number> {
  return {
    [`${prefix}p50`]: Math.round(p50),
    [`${prefix}p95`]: Math.round(p95),
    [`${prefix}p99`]: Math.round(p99),
  };
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
