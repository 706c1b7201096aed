import { describe, it } from "vitest";
import { readSymbol } from "../../../../shared/speech/spoken-symbols.ts";

describe("readSymbol", () => {
  it.for([
    ["3*5", 1, true, "乘"],
    ["3 x 5", 1, true, "乘"],
    ["3~5", 1, true, "到"],
    ["元/件", 1, true, "每"],
    ["1#链接", 1, true, "号"],
    ["A+B", 1, false, "加"],
    ["S<M", 1, false, "小于"],
    ["黑&白", 1, false, "和"],
    ["（红", 0, false, ""],
    ["好~", 1, false, ""],
    ["<M", 0, false, ""],
    ["-5℃", 0, false, "零下"],
    ["-5", 0, false, "负"],
  ] as const)("%s at %i, after a number %s: %j", ([text, at, afterNumber, spoken], { expect }) => {
    expect(readSymbol(text, at, afterNumber)?.spoken).toBe(spoken);
  });

  it.for(["今", "a", "3", "，", "。", ""])("%j is no symbol", (text, { expect }) => {
    expect(readSymbol(text, 0, false)).toBeNull();
  });
});
