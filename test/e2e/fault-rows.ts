/** The matrix of faults: its rows as `workers/inference/README.md` has them, and what a turn makes of one. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { StepRecord, TurnRecord } from "../../shared/contract/turn-record.ts";
import type { ScriptedAnswer } from "../endpoint/answers.ts";
import type { FaultInput } from "../endpoint/faults.ts";
import type { RunningEmulator } from "../helpers/emulator.ts";
import { FALLBACK_LINE, type Bench, type BenchRoom } from "./fault-bench.ts";

const README = path.resolve(import.meta.dirname, "../../workers/inference/README.md");
const HEAD = ["set-up", "fault", "moment", "hits", "outcome", "heard", "requests", "calls", "limits"];

/** Which harness and how many endpoints. */
const SET_UPS = {
  one: { harness: "fault-host", endpoints: 1 },
  two: { harness: "fault-host", endpoints: 2 },
  "one, strict": { harness: "strict-host", endpoints: 1 },
  "two, strict": { harness: "strict-host", endpoints: 2 },
  "two, hedged": { harness: "hedging-host", endpoints: 2 },
} as const;

/** What the scripted endpoint says to each request, whole, as models do that are asked to go on. */
export const SENTENCES = ["这款毛巾是纯棉的。", "摸起来又软又厚。", "放心拍就好。"];
const ANSWER = { texts: SENTENCES };
const WORDS = "我帮您看一下。";
/** End of a moment in an answer that begins with these words. */
const AFTER_WORDS = " after words";
export const TOOL_CALLS = [{ name: "get_product", arguments: '{"product":"p1"}' }];
/** More than any turn asks. */
const ANSWERS_MAX = 10;

/** One case of the table, in its words. */
export type Row = {
  readonly setUp: keyof typeof SET_UPS;
  readonly fault: string;
  readonly moment: string;
  readonly hits: string;
  readonly outcome: string;
  readonly heard: string;
  readonly requests: string;
  readonly calls: string;
  /** What limits and pauses may take of the turn, ms. */
  readonly limitsMs: number;
};

/** What a turn has made of it: the cells from `outcome` to `calls`. */
export type Played = Pick<Row, "outcome" | "heard" | "requests" | "calls"> & { readonly totalMs: number };

/** The rows of the README's table. */
export function readRows(): readonly Row[] {
  const lines = readFileSync(README, "utf8").split("\n");
  const head = lines.findIndex((line) => line.startsWith("|") && cellsOf(line).join() === HEAD.join());
  if (head < 0) throw new Error(`${README} has no table with the columns ${HEAD.join(", ")}`);
  const after = lines.slice(head + 2);
  const end = after.findIndex((line) => !line.startsWith("|"));
  return after.slice(0, end < 0 ? after.length : end).flatMap(toRows);
}

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** A line may name several faults and several moments: it stands for each fault at each moment. */
function toRows(line: string): Row[] {
  const [setUp = "", faults = "", moments = "", hits = "", ...results] = cellsOf(line);
  const [outcome = "", heard = "", requests = "", calls = "", limits = ""] = results;
  if (!isSetUp(setUp)) throw new Error(`There is no set-up ${setUp}`);
  const row = { setUp, hits, outcome, heard, requests, calls, limitsMs: Number(limits) };
  return faults.split(", ").flatMap((fault) => moments.split(", ").map((moment): Row => ({ ...row, fault, moment })));
}

function isSetUp(name: string): name is Row["setUp"] {
  return Object.hasOwn(SET_UPS, name);
}

/** Releases the harnesses of the set-ups. */
export async function releaseHarnesses(bench: Bench): Promise<void> {
  await bench.release({ name: "fault-host" });
  await bench.release({ name: "strict-host", model: { offlineFallback: false } });
  await bench.release({ name: "hedging-host", model: { hedgeAfterMs: 200 } });
}

/** What the policy inside the Worker says to the question where there is no endpoint. */
export async function askOffline(bench: Bench): Promise<readonly string[]> {
  const room = await bench.openRoom({ harness: "fault-host", endpoints: 0 });
  const { sentences } = await room.record(await room.ask());
  return sentences.map(({ text }) => text);
}

