/** What went wrong, in sentences, each with a way on. */
import { byId, make, makeButton } from "../dom.ts";
import type { Strings } from "../strings.ts";

/** Notices on the page at once. An older one makes room. */
const NOTICES_MAX = 3;

export type Notice = {
  readonly text: string;
  /** A button besides the one that closes the notice. */
  readonly action?: { readonly text: string; readonly run: () => void };
};

/** Builds the place for notices. */
export function createNoticesView() {
  const place = byId("notices", HTMLDivElement);
  return {
    /** Shows a notice. The same text is not shown twice. */
    show: (notice: Notice, strings: Strings): void => {
      for (const shown of place.children) if (shown.firstElementChild?.textContent === notice.text) shown.remove();
      const element = make("div", "notice");
      element.setAttribute("role", "alert");
      element.append(make("p", "", notice.text));
      const { action } = notice;
      if (action !== undefined) {
        element.append(
          makeButton("quiet", action.text, () => {
            element.remove();
            action.run();
          }),
        );
      }
      element.append(makeButton("quiet", strings.dismiss, () => element.remove()));
      place.append(element);
      while (place.children.length > NOTICES_MAX) place.firstElementChild?.remove();
    },
    clear: (): void => place.replaceChildren(),
  };
}
