/** All that a turn's record holds, laid out for reading. Everything in it is text from outside. */
import type { HookRecord, StepRecord, ToolCallRecord, TurnRecord } from "../../../shared/contract/turn-record.ts";
import { make } from "../dom.ts";
import { formatMs, layOutJson } from "../format.ts";
import type { TurnPriority } from "../../../shared/contract/intake-policy.ts";
import { describeAdmission, describeServedBy } from "../serving.ts";
import { type Strings, wordFor } from "../strings.ts";
import { type Segment, toTimeline } from "../timeline.ts";
import type { TurnItem } from "../turn-item.ts";
import { describePriority, describeReason } from "../turn-words.ts";
import { phaseText } from "./messages-view.ts";
import { describeSegment, drawSegmentLine } from "./timeline-bar.ts";

/** A turn as the page knows it from frames, and its record. */
export type RecordedTurn = { readonly turn: TurnItem; readonly record: TurnRecord };

/** Replaces the content of `target` by the record. */
export function drawTurnDetail(target: Element, { turn, record }: RecordedTurn, strings: Strings): void {
  const { trace } = record;
  const sections = [
    ...drawPriority(record.priority ?? turn.priority, record.timings.waitedMs, strings),
    drawTimes(turn, record, strings),
    drawSaid(record, strings),
  ];
  if (trace === null) {
    // Of a turn that expired or was interrupted no runner is expected to tell.
    const isLost = record.outcome !== "expired" && record.outcome !== "interrupted";
    if (isLost) sections.push(make("p", "hint", strings.detailNoTrace));
  } else {
    const admission = describeAdmission(trace.admission, strings);
    if (admission.length > 0) sections.push(section(strings.detailAdmission, ...hints(admission)));
    sections.push(
      section(strings.detailSteps, ...trace.steps.map((step) => drawStep(step, strings))),
      drawHooks(trace.hooks, strings),
      section(strings.detailTurnPrompt, folded(strings.detailTurnPrompt, trace.turnPrompt)),
    );
  }
  target.replaceChildren(...sections, drawMessages(record, strings), drawFacts(record, strings));
}

/** Why the turn was next; nothing for one that never had the floor. */
export function drawPriority(priority: TurnPriority | null, waitedMs: number | null, strings: Strings): HTMLElement[] {
  if (priority === null) return [];
  const { line, parts } = describePriority(priority, waitedMs ?? 0, strings);
  const list = make("dl", "points");
  for (const { name, points } of parts) {
    const part = make("div");
    part.append(make("dt", "", name), make("dd", "", points));
    list.append(part);
  }
  return [section(strings.priorityTitle, make("p", "hint", line), list)];
}

function section(title: string, ...content: readonly Node[]): HTMLElement {
  const element = make("section", "detail-section");
  element.append(make("h3", "", title), ...content);
  return element;
}

function hints(lines: readonly string[]): HTMLElement[] {
  return lines.map((line) => make("p", "hint", line));
}

function code(text: string): HTMLPreElement {
  const block = make("pre", "code", text);
  block.tabIndex = 0;
  return block;
}

function folded(title: string, text: string): HTMLElement {
  const details = make("details", "fold");
  details.append(make("summary", "", title), code(text));
  return details;
}

function drawTimes(turn: TurnItem, record: TurnRecord, strings: Strings): HTMLElement {
  const timeline = toTimeline(turn, record, record.endedAtMs);
  const list = make("ol", "gantt");
  const byStart = [...timeline.steps, ...timeline.tools, ...timeline.hooks].toSorted((a, b) => a.startMs - b.startMs);
  for (const segment of [...timeline.phases, ...byStart]) list.append(drawGanttRow(segment, timeline.totalMs, strings));
  return section(strings.detailTimes, list);
}

function drawGanttRow(segment: Segment, scaleMs: number, strings: Strings): HTMLElement {
  const row = make("li", "gantt-row");
  const name = make("span", "gantt-name", describeSegment(segment, strings));
  const span =
    segment.kind === "hook" ? formatMs(segment.startMs) : `${formatMs(segment.startMs)} – ${formatMs(segment.endMs)}`;
  row.append(name, make("span", "gantt-span", span), drawSegmentLine(segment, Math.max(1, scaleMs), strings));
  return row;
}

