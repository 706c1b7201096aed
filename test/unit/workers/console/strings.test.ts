import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { chooseLocale, describeFailure, isTextKey, stringsFor, wordFor } from "../../../../workers/console/strings.ts";

const html = readFileSync(path.resolve(import.meta.dirname, "../../../../workers/console/index.html"), "utf8");

describe("stringsFor", () => {
  it("has the same keys in both languages, none of them empty", ({ expect }) => {
    const [zh, en] = [stringsFor("zh-CN"), stringsFor("en")];
    expect(Object.keys(en).toSorted()).toEqual(Object.keys(zh).toSorted());
    expect(Object.keys(en.failures).toSorted()).toEqual(Object.keys(zh.failures).toSorted());
    expect([...Object.values(zh), ...Object.values(en)]).not.toContain("");
  });
});

describe("isTextKey", () => {
  it("knows every text that the page names", ({ expect }) => {
    const named = [...html.matchAll(/data-(?:text|label|title|placeholder)="(?<key>[^"]*)"/g)].map(
      ({ groups }) => groups?.["key"] ?? "",
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((key) => !isTextKey(key))).toEqual([]);
  });

  it("does not know texts that need figures", ({ expect }) => {
    expect(isTextKey("reconnecting")).toBe(false);
    expect(isTextKey("toString")).toBe(false);
  });
});

describe("wordFor", () => {
  it("gives the reader's word", ({ expect }) => {
    expect(wordFor(stringsFor("zh-CN").dropReasons, "crowded")).toBe("排队已满");
  });

  it.for(["constructor", "of_a_newer_server"])("leaves %s, which it does not know, as it is", (word, { expect }) => {
    expect(wordFor(stringsFor("en").refusalReasons, word)).toBe(word);
  });
});

describe("chooseLocale", () => {
  it.for([
    { name: "the reader's own choice wins", chosen: "en", languages: ["zh-CN"], locale: "en" },
    { name: "readers of any Chinese get Chinese", chosen: null, languages: ["zh-Hant-TW", "en"], locale: "zh-CN" },
    { name: "other readers get English", chosen: null, languages: ["de", "zh"], locale: "en" },
    { name: "a browser that says nothing gets Chinese", chosen: null, languages: [], locale: "zh-CN" },
    { name: "a stored value from elsewhere is ignored", chosen: "fr", languages: ["zh"], locale: "zh-CN" },
  ])("$name", ({ chosen, languages, locale }, { expect }) => {
    expect(chooseLocale(chosen, languages)).toBe(locale);
  });
});

describe("describeFailure", () => {
  it("says what happened, why, and what to do", ({ expect }) => {
    const text = describeFailure(stringsFor("zh-CN"), "问题没有发出去", { code: "timed_out", title: "late" });
    expect(text).toBe("问题没有发出去：服务器太久没有回答。稍等片刻再试一次。");
  });

  it.for(["constructor", "never_heard_of"])(
    "gives the server's own words for the code %s, which it does not know",
    (code, { expect }) => {
      const text = describeFailure(stringsFor("en"), "The question was not sent", { code, title: "the moon is full" });
      expect(text).toBe(
        "The question was not sent: the server refused (the moon is full). Follow what it says, then try again.",
      );
    },
  );
});
