/** The desk: every pane of an open room, drawn together. */
import { type PageContext, byId } from "../dom.ts";
import type { RoomSession } from "../room-session.ts";
import { createAskView } from "./ask-view.ts";
import { createFiguresView } from "./figures-view.ts";
import { createHeaderView } from "./header-view.ts";
import { createMessagesView } from "./messages-view.ts";
import { type ScreenControl, createProductsView } from "./products-view.ts";
import { createStageView } from "./stage-view.ts";
import { type StopControl, createStopView } from "./stop-view.ts";
import { createStrategyView } from "./strategy-view.ts";
import { createTabs } from "./tabs.ts";
import { type RecordSource, createTurnsView } from "./turns-view.ts";

export type DeskOptions = {
  readonly records: RecordSource;
  readonly screen: ScreenControl;
  readonly stop: StopControl;
  readonly onAsk: Parameters<typeof createAskView>[0];
  readonly onRetry: () => void;
  readonly onOpenRooms: () => void;
  readonly redraw: () => void;
};

/** Builds the desk, empty and hidden. */
export function createDesk(options: DeskOptions) {
  const desk = byId("desk", HTMLElement);
  const skip = byId("skip", HTMLAnchorElement);
  const tabs = createTabs();
  const header = createHeaderView(options.onRetry, options.onOpenRooms);
  const figures = createFiguresView();
  const stage = createStageView();
  const stop = createStopView(options.stop);
  const strategy = createStrategyView();
  const ask = createAskView(options.onAsk);
  const turns = createTurnsView(options.records);
  const products = createProductsView(options.screen, options.redraw);
  const messages = createMessagesView((turn) => {
    tabs.show("pane-turns");
    turns.reveal(turn);
  });
  return {
    /** Draws a room; without one, hides the desk. */
    draw: (session: RoomSession | null, isSignedIn: boolean, context: PageContext): void => {
      desk.hidden = skip.hidden = session === null;
      if (session === null) {
        strategy.clear();
        return header.clear(isSignedIn, context);
      }
      const model = session.model();
      header.update(model, session.connection(), context);
      for (const view of [figures, stage, stop, strategy, ask, messages, turns, products]) view.update(model, context);
    },
    focusAsk: (): void => ask.focus(),
    stop: (): void => stop.press(),
    restoreText: (text: string): void => ask.restore(text),
  };
}
