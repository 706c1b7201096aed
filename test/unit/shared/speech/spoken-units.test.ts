import { describe, it } from "vitest";
import { findUnitSymbol, takesTwo } from "../../../../shared/speech/spoken-units.ts";

describe("findUnitSymbol", () => {
  it.for([
    ["ml*2瓶", "毫升", 2],
    ["m，", "米", 1],
    ["mAh电池", "毫安时", 3],
    ["℃", "摄氏度", 1],
    ["°C", "摄氏度", 2],
    ["m²", "平方米", 2],
  ] as const)("%s begins with %s", ([text, spoken, chars], { expect }) => {
    expect(findUnitSymbol(text, 0)).toEqual({ spoken, chars });
  });

  it.for(["mlx", "Pro", "G", "XL", "", "constructor"])("%j begins with none", (text, { expect }) => {
    expect(findUnitSymbol(text, 0)).toBeNull();
  });
});

describe("takesTwo", () => {
  it.for(["件", "个月", "小时", "天", "元", "万", "分钟", "公斤"])("two of %s is 两", (following, { expect }) => {
    expect(takesTwo(following)).toBe(true);
  });

  it.for(["月", "号链接", "日", "楼", "两", "折", "分之一", "代", ""])(
    "two before %j is 二",
    (following, { expect }) => {
      expect(takesTwo(following)).toBe(false);
    },
  );
});
