/** On a narrow page the panes share one place and tabs choose among them; on a wide page all of them are there. */
import { byId } from "../dom.ts";

/** Wide enough for all panes side by side. The style sheet has the same number. */
const WIDE = "(min-width: 1080px)";

const NEXT_BY_KEY: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowRight: (index, count) => (index + 1) % count,
  ArrowLeft: (index, count) => (index + count - 1) % count,
  Home: () => 0,
  End: (_index, count) => count - 1,
};

/** Builds the tabs. `show` opens a pane by its id; on a wide page it is open anyway. */
export function createTabs() {
  const bar = byId("tabs", HTMLDivElement);
  const wide = matchMedia(WIDE);
  const tabs = [...bar.querySelectorAll("button")].map((button) => ({
    button,
    pane: byId(button.dataset["pane"] ?? "", HTMLElement),
  }));
  let chosen = 0;

  const apply = (): void => {
    bar.hidden = wide.matches;
    if (wide.matches) bar.removeAttribute("role");
    else bar.setAttribute("role", "tablist");
    for (const [index, { button, pane }] of tabs.entries()) {
      const isChosen = index === chosen;
      button.setAttribute("role", "tab");
      button.setAttribute("aria-selected", `${isChosen}`);
      button.setAttribute("aria-controls", pane.id);
      button.tabIndex = isChosen ? 0 : -1;
      pane.hidden = !wide.matches && !isChosen;
      if (wide.matches) pane.removeAttribute("role");
      else pane.setAttribute("role", "tabpanel");
    }
  };
  const choose = (index: number): void => {
    chosen = index;
    apply();
  };
  for (const [index, { button }] of tabs.entries()) {
    button.addEventListener("click", () => choose(index));
    button.addEventListener("keydown", (event) => {
      const next = NEXT_BY_KEY[event.key]?.(index, tabs.length);
      if (next === undefined) return;
      event.preventDefault();
      choose(next);
      tabs[next]?.button.focus();
    });
  }
  wide.addEventListener("change", apply);
  apply();
  return {
    show: (paneId: string): void =>
      choose(
        Math.max(
          0,
          tabs.findIndex(({ pane }) => pane.id === paneId),
        ),
      ),
  };
}
