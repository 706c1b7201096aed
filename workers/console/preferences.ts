/** Colours and language that a reader chose, kept in this browser. */
import { type Locale, chooseLocale } from "./strings.ts";

export type Theme = "auto" | "light" | "dark";

const THEME_KEY = "kaibo.theme";
const LOCALE_KEY = "kaibo.locale";
const NEXT_THEME: Readonly<Record<Theme, Theme>> = { auto: "light", light: "dark", dark: "auto" };

/** Where a browser keeps text for good. */
export interface PreferenceStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export type Preferences = {
  theme(): Theme;
  locale(): Locale;
  /** From system colours to light, to dark, and back. */
  nextTheme(): Theme;
  nextLocale(): Locale;
};

/** @param browserLanguages - In the reader's order, as `navigator.languages` has them. */
export function createPreferences(storage: PreferenceStorage, browserLanguages: readonly string[]): Preferences {
  const stored = storage.getItem(THEME_KEY);
  let theme: Theme = stored === "light" || stored === "dark" ? stored : "auto";
  let locale = chooseLocale(storage.getItem(LOCALE_KEY), browserLanguages);
  return {
    theme: () => theme,
    locale: () => locale,
    nextTheme: () => {
      theme = NEXT_THEME[theme];
      storage.setItem(THEME_KEY, theme);
      return theme;
    },
    nextLocale: () => {
      locale = locale === "en" ? "zh-CN" : "en";
      storage.setItem(LOCALE_KEY, locale);
      return locale;
    },
  };
}
