/** What `kaibo turn` prints for people. Pure. */
import type { ReplayedTurn, TurnReplay } from "../../../shared/contract/replay.ts";
import type { TurnView } from "../../../shared/contract/room-view.ts";
import type { TurnRecord, TurnTrace } from "../../../shared/contract/turn-record.ts";
import { NONE, oneLine, shortVersion, timeOf } from "../format-cells.ts";
import { formatTable } from "../format-table.ts";
import type { Paint } from "../harness/harness-output.ts";
import { padColumns, wrapColumns } from "../text-columns.ts";

/** Terminals from this width on get two columns: less leaves a sentence no room. */
const SIDE_BY_SIDE_COLUMNS_MIN = 100;
const DIVIDER = " │ ";
/** Of a sentence's time and the spaces after it. */
const TIME_COLUMNS = 10;
/** Characters of a tool's arguments or of what a hook judged; more is for reading the record. */
const TEXT_CHARS_MAX = 120;

/** What a record and a replay have in common. */
type Ended = Pick<TurnRecord, "harness" | "outcome" | "reason" | "timings" | "sentences" | "trace">;
type Sentences = TurnView["sentences"];

/** All about one turn, but its prompt. */
export function formatTurn(view: TurnView, paint: Paint): string {
  const isOpen = view.schema === "kaibo.open-turn/1";
  const head = `${paint("bold", view.turn)} in ${view.room}: ${isOpen ? view.status : endOf(view)}\n`;
  const said = view.sentences.length === 0 ? "  nothing\n" : lines(view.sentences.map(formatSentence));
  const parts = [
    isOpen ? head : head + formatPairs(pairsOf(view)),
    `${paint("bold", `Asked ${askedOf(view)}`)}\n${formatMessages(view)}`,
    `${paint("bold", "Said")}\n${said}`,
  ];
  if (isOpen) return parts.join("\n");
  const tools = toolCallsOf(view.trace).map((call) => `${secondsOf(call.startedMs)}${formatCall(call)}`);
  const hooks = (view.trace?.hooks ?? []).map(
    (hook) => `${secondsOf(hook.atMs)}${formatHook(hook)}, of: ${cut(hook.subject)}`,
  );
  if (tools.length > 0) parts.push(`${paint("bold", "Tools")}\n${lines(tools)}`);
  if (hooks.length > 0) parts.push(`${paint("bold", "Hooks")}\n${lines(hooks)}`);
  return parts.join("\n");
}

/**
 * The turn as it was beside the turn as it would be, and what is another.
 *
 * @param columns - Of the terminal; in a narrow one, and where there is none, one stands above the other.
 */
export function formatReplay(
  { room, turn, configRevision, recorded, replayed }: TurnReplay,
  { columns, paint }: { readonly columns: number | null; readonly paint: Paint },
): string {
  const warnings = [
    ...(configRevision.recorded === configRevision.now ? [] : [configWarning(configRevision)]),
    ...(recorded.trace === null ? ["nobody ran this turn: what was on screen and in stock then is not known"] : []),
    ...replayed.unrecordedCalls.map(
      ({ tool, argumentsText }) =>
        `the record has no call ${tool} ${cut(argumentsText)}: it failed; --live-tools asks the service`,
    ),
  ];
  const isWide = columns !== null && columns >= SIDE_BY_SIDE_COLUMNS_MIN;
  const both = [sideOf("recorded", recorded), sideOf("replayed", replayed)] as const;
  return [
    `${paint("bold", turn)} in ${room}, asked ${askedOf(recorded)}\n${formatMessages(recorded)}`,
    ...(warnings.length === 0 ? [] : [warnings.map((text) => `${paint("red", "warning")} ${text}\n`).join("")]),
    isWide ? formatColumns(both, columns, paint) : both.map((side) => formatSide(side, paint)).join("\n"),
    formatDifferences(recorded, replayed, paint),
  ].join("\n");
}

function configWarning({ recorded, now }: TurnReplay["configRevision"]): string {
  return `the room's configuration is another one now: revision ${recorded} → ${now}; its products and rules may be others too`;
}

