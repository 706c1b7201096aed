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
      // An advice is about the product of its time and no other.
      const isStale = strategy.advice !== "" && strategy.onScreenProductId !== onScreenProductId;
      details.classList.toggle("is-stale", isStale);
      setText(tag, isStale ? strings.strategyStale : strings.strategyTitle);
      setText(advice, strategy.advice === "" ? strings.strategyNone : strategy.advice);
      setText(source, `${strings.strategySources[strategy.source]} · ${formatClock(strategy.atMs)}`);
      setText(summary, strategy.summary);
      summary.lang = config.locale;
    },
  };
}
