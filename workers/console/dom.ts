/** The few DOM moves that every view makes. Text from outside only ever becomes a text node. */
import { type Strings, isTextKey } from "./strings.ts";

/** What a view needs to put a model into words. */
export type PageContext = {
  readonly strings: Strings;
  /** This page's clock, ms since the epoch. */
  readonly nowMs: number;
};

/** The element that the page's HTML has under this id. A missing one is a fault of the page, and stops it. */
export function byId<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`The page has no ${kind.name} #${id}`);
  return element;
}

/** A new element with a class and a text. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = "",
  text = "",
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className !== "") element.className = className;
  if (text !== "") element.textContent = text;
  return element;
}

/** A new SVG element with attributes. */
export function makeSvg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>>,
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** A button that submits nothing. */
export function makeButton(className: string, text: string, onClick: () => void): HTMLButtonElement {
  const button = make("button", className, text);
  button.type = "button";
  button.addEventListener("click", onClick);
  return button;
}

/** Sets a text only when it changes, so that screen readers and selections are left alone. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Puts the language into every element that names its texts in `data-text`, `data-label`, `data-title`, `data-placeholder`. */
export function localiseDocument(strings: Strings): void {
  const text = (key: string | undefined): string => (key !== undefined && isTextKey(key) ? strings[key] : "");
  for (const element of document.querySelectorAll<HTMLElement>("[data-text]")) {
    setText(element, text(element.dataset["text"]));
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-label]")) {
    element.setAttribute("aria-label", text(element.dataset["label"]));
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-title]")) {
    element.title = text(element.dataset["title"]);
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-placeholder]")) {
    element.setAttribute("placeholder", text(element.dataset["placeholder"]));
  }
}
