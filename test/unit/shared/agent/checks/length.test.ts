import { describe, it } from "vitest";
import { length } from "../../../../../shared/agent/checks/length.ts";
import { aSentence } from "../hooks/hook-inputs.ts";

describe("length", () => {
  const find = (text: string, options: Parameters<typeof length>[0]) => length(options)(aSentence(text), text);

  it("passes the last character that fits and finds the first that does not", ({ expect }) => {
    expect(find("好".repeat(10), { charsMax: 10 })).toBeNull();
    expect(find("好".repeat(11), { charsMax: 10 })).toEqual({ found: "11 > 10" });
  });

  it("counts code points", ({ expect }) => {
    expect(find("😀".repeat(10), { charsMax: 10 })).toBeNull();
  });

  it("corrects by leaving out whole clauses, never by cutting one", ({ expect }) => {
    expect(find("纯棉的，很软，吸水也好", { charsMax: 8 })?.corrected).toBe("纯棉的，很软，");
    expect(find("没有任何停顿的一句话", { charsMax: 8 })?.corrected).toBeUndefined();
  });

  it("counts sentences where it is asked to, not decimals", ({ expect }) => {
    expect(find("39.9元。有货！", { charsMax: 99, sentencesMax: 2 })).toBeNull();
    expect(find("39.9元。有货！快拍。", { charsMax: 99, sentencesMax: 2 })).toEqual({ found: "3 > 2" });
  });
});
