/** The box in which one asks as a viewer, or passes on what a human host said. */
import { type PageContext, byId, makeButton } from "../dom.ts";
import type { RoomModel } from "../frame-store.ts";
import { sampleQuestions } from "../product-card.ts";

export type AskRole = "viewer" | "host";

/** @param onAsk - Called with text that is not blank; the box is empty again by then. */
export function createAskView(onAsk: (role: AskRole, text: string) => void) {
  const form = byId("ask", HTMLFormElement);
  const input = byId("ask-text", HTMLInputElement);
  const role = byId("ask-as", HTMLSelectElement);
  const samples = byId("samples", HTMLDivElement);
  let shownSamples = "";
  let context: PageContext | null = null;

  const readRole = (): AskRole => (role.value === "host" ? "host" : "viewer");
  const showRole = (): void => {
    if (context === null) return;
    const { strings } = context;
    input.placeholder = readRole() === "host" ? strings.speechPlaceholder : strings.askPlaceholder;
    input.ariaLabel = readRole() === "host" ? strings.speechPlaceholder : strings.askLabel;
  };
  role.addEventListener("change", showRole);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (text === "") return;
    input.value = "";
    onAsk(readRole(), text);
  });

  return {
    update: (model: RoomModel, next: PageContext): void => {
      context = next;
      showRole();
      const texts = sampleQuestions(model.config.locale, model.config.products, model.onScreenProductId);
      if (texts.join("\n") === shownSamples) return;
      shownSamples = texts.join("\n");
      samples.lang = model.config.locale;
      samples.replaceChildren(...texts.map((text) => makeButton("chip", text, () => onAsk("viewer", text))));
    },
    focus: (): void => input.focus(),
    /** Puts a text back that could not be sent, unless something else was typed meanwhile. */
    restore: (text: string): void => {
      if (input.value === "") input.value = text;
    },
  };
}