/** One turn in a new room, with the row's fault at the room's own endpoint and the other one healthy. */
export async function playRow(bench: Bench, row: Row, offline: readonly string[]): Promise<Played> {
  const { harness, endpoints } = SET_UPS[row.setUp];
  const room = await bench.openRoom({ harness, endpoints });
  try {
    await script(bench.own, toAnswers(row));
    await script(bench.other, row.moment.startsWith("mid-tool-call") ? [toToolAnswer(row), ANSWER] : [ANSWER]);
    await bench.own.setFaults([toFault(row)]);
    const record = await room.record(await room.ask());
    return await describe(bench, room, { record, offline, endpoints });
  } finally {
    await room.close();
  }
}

export type Answers = readonly Partial<ScriptedAnswer>[];

/** The last answer is given again and again. */
export async function script(emulator: RunningEmulator, answers: Answers): Promise<void> {
  const last = answers.at(-1) ?? ANSWER;
  const more = Array.from({ length: ANSWERS_MAX }, () => last);
  await emulator.control("/answers", "POST", { answers: [...answers, ...more] });
}

function toToolAnswer({ moment }: Row): Partial<ScriptedAnswer> {
  return { texts: moment.endsWith(AFTER_WORDS) ? [WORDS] : [], toolCalls: TOOL_CALLS };
}

/** A call that the fault breaks off is asked for again, and must get the same answer. */
function toAnswers(row: Row): Answers {
  if (!row.moment.startsWith("mid-tool-call")) return [ANSWER];
  const tool = toToolAnswer(row);
  if (row.hits === "all") return [tool];
  const isWhole = row.fault.startsWith("slow") || row.fault === "garbage";
  return isWhole ? [tool, ANSWER] : [tool, tool, ANSWER];
}

/** `status 429 after 1`, `slow 300`, `fixture only-done`, or a name alone. */
function toFault({ fault, moment, hits }: Row): FaultInput {
  const [name = "", detail = "", , seconds] = fault.split(" ");
  const count = hits === "all" ? -1 : Number(hits);
  const at = moment === "whole" ? {} : { at: moment.replace(AFTER_WORDS, "") };
  const details: Readonly<Record<string, object>> = {
    slow: { ms: Number(detail) },
    status: { status: Number(detail), ...(seconds !== undefined && { retryAfter: Number(seconds) }) },
    fixture: { name: detail },
  };
  // The emulator reads it with its schema, and refuses what it does not know.
  return { fault: name, count, ...at, ...details[name] } as FaultInput;
}

async function describe(
  bench: Bench,
  room: BenchRoom,
  turn: { readonly record: TurnRecord; readonly offline: readonly string[]; readonly endpoints: number },
): Promise<Played> {
  const { outcome, reason, sentences, trace, timings } = turn.record;
  const counts = await Promise.all([bench.own.stats(), bench.other.stats()]);
  return {
    outcome: reason === null ? outcome : `${outcome}: ${reason}`,
    heard: toHeard(
      sentences.map(({ text }) => text),
      turn.offline,
    ),
    requests: counts
      .slice(0, turn.endpoints)
      .map(({ requests }) => requests)
      .join(" + "),
    calls: (trace?.steps ?? []).map((step) => toCall(step, room)).join("; "),
    totalMs: timings.totalMs,
  };
}

/** Sentences by their names in the table; what has none stands for itself. */
function toHeard(texts: readonly string[], offline: readonly string[]): string {
  const names = new Map([
    ...offline.map((text, index) => [text, `offline ${index + 1}`] as const),
    ...SENTENCES.map((text, index) => [text, String(index + 1)] as const),
    [WORDS, "words"] as const,
    [FALLBACK_LINE, "line"] as const,
  ]);
  const whole = offline.map((_, index) => `offline ${index + 1}`).join(", ");
  const heard = texts.map((text) => names.get(text) ?? text).join(", ");
  return heard.replace(whole, "offline");
}

/** Who was tried and who served, in order: `own: model_unavailable ×3 → offline: stop`. */
function toCall({ servedBy, code, finish }: StepRecord, room: BenchRoom): string {
  const tries = (servedBy?.tries ?? []).map((one) => `${room.sideOf(one.endpoint)}: ${one.code}`);
  const served = servedBy?.model === "none" ? "nobody" : room.sideOf(servedBy?.endpoint ?? "nobody");
  const last = `${served}: ${code ?? finish}`;
  const runs: { readonly text: string; count: number }[] = [];
  for (const text of [...tries, last]) {
    const run = runs.at(-1);
    if (run?.text === text) run.count += 1;
    else runs.push({ text, count: 1 });
  }
  return runs.map(({ text, count }) => (count === 1 ? text : `${text} ×${count}`)).join(" → ");
}
