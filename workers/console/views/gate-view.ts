/** What is shown without a token: why one is needed, and a field for it. */
import { byId } from "../dom.ts";
import { findToken } from "../session.ts";
import type { Strings } from "../strings.ts";

/** @param onToken - Called with a text that has the form of a token. */
export function createGateView(onToken: (token: string) => void, getStrings: () => Strings) {
  const gate = byId("gate", HTMLElement);
  const input = byId("gate-token", HTMLInputElement);
  const error = byId("gate-error", HTMLParagraphElement);
  byId("gate-form", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    const token = findToken(input.value);
    input.setAttribute("aria-invalid", `${token === null}`);
    error.textContent = token === null ? getStrings().gateBad : "";
    if (token === null) return;
    input.value = "";
    onToken(token);
  });
  return {
    show: (): void => {
      gate.hidden = false;
      input.focus();
    },
    hide: (): void => {
      gate.hidden = true;
    },
  };
}
