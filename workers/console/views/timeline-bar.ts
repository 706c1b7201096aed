/** Draws a turn's timeline. All that the picture tells is in its label as well, in words and ms. */
import { makeSvg } from "../dom.ts";
import { formatMs } from "../format.ts";
import { type Strings, wordFor } from "../strings.ts";
import type { Segment, Timeline } from "../timeline.ts";

const PHASE_TOP = 1;
const PHASE_HEIGHT = 10;
const TOOL_TOP = 13;
const TOOL_HEIGHT = 4;
/** Hooks have a line of their own: a verdict often falls on the end of a tool. */
const HOOK_TOP = 18;
/** Height of a whole bar, px. */
const BAR_HEIGHT = 24;
/** A segment is never thinner than this share of the bar, or it could not be seen. */
const SHARE_MIN = 0.004;

/** `思考 640 ms`: a segment in words. */
export function describeSegment(segment: Segment, strings: Strings): string {
  const length = formatMs(segment.endMs - segment.startMs);
  switch (segment.kind) {
    case "waiting":
      return `${strings.legendWaiting} ${length}`;
    case "thinking":
      return `${strings.legendThinking} ${length}`;
    case "speaking":
      return `${strings.legendSpeaking} ${length}`;
    case "step":
      return `${strings.legendStep(segment.name)} ${length}`;
    case "tool":
      return `${strings.legendTool} ${segment.name} ${length}`;
    case "hook":
      return `${strings.legendHook} ${segment.name} ${wordFor(strings.verdicts, segment.outcome)}`;
  }
}

/** The whole timeline in one line. */
function describeTimeline(timeline: Timeline, strings: Strings): string {
  const parts = [...timeline.phases, ...timeline.tools, ...timeline.hooks].map((part) =>
    describeSegment(part, strings),
  );
  const first =
    timeline.firstSentenceMs === null ? [] : [`${strings.summaryFirst} ${formatMs(timeline.firstSentenceMs)}`];
  const interrupts = timeline.interruptsMs.map((atMs) => `${strings.legendInterrupt} ${formatMs(atMs)}`);
  const all = [...parts, ...first, ...interrupts, `${strings.summaryTotal} ${formatMs(timeline.totalMs)}`];
  return strings.barLabel(all.join(" · "));
}

/** A bar for a whole turn: phases above, tools and hooks below, a tick for each sentence, a mark where it was interrupted. */
export function drawTimeline(timeline: Timeline, scaleMs: number, strings: Strings): SVGSVGElement {
  const svg = makeSvg("svg", {
    class: "timeline",
    height: `${BAR_HEIGHT}`,
    role: "img",
    "aria-label": describeTimeline(timeline, strings),
  });
  const phase = { top: PHASE_TOP, height: PHASE_HEIGHT, scaleMs, strings };
  const tool = { ...phase, top: TOOL_TOP, height: TOOL_HEIGHT };
  svg.append(
    ...timeline.phases.map((segment) => drawSegment(segment, phase)),
    ...timeline.sentencesMs.map((atMs) => drawTick("tick", atMs, scaleMs)),
    ...timeline.interruptsMs.map((atMs) => drawTick("interrupt-mark", Math.min(atMs, scaleMs * 0.992), scaleMs)),
    ...timeline.tools.map((segment) => drawSegment(segment, tool)),
    ...timeline.hooks.map((segment) => drawMoment(segment, { ...tool, top: HOOK_TOP })),
  );
  if (timeline.totalMs > scaleMs) svg.append(drawCut());
  return svg;
}

/** A thin bar for one segment on its own line. */
export function drawSegmentLine(segment: Segment, scaleMs: number, strings: Strings): SVGSVGElement {
  const lane = { top: 2, height: 8, scaleMs, strings };
  const svg = makeSvg("svg", { class: "timeline", height: "12", "aria-hidden": "true" });
  svg.append(segment.kind === "hook" ? drawMoment(segment, lane) : drawSegment(segment, lane));
  return svg;
}

type Lane = { readonly top: number; readonly height: number; readonly scaleMs: number; readonly strings: Strings };

function percent(share: number): string {
  return `${(Math.min(1, Math.max(0, share)) * 100).toFixed(3)}%`;
}

function drawSegment(segment: Segment, { top, height, scaleMs, strings }: Lane): SVGElement {
  const from = Math.min(segment.startMs / scaleMs, 1 - SHARE_MIN);
  const share = Math.max(SHARE_MIN, Math.min(1 - from, (segment.endMs - segment.startMs) / scaleMs));
  const rect = makeSvg("rect", {
    class: `segment segment-${segment.kind}${isFailure(segment) ? " is-failure" : ""}${segment.isPlaceGuessed ? " is-guessed" : ""}`,
    x: percent(from),
    width: percent(share),
    y: `${top}`,
    height: `${height}`,
    rx: "2",
  });
  rect.append(makeTitle(segment, strings));
  return rect;
}

function drawMoment(segment: Segment, { top, height, scaleMs, strings }: Lane): SVGElement {
  const dot = makeSvg("circle", {
    class: "segment segment-hook",
    cx: percent(Math.min(0.992, Math.max(0.008, segment.startMs / scaleMs))),
    cy: `${top + height / 2}`,
    r: `${height / 2 + 1}`,
  });
  dot.append(makeTitle(segment, strings));
  return dot;
}

function makeTitle(segment: Segment, strings: Strings): SVGElement {
  const title = makeSvg("title", {});
  const note = segment.isPlaceGuessed ? ` (${strings.guessedPlace})` : "";
  title.textContent = `${describeSegment(segment, strings)}${note}`;
  return title;
}

function isFailure({ kind, outcome }: Segment): boolean {
  return kind === "tool" && outcome !== "tool-result";
}

function drawTick(className: "tick" | "interrupt-mark", atMs: number, scaleMs: number): SVGElement {
  const x = percent(atMs / scaleMs);
  return makeSvg("line", { class: className, x1: x, x2: x, y1: "0", y2: `${PHASE_TOP + PHASE_HEIGHT + 1}` });
}

/** A gap near the end of a bar that is longer than the scale. */
function drawCut(): SVGElement {
  return makeSvg("rect", { class: "cut", x: "98%", y: "0", width: "3", height: "12" });
}