type Side = { readonly title: string; readonly sentences: Sentences };

function sideOf(title: string, { harness, sentences }: Ended): Side {
  return { title: `${title}: ${harnessOf({ harness })}`, sentences };
}

/** Sentence beside sentence, each wrapped in its own column. */
function formatColumns([left, right]: readonly [Side, Side], columns: number, paint: Paint): string {
  const width = Math.floor((columns - DIVIDER.length) / 2);
  const head = paint("bold", padColumns(left.title, width)) + DIVIDER + paint("bold", right.title);
  const count = Math.max(left.sentences.length, right.sentences.length);
  const rows = Array.from({ length: count }, (_, index) => {
    const cells = [left, right].map(({ sentences }) => wrapSentence(sentences[index], width));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_line, at) => {
      const [mine = "", other = ""] = cells.map((cell) => cell[at] ?? "");
      return `${padColumns(mine, width)}${DIVIDER}${other}`.trimEnd();
    });
  });
  return [head, ...rows.flat()].map((row) => `${row}\n`).join("");
}

function wrapSentence(sentence: Sentences[number] | undefined, columns: number): string[] {
  if (sentence === undefined) return [];
  const wrapped = wrapColumns(textOf(sentence), columns - TIME_COLUMNS);
  return wrapped.map((text, index) => (index === 0 ? secondsOf(sentence.atMs) : " ".repeat(TIME_COLUMNS)) + text);
}

function formatSide({ title, sentences }: Side, paint: Paint): string {
  const said = sentences.length === 0 ? "  nothing\n" : lines(sentences.map(formatSentence));
  return `${paint("bold", title)}\n${said}`;
}

/** Rows for what is another, always with the time of the first sentence; then the calls and verdicts that only one has. */
function formatDifferences(recorded: TurnRecord, replayed: ReplayedTurn, paint: Paint): string {
  const after = new Map(pairsOf(replayed));
  const rows = pairsOf(recorded)
    .map(([name, before]) => [name, before, after.get(name) ?? NONE] as const)
    .filter(([name, before, now]) => before !== now || name === FIRST_SENTENCE);
  const removed = (text: string) => `${paint("red", `- ${text}`)}\n`;
  const added = (text: string) => `${paint("green", `+ ${text}`)}\n`;
  const changes = [toolLines, hookLines].map((linesOf) => {
    const [mine, others] = [linesOf(recorded.trace), linesOf(replayed.trace)];
    return [...without(mine, others).map(removed), ...without(others, mine).map(added)].join("");
  });
  return `${formatTable([["", "recorded", "replayed"], ...rows])}${changes.join("")}`;
}

function toolLines(trace: TurnTrace | null): string[] {
  return toolCallsOf(trace).map(({ tool, argumentsText, outcome, code }) => {
    return `tool ${tool} ${cut(argumentsText)} → ${outcome}${code === null ? "" : ` ${code}`}`;
  });
}

function hookLines(trace: TurnTrace | null): string[] {
  return (trace?.hooks ?? []).map((hook) => `hook ${formatHook(hook)}`);
}