function drawSaid(record: TurnRecord, strings: Strings): HTMLElement {
  const list = make("ol", "said");
  for (const sentence of record.sentences) {
    const item = make("li");
    item.append(make("span", "said-time", formatMs(sentence.atMs)), make("span", "", sentence.text));
    item.dataset["kind"] = sentence.kind;
    const isHeard = record.heard === undefined || sentence.seq < record.heard.sentences;
    if (!isHeard) item.append(make("span", "said-time", strings.unsaid));
    list.append(item);
  }
  return section(strings.detailSaid, list);
}

function drawStep(step: StepRecord, strings: Strings): HTMLElement {
  const block = make("div", "step");
  const facts = [formatMs(step.endedMs - step.startedMs), step.code ?? step.finish];
  if (step.firstDeltaMs !== null) facts.push(strings.detailFirstDelta(formatMs(step.firstDeltaMs - step.startedMs)));
  if (step.usage !== null) {
    const { inputTokens, outputTokens, cachedTokens, estimated } = step.usage;
    const tokens = strings.detailTokens(inputTokens, outputTokens, cachedTokens === null ? "–" : `${cachedTokens}`);
    facts.push(`${tokens}${estimated ? strings.detailEstimated : ""}`);
  }
  block.append(make("h4", "", strings.legendStep(`${step.index + 1}`)), make("p", "hint", facts.join(" · ")));
  block.append(...hints(describeServedBy(step.servedBy, strings)));
  if (step.text !== "") block.append(code(step.text));
  block.append(...step.toolCalls.map((call) => drawToolCall(call, strings)));
  return block;
}

function drawToolCall(call: ToolCallRecord, strings: Strings): HTMLElement {
  const block = make("div", "tool-call");
  const outcome = strings.outcomeTool[call.outcome];
  const facts = [outcome, ...(call.code === null ? [] : [call.code]), formatMs(call.endedMs - call.startedMs)];
  const head = make("p", "tool-call-head");
  head.append(make("code", "tool-call-name", call.tool), make("span", "hint", facts.join(" · ")));
  head.dataset["outcome"] = call.outcome;
  block.append(
    head,
    label(strings.detailArguments, layOutJson(call.argumentsText)),
    label(strings.detailOutput, layOutJson(call.output)),
  );
  return block;
}

function label(title: string, text: string): HTMLElement {
  const block = make("div", "labelled");
  block.append(make("p", "hint", title), code(text));
  return block;
}

function drawHooks(hooks: readonly HookRecord[], strings: Strings): HTMLElement {
  if (hooks.length === 0) return section(strings.detailHooks, make("p", "hint", strings.detailHooksNone));
  const list = make("ul", "hook-list");
  for (const hook of hooks) {
    const item = make("li");
    const head = make("p", "tool-call-head");
    const facts = [wordFor(strings.verdicts, hook.verdict), hook.event, formatMs(hook.atMs)].join(" · ");
    head.append(make("code", "tool-call-name", hook.hook), make("span", "hint", facts));
    item.append(head, make("p", "", hook.reason), label(strings.detailSubject, hook.subject));
    list.append(item);
  }
  return section(strings.detailHooks, list);
}

function drawMessages(record: TurnRecord, strings: Strings): HTMLElement {
  const list = make("ul", "said");
  for (const message of record.messages) {
    const item = make("li");
    item.append(make("span", "said-time", message.viewer?.name ?? strings.someone), make("span", "", message.text));
    list.append(item);
  }
  return section(strings.detailMessages, list);
}

function drawFacts(record: TurnRecord, strings: Strings): HTMLElement {
  const { trace } = record;
  const facts: [string, string][] = [
    [strings.detailOutcome, phaseText(record.outcome, strings)],
    [strings.detailReason, record.reason === null ? "–" : describeReason(record.reason, strings)],
    [strings.detailHarness, `${record.harness.name}@${record.harness.version}`],
    [strings.detailRevision, `${record.configRevision}`],
    [strings.detailAttempt, `${record.attempt}`],
  ];
  if (trace !== null) {
    facts.push([strings.detailModel, `${trace.model.model} @ ${trace.model.endpoint}`]);
    facts.push([strings.detailHookRuns, `${trace.hookRuns}`]);
  }
  const list = make("dl", "facts");
  for (const [name, value] of facts) list.append(make("dt", "", name), make("dd", "", value));
  return section(strings.detailFacts, list);
}
