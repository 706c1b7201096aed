/** The frames of a room as lines for people. Pure. */
import type { ViewerMessage } from "../../../shared/contract/message.ts";
import type { RoomFrame } from "../../../shared/contract/room-frame.ts";
import type { ViewerFrame } from "../../../shared/contract/viewer-frame.ts";
import type { LogFrame } from "../../../shared/client/wire.ts";
import type { Paint, Style } from "../harness/harness-output.ts";
import { oneLine } from "../format-cells.ts";
import { formatHarness, formatYuan } from "./room-output.ts";

/** As operators get it, and as viewers do, with less in it. */
type ShownFrame = LogFrame | ViewerFrame;
type FrameOf<Type extends ShownFrame["type"]> = Extract<ShownFrame, { type: Type }>;

export type FrameWords = {
  readonly paint: Paint;
  /** What a product is called, by its id. */
  readonly productNames: ReadonlyMap<string, string>;
};

/** Columns of a frame's type: the longest has as many. */
const TYPE_COLUMNS = "host-speech".length;
const SEQ_COLUMNS = 5;

const STYLES: Readonly<Partial<Record<ShownFrame["type"], Style>>> = {
  message: "cyan",
  sentence: "green",
  interrupt: "red",
  dropped: "red",
};

/** One line: the time on this machine's clock, the frame's number, its type, and what it says. */
export function formatFrame(frame: ShownFrame, words: FrameWords): string {
  const { paint } = words;
  const place = `${frame.type === "unknown" ? "        " : timeOf(frame.atMs)} ${`${frame.seq}`.padStart(SEQ_COLUMNS)}`;
  const style = STYLES[frame.type] ?? "dim";
  const line = `${paint("dim", place)} ${paint(style, frame.type.padEnd(TYPE_COLUMNS))} ${oneLine(textOf(frame, words))}`;
  return `${line.trimEnd()}\n`;
}

function textOf(frame: ShownFrame, { productNames }: FrameWords): string {
  switch (frame.type) {
    case "message":
      return `${frame.turn} ${formatMessage(frame.message)}`;
    case "turn-start":
      return formatStart(frame);
    case "sentence":
      return formatSentence(frame);
    case "turn-end":
      return formatEnd(frame);
    case "dropped":
      return frame.messages.map(({ message, reason }) => `${formatMessage(message)} (${reason})`).join("; ");
    case "interrupt":
      return formatInterrupt(frame);
    case "host-speech":
      return `${frame.speaker}: ${frame.text}`;
    case "state":
      return formatState(frame, productNames);
    case "strategy":
      return formatStrategy(frame);
    case "config":
      return `revision ${frame.revision}, ${formatHarness(frame.harness)}`;
    case "unknown":
      return String(frame.body["type"]);
  }
}

type ShownMessage = Pick<ViewerMessage, "text"> & {
  readonly viewer?: { readonly name?: string | undefined; readonly id?: string } | undefined;
};

function formatMessage({ text, viewer }: ShownMessage): string {
  return `${viewer?.name ?? viewer?.id ?? "a viewer"}: ${text}`;
}

function formatSentence({ turn, sentence: { text, kind } }: FrameOf<"sentence">): string {
  return `${turn} ${text}${kind === "answer" ? "" : ` (${kind})`}`;
}

function formatStrategy(frame: FrameOf<"strategy">): string {
  return "strategy" in frame ? `${frame.strategy.summary} → ${frame.strategy.advice}` : "";
}

function formatStart(frame: FrameOf<"turn-start">): string {
  const { turn, attempt, waitedMs, harness } = frame;
  const parts = [`${turn} waited ${Math.round(waitedMs)} ms`, formatHarness(harness)];
  if (attempt > 1) parts.push(`attempt ${attempt}`);
  const priority = "priority" in frame ? frame.priority : undefined;
  if (priority !== undefined) parts.push(`${Math.round(priority.points)} points, first of ${priority.waiting}`);
  return parts.join(" · ");
}

function formatEnd({ turn, outcome, reason, timings, activity }: FrameOf<"turn-end">): string {
  const parts = [`${turn} ${outcome}${reason === null ? "" : ` (${reason})`}`];
  if (timings.firstSentenceMs !== null) parts.push(`first sentence ${Math.round(timings.firstSentenceMs)} ms`);
  parts.push(`${Math.round(timings.totalMs)} ms`);
  if (activity === null) return parts.join(" · ");
  const tools = activity.tools.map(({ tool, ms, outcome: end }) => `${tool} ${Math.round(ms)} ms${failure(end)}`);
  const hooks = activity.hooks.map(({ hook, verdict }) => `${hook}: ${verdict}`);
  return [...parts, `${activity.steps} ${activity.steps === 1 ? "step" : "steps"}`, ...tools, ...hooks].join(" · ");
}

function failure(outcome: string): string {
  return outcome === "tool-result" ? "" : ` ${outcome}`;
}

function formatInterrupt({ turn, cause, act, resumes, heard }: FrameOf<"interrupt">): string {
  const spoken = heard === undefined ? "" : ` · ${heard.sentences} sentence(s) heard`;
  return `${turn} ${cause}: ${act}${resumes ? ", resumes later" : ""}${spoken}`;
}

function formatState({ patch }: Extract<RoomFrame, { type: "state" }>, names: ReadonlyMap<string, string>): string {
  const parts: string[] = [];
  if (patch.onScreenProductId === null) parts.push("nothing on screen");
  else if (patch.onScreenProductId !== undefined) {
    parts.push(`on screen ${patch.onScreenProductId} ${names.get(patch.onScreenProductId) ?? ""}`.trim());
  }
  for (const { skuId, priceCents, stock } of patch.skus ?? []) {
    const price = priceCents === undefined ? "" : ` ${formatYuan(priceCents)} yuan`;
    parts.push(`${skuId}${price}${stock === undefined ? "" : ` stock ${stock}`}`);
  }
  return parts.join(" · ");
}

/** `20:15:03` on this machine's clock: who follows looks at the same one. */
function timeOf(atMs: number): string {
  return new Date(atMs).toTimeString().slice(0, 8);
}
