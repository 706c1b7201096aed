/** The headline figures above the subtitles. */
import { type PageContext, byId, make, setText } from "../dom.ts";
import { toFigures } from "../figures.ts";
import { formatMs } from "../format.ts";
import type { RoomModel } from "../frame-store.ts";

/** Waiting longer than this is shown as an alarm, ms: the answer will come too late to matter. */
const WAIT_ALARM_MS = 15_000;

/** Builds the four figures. */
export function createFiguresView() {
  const list = byId("figures", HTMLDListElement);
  const cells = ["p50", "p95", "waiting", "oldest"].map((name) => {
    const cell = make("div", "figure");
    cell.dataset["figure"] = name;
    const label = make("dt");
    const value = make("dd");
    cell.append(label, value);
    list.append(cell);
    return { cell, label, value };
  });

  return {
    update: (model: RoomModel, { strings, nowMs }: PageContext): void => {
      const figures = toFigures(model, nowMs);
      const texts = [
        [strings.figureP50, formatMs(figures.firstSentenceP50Ms)],
        [strings.figureP95, formatMs(figures.firstSentenceP95Ms)],
        [strings.figureWaiting, `${figures.waitingMessages}`],
        [strings.figureOldest, formatMs(figures.oldestWaitMs)],
      ] as const;
      const isLate = (figures.oldestWaitMs ?? 0) > WAIT_ALARM_MS;
      for (const [index, { cell, label, value }] of cells.entries()) {
        setText(label, texts[index]?.[0] ?? "");
        setText(value, texts[index]?.[1] ?? "");
        cell.classList.toggle("is-alarm", index >= 2 && isLate);
        cell.title = index < 2 ? strings.figureBase(figures.count) : "";
      }
    },
  };
}
