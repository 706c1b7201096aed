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
      const { waitingTurns } = figures;
      const texts = [
        [strings.figureP50, formatMs(figures.firstSentenceP50Ms)],
        [strings.figureP95, formatMs(figures.firstSentenceP95Ms)],
        [strings.figureWaiting, model.waitingMax === null ? `${waitingTurns}` : `${waitingTurns}/${model.waitingMax}`],
        [strings.figureOldest, formatMs(figures.oldestWaitMs)],
      ] as const;
      const isFull = model.waitingMax !== null && waitingTurns >= model.waitingMax;
      const isLate = isFull || (figures.oldestWaitMs ?? 0) > WAIT_ALARM_MS;
      const [timed, waiting] = [
        strings.figureBase(figures.count),
        strings.figureWaitingBase(waitingTurns, figures.waitingMessages),
      ];
      for (const [index, { cell, label, value }] of cells.entries()) {
        setText(label, texts[index]?.[0] ?? "");
        setText(value, texts[index]?.[1] ?? "");
        cell.classList.toggle("is-alarm", index >= 2 && isLate);
        cell.title = index < 2 ? timed : waiting;
      }
    },
  };
}
