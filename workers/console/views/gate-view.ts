/** What is shown without a token: why one is needed, and a field for it. */
import { type PageContext, byId } from "../dom.ts";
import { findToken } from "../session.ts";

/** @param onToken - Called with a text that has the form of a token. */
export function createGateView(onToken: (token: string) => void, getContext: () => PageContext) {
  const gate = byId("gate", HTMLElement);
  const input = byId("gate-token", HTMLInputElement);
  const error = byId("gate-error", HTMLParagraphElement);
  byId("gate-form", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    const token = findToken(input.value);
    input.setAttribute("aria-invalid", `${token === null}`);
    error.textContent = token === null ? getContext().strings.gateBad : "";
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
