import { describe, it } from "vitest";
import { createPreferences } from "../../../../workers/console/preferences.ts";

function aStorage(values: Map<string, string> = new Map()) {
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
}

describe("createPreferences", () => {
  it("goes round through the colours", ({ expect }) => {
    const preferences = createPreferences(aStorage(), ["zh-CN"]);
    expect([preferences.theme(), preferences.nextTheme(), preferences.nextTheme(), preferences.nextTheme()]).toEqual([
      "auto",
      "light",
      "dark",
      "auto",
    ]);
  });

  it("keeps both choices for the next visit", ({ expect }) => {
    const storage = aStorage();
    const first = createPreferences(storage, ["zh-CN"]);
    first.nextTheme();
    first.nextLocale();
    const second = createPreferences(storage, ["zh-CN"]);
    expect([second.theme(), second.locale()]).toEqual(["light", "en"]);
  });

  it("ignores a stored value that it does not know", ({ expect }) => {
    expect(createPreferences(aStorage(new Map([["kaibo.theme", "pink"]])), ["en"]).theme()).toBe("auto");
  });
});