/** Entries that the others do not have, or not so often. */
function without(entries: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return entries.filter((entry) => {
    const at = left.indexOf(entry);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

const FIRST_SENTENCE = "first sentence";

/** Facts by name, in the same order for every turn. */
function pairsOf(turn: Ended): [name: string, value: string][] {
  const { timings, trace, sentences } = turn;
  const usage = usageOf(trace);
  return [
    ["outcome", endOf(turn)],
    ["harness", harnessOf(turn)],
    [FIRST_SENTENCE, msOf(timings.firstSentenceMs)],
    ["end", `${msOf(timings.totalMs)}, of which it waited ${msOf(timings.waitedMs)}`],
    ["speaks", timings.speakingMs === undefined ? NONE : `${(timings.speakingMs / 1_000).toFixed(1)} s`],
    ["sentences", `${sentences.length}`],
    ["model", trace === null ? NONE : `${trace.model.endpoint} ${trace.model.model}`.trim()],
    ["steps", trace === null ? NONE : `${trace.steps.length}`],
    ["tokens in", usage === null ? NONE : `${usage.inputTokens}${usage.isEstimated ? ", estimated" : ""}`],
    ["cached", usage?.cachedTokens === undefined ? NONE : `${usage.cachedTokens}`],
    ["tokens out", usage === null ? NONE : `${usage.outputTokens}`],
    ["prompt", trace === null ? NONE : `${shortVersion(trace.prefixDigest)}, configuration ${trace.configRevision}`],
  ];
}

type UsageSum = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent where a server did not say. */
  readonly cachedTokens?: number;
  readonly isEstimated: boolean;
};

/** Of all calls together; `null` where none has any. */
function usageOf(trace: TurnTrace | null): UsageSum | null {
  const usages = (trace?.steps ?? []).flatMap(({ usage }) => (usage === null ? [] : [usage]));
  if (usages.length === 0) return null;
  const sumOf = (figures: readonly number[]) => figures.reduce((sum, figure) => sum + figure, 0);
  const cached = usages.flatMap(({ cachedTokens }) => (cachedTokens === null ? [] : [cachedTokens]));
  return {
    inputTokens: sumOf(usages.map(({ inputTokens }) => inputTokens)),
    outputTokens: sumOf(usages.map(({ outputTokens }) => outputTokens)),
    ...(cached.length === usages.length && { cachedTokens: sumOf(cached) }),
    isEstimated: usages.some(({ estimated }) => estimated),
  };
}

function toolCallsOf(trace: TurnTrace | null) {
  return trace?.steps.flatMap(({ toolCalls }) => toolCalls) ?? [];
}

function formatCall({
  tool,
  argumentsText,
  outcome,
  code,
  startedMs,
  endedMs,
}: ReturnType<typeof toolCallsOf>[number]) {
  const end = code === null ? outcome : `${outcome} ${code}`;
  return `${tool} ${cut(argumentsText)} → ${end}, ${msOf(endedMs - startedMs)}`;
}

function formatHook({ hook, event, verdict, reason }: TurnTrace["hooks"][number]): string {
  return `${hook} ${event}: ${verdict}${reason === "" ? "" : `, ${cut(reason)}`}`;
}

function formatSentence(sentence: Sentences[number]): string {
  return `${secondsOf(sentence.atMs)}${textOf(sentence)}`;
}

function textOf({ text, kind }: Sentences[number]): string {
  return kind === "answer" ? oneLine(text) : `${oneLine(text)} (${kind})`;
}

function formatMessages({ messages }: Pick<TurnView, "messages">): string {
  return messages
    .map(({ text, viewer }) => `  ${oneLine(viewer?.name ?? viewer?.id ?? "a viewer")}: ${oneLine(text)}\n`)
    .join("");
}

function askedOf(view: TurnView): string {
  const when = timeOf(view.acceptedAtMs);
  const askers = "askers" in view ? (view.askers ?? 1) : 1;
  return askers > 1 ? `${when} by ${askers}` : when;
}

function endOf({ outcome, reason }: Pick<TurnRecord, "outcome" | "reason">): string {
  return reason === null ? outcome : `${outcome} (${reason})`;
}

function harnessOf({ harness }: Pick<TurnRecord, "harness">): string {
  return `${harness.name}@${shortVersion(harness.version)}`;
}

function secondsOf(ms: number): string {
  return `${(ms / 1_000).toFixed(2).padStart(6)} s`.padEnd(TIME_COLUMNS);
}

function msOf(ms: number | null): string {
  return ms === null ? NONE : `${Math.round(ms)} ms`;
}

/** One line, with its end left out where it is long. */
function cut(text: string): string {
  const whole = oneLine(text);
  return whole.length <= TEXT_CHARS_MAX ? whole : `${whole.slice(0, TEXT_CHARS_MAX)}…`;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}

function formatPairs(pairs: readonly (readonly [name: string, value: string])[]): string {
  return formatTable(pairs.map(([name, value]) => [`  ${name}`, value]));
}
