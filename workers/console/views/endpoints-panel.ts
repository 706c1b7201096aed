/** The panel of inference endpoints, beside the room. Only for tokens that may read them: for others there is no button. */
import { browserPorts } from "../browser-ports.ts";
import { type PageContext, byId, setText } from "../dom.ts";
import { type EndpointCard, toEndpointCard } from "../endpoint-card.ts";
import { type EndpointWatchOptions, createEndpointWatch } from "../endpoint-watch.ts";
import { createKeyedList } from "../keyed-list.ts";
import { type Strings, describeFailure } from "../strings.ts";
import { createEndpointRow } from "./endpoint-row.ts";

/** Builds the panel, closed and without its button. */
export function createEndpointsPanel(options: Pick<EndpointWatchOptions, "load" | "onChange">) {
  const button = byId("endpoints-button", HTMLButtonElement);
  const panel = byId("endpoints", HTMLElement);
  const body = byId("endpoints-scroller", HTMLDivElement);
  const none = byId("endpoints-none", HTMLDivElement);
  const error = byId("endpoints-error", HTMLParagraphElement);
  const watch = createEndpointWatch({ ...options, timer: browserPorts.timer });
  let strings: Strings | null = null;
  const list = createKeyedList<EndpointCard>({
    parent: byId("endpoint-list", HTMLUListElement),
    key: ({ name }) => name,
    inputs: (card) => [JSON.stringify(card), strings],
    create: () => createEndpointRow(() => strings),
  });

  const follow = (): void => watch.watch(!panel.hidden && !document.hidden);
  const setOpen = (isOpen: boolean): void => {
    panel.hidden = !isOpen;
    button.setAttribute("aria-expanded", `${isOpen}`);
    follow();
  };
  const close = (): void => {
    const hadFocus = panel.contains(document.activeElement);
    setOpen(false);
    if (hadFocus) button.focus();
  };
  button.addEventListener("click", () => {
    if (!panel.hidden) return close();
    setOpen(true);
    body.focus();
  });
  byId("endpoints-close", HTMLButtonElement).addEventListener("click", close);
  panel.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") close();
  });
  document.addEventListener("visibilitychange", follow);

  return {
    /** Another token: asks whether it may read endpoints. */
    restart: (): void => {
      setOpen(false);
      watch.restart();
    },
    /** No token. */
    stop: (): void => {
      setOpen(false);
      watch.stop();
    },
    draw: (context: PageContext): void => {
      strings = context.strings;
      const { endpoints, failure, isRefused } = watch.seen();
      button.hidden = isRefused || (endpoints === null && failure === null);
      if (button.hidden && !panel.hidden) close();
      if (panel.hidden) return;
      setText(error, failure === null ? "" : describeFailure(strings, strings.actionLoadEndpoints, failure));
      none.hidden = endpoints?.length !== 0;
      list.update((endpoints ?? []).map(toEndpointCard));
    },
  };
}
