/** One turn: its question, its timeline, and all of its record when opened. */
import type { TurnRecord } from "../../../shared/contract/turn-record.ts";
import { make, makeButton, setText } from "../dom.ts";
import { formatMs, shortVersion } from "../format.ts";
import type { Strings } from "../strings.ts";
import { type Timeline, toTimeline } from "../timeline.ts";
import { type TurnItem, phaseOf } from "../turn-item.ts";
import { describeInterruption, describeReason, summarisePriority } from "../turn-words.ts";
import { phaseText } from "./messages-view.ts";
import { drawTimeline } from "./timeline-bar.ts";
import { drawPriority, drawTurnDetail } from "./turn-detail.ts";

/** What is known of a turn's record. */
export type RecordState =
  | { readonly status: "absent" | "loading" | "failed"; readonly record: null }
  | { readonly status: "read"; readonly record: TurnRecord };

export type TurnLine = {
  readonly turn: TurnItem;
  readonly recordState: RecordState;
  readonly scaleMs: number;
  readonly serverNowMs: number;
  readonly strings: Strings;
};

/** @param onWantRecord - The reader opened a turn that has ended, or asks again after a failure. */
export function createTurnRow(onWantRecord: (turn: string) => void) {
  const element = make("li", "turn");
  const details = make("details");
  const summary = make("summary", "turn-summary");
  const question = make("span", "turn-question");
  const merged = make("span", "turn-merged");
  const badge = make("span", "badge");
  const total = make("span", "turn-total");
  const bar = make("div", "turn-bar");
  const facts = make("span", "turn-facts");
  const version = make("code", "turn-version");
  const interruptions = make("span", "turn-interruptions");
  const detail = make("div", "turn-detail");
  summary.append(question, merged, badge, total, bar, facts, version, interruptions);
  details.append(summary, detail);
  element.append(details);
  let line: TurnLine | null = null;

  const showDetail = (): void => {
    if (line === null || !details.open) return;
    const { turn, recordState, strings } = line;
    if (turn.end === null) {
      return detail.replaceChildren(
        make("p", "hint", strings.detailOpen),
        ...drawPriority(turn.priority, turn.waitedMs, strings),
      );
    }
    if (recordState.status === "absent") onWantRecord(turn.id);
    if (recordState.status === "read") return drawTurnDetail(detail, { turn, record: recordState.record }, strings);
    if (recordState.status === "failed") {
      return detail.replaceChildren(makeButton("quiet", strings.detailReload, () => onWantRecord(turn.id)));
    }
    detail.replaceChildren(make("p", "hint", strings.detailLoading));
  };
  details.addEventListener("toggle", showDetail);

  return {
    element,
    update: (next: TurnLine): void => {
      const isDetailStale =
        line?.recordState !== next.recordState ||
        line.strings !== next.strings ||
        line.turn.end !== next.turn.end ||
        line.turn.priority !== next.turn.priority;
      line = next;
      const { turn, strings } = next;
      const timeline = toTimeline(turn, next.recordState.record, next.serverNowMs);
      element.id = `turn-${turn.id}`;
      setText(question, turn.question ?? strings.turnUnknown);
      merged.hidden = turn.askers < 2;
      setText(merged, strings.askers(turn.askers));
      showOutcome(badge, turn, strings);
      setText(total, formatMs(timeline.totalMs));
      bar.replaceChildren(drawTimeline(timeline, next.scaleMs, strings));
      setText(facts, describeFacts(turn, timeline, strings));
      setText(version, turn.harness === null ? "" : shortVersion(turn.harness.version));
      version.title = turn.harness === null ? "" : `${turn.harness.name}@${turn.harness.version}`;
      const told = turn.interruptions.map((one) => describeInterruption(one, turn.acceptedAtMs ?? one.atMs, strings));
      interruptions.hidden = told.length === 0;
      setText(interruptions, told.join(" "));
      if (isDetailStale) showDetail();
    },
  };
}

function showOutcome(badge: HTMLElement, turn: TurnItem, strings: Strings): void {
  const phase = phaseOf(turn);
  badge.dataset["phase"] = phase;
  setText(badge, phaseText(phase, strings));
}

/** `等待 12 ms · 优先 57.2 分 · 8 选 1 · 首句 640 ms · 工具 查价 35 ms · 钩子 1 · 原因`: the figures below the bar. */
function describeFacts(turn: TurnItem, timeline: Timeline, strings: Strings): string {
  const parts = [`${strings.legendWaiting} ${formatMs(timeline.waitedMs)}`];
  if (turn.priority !== null && turn.priority.waiting > 1) parts.push(summarisePriority(turn.priority, strings));
  if (timeline.firstSentenceMs !== null) parts.push(`${strings.summaryFirst} ${formatMs(timeline.firstSentenceMs)}`);
  for (const tool of timeline.tools) parts.push(`${tool.name} ${formatMs(tool.endMs - tool.startMs)}`);
  if (timeline.hooks.length > 0) parts.push(`${strings.legendHook} ${timeline.hooks.length}`);
  if (turn.attempt > 1) parts.push(strings.turnAttempt(turn.attempt));
  const reason = turn.end === null ? null : turn.end.reason;
  const isTold = turn.interruptions.some(({ cause }) => cause === reason?.split(":")[0]);
  if (reason !== null && !isTold) parts.push(describeReason(reason, strings));
  return parts.join(" · ");
}
