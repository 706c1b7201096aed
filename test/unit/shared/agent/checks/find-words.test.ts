import { describe, it } from "vitest";
import { compileWordList } from "../../../../../shared/agent/checks/find-words.ts";

describe("compileWordList", () => {
  const found = (options: Parameters<typeof compileWordList>[0], text: string) =>
    compileWordList(options)
      .find(text)
      .map((hit) => hit.written);

  it("finds the longest word at each place, and none inside another hit", ({ expect }) => {
    expect(found({ words: ["最低", "最低价", "低价"] }, "最低价和低价")).toEqual(["最低价", "低价"]);
  });

  it("excuses a word inside an exception, and only there", ({ expect }) => {
    const options = { words: ["第一"], exceptions: ["第一次"] };
    expect(found(options, "第一次就拿第一")).toEqual(["第一"]);
  });

  it("excuses an opening only where the text begins", ({ expect }) => {
    const options = { words: ["第一"], openings: ["第一，"] };
    expect(found(options, "第一，是纯棉的")).toEqual([]);
    expect(found(options, "销量第一，是纯棉的")).toEqual(["第一"]);
  });

  it("finds a shorter word where the longer one is excused", ({ expect }) => {
    const options = { words: ["最好", "最好用"], exceptions: ["最好用冷"] };
    expect(found(options, "最好用冷水；最好用")).toEqual(["最好用"]);
  });

  it.for<[text: string, hits: string[]]>([
    ["加vx", ["vx"]],
    ["svxl", []],
    ["1688货源", ["1688"]],
    ["只要16.88元", []],
    ["单号21688", []],
  ])("keeps whole runs of letters and digits: %j", ([text, hits], { expect }) => {
    expect(found({ words: ["vx", "1688"] }, text)).toEqual(hits);
  });

  it("counts replaced words as words, and corrects only when each hit has a replacement", ({ expect }) => {
    const list = compileWordList({ words: ["亏本卖"], replacements: { 骨折价: "优惠价" } });
    expect(list.correct("骨折价，骨 折 价")).toBe("优惠价，优惠价");
    expect(list.correct("骨折价亏本卖")).toBeUndefined();
  });

  it("finds nothing for words that fold to nothing", ({ expect }) => {
    expect(found({ words: ["❤", " "] }, "❤ 你好")).toEqual([]);
  });
});
