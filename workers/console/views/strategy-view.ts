/** What the strategist made of the room: its advice in one line, its summary when opened. */
import { type PageContext, byId, setText } from "../dom.ts";
import { formatClock } from "../format.ts";
import type { RoomModel } from "../frame-store.ts";

/** Builds the line, hidden until there is a strategy. */
export function createStrategyView() {
  const details = byId("strategy", HTMLDetailsElement);
  const tag = byId("strategy-tag", HTMLElement);
  const advice = byId("strategy-advice", HTMLElement);
  const source = byId("strategy-source", HTMLElement);
  const summary = byId("strategy-summary", HTMLParagraphElement);
  return {
    /** Without a room there is none. */
    clear: (): void => {
      details.hidden = true;
    },
    update: ({ strategy, onScreenProductId, config }: RoomModel, { strings }: PageContext): void => {
      details.hidden = strategy === null;
      if (strategy === null) return;
      const { advice: line, summary: text } = strategy;
      // An advice is about the product of its time and no other.
      const isStale = line !== "" && strategy.onScreenProductId !== onScreenProductId;
      details.classList.toggle("is-stale", isStale);
      const title = isStale ? strings.strategyStale : strings.strategyTitle;
      setText(tag, line === "" ? strings.strategySummary : title);
      setText(advice, line === "" ? text : line);
      setText(source, `${strings.strategySources[strategy.source]} · ${formatClock(strategy.atMs)}`);
      setText(summary, text);
      summary.hidden = line === "";
      summary.lang = advice.lang = config.locale;
    },
  };
}
