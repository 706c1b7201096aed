/** The page as a whole: which views there are, and when they are drawn again. Knows no network. */
import { type PageContext, byId, localiseDocument } from "./dom.ts";
import { createDrawPacer } from "./draw-pacer.ts";
import type { Preferences, Theme } from "./preferences.ts";
import type { RoomSession } from "./room-session.ts";
import { type Strings, stringsFor } from "./strings.ts";

/** How often times that pass are drawn again, ms: waits, open turns, the next attempt to connect. */
const TICK_MS = 500;

export type ConsolePage = {
  readonly strings: () => Strings;
  readonly context: () => PageContext;
  /** Draws soon, once for all calls until then. */
  readonly redraw: () => void;
};

export type ConsolePageOptions = {
  readonly preferences: Preferences;
  readonly nowMs: () => number;
  readonly draw: (context: PageContext) => void;
};

/** Builds the page's frame: language, colours, drawing. */
export function createConsolePage({ preferences, nowMs, draw }: ConsolePageOptions): ConsolePage {
  let strings = stringsFor(preferences.locale());
  const context = (): PageContext => ({ strings, nowMs: nowMs() });
  const pacer = createDrawPacer(
    {
      isHidden: () => document.hidden,
      onScreenFrame: requestAnimationFrame,
      after: (ms, fire) => setTimeout(fire, ms),
    },
    () => draw(context()),
  );
  const themeButton = byId("theme", HTMLButtonElement);
  const showTheme = (theme: Theme): void => {
    if (theme === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    const words = { auto: strings.themeAuto, light: strings.themeLight, dark: strings.themeDark };
    themeButton.title = strings.themeTitle(words[theme]);
    themeButton.ariaLabel = themeButton.title;
  };
  const showLocale = (): void => {
    strings = stringsFor(preferences.locale());
    document.documentElement.lang = preferences.locale();
    localiseDocument(strings);
    showTheme(preferences.theme());
    pacer.soon();
  };
  themeButton.addEventListener("click", () => showTheme(preferences.nextTheme()));
  byId("locale", HTMLButtonElement).addEventListener("click", () => {
    preferences.nextLocale();
    showLocale();
  });
  // A page that was hidden when a drawing became due gets no animation frame until it is seen.
  document.addEventListener("visibilitychange", pacer.now);
  setInterval(pacer.soon, TICK_MS);
  showLocale();
  return { strings: () => strings, context, redraw: pacer.soon };
}

/** With a Chinese input method the key of the full stop gives the other one. */
const STOP_KEYS: ReadonlySet<string> = new Set([".", "。"]);

/** The keys that work everywhere: `/` goes to the question box, Escape leaves it, `.` stops the host. */
export function bindKeys(focusAsk: () => void, stop: () => void): void {
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || event.isComposing) return;
    const isTyping = target.matches("input, textarea, select");
    const isCommand = !isTyping && !hasModifier(event);
    if (isCommand && event.key === "/") {
      event.preventDefault();
      focusAsk();
    }
    if (isCommand && STOP_KEYS.has(event.key)) stop();
    if (event.key === "Escape" && isTyping) target.blur();
  });
  byId("skip", HTMLAnchorElement).addEventListener("click", (event) => {
    // The fragment names the room; a jump must not replace it.
    event.preventDefault();
    focusAsk();
  });
}

function hasModifier({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey;
}

/** Follows the device's network and the reader's attention: a room is rejoined as soon as either comes back. */
export function bindNetwork(getSession: () => RoomSession | null): void {
  addEventListener("offline", () => getSession()?.goOffline());
  addEventListener("online", () => getSession()?.retryNow());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) getSession()?.retryNow();
  });
}
