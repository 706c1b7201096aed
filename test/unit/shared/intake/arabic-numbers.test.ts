import { describe, it } from "vitest";
import { toArabicNumbers } from "../../../../shared/intake/arabic-numbers.ts";

describe("toArabicNumbers", () => {
  it.for([
    ["三号", "3号"],
    ["十号", "10号"],
    ["十五号", "15号"],
    ["二十号", "20号"],
    ["九十九", "99"],
    ["一百", "100"],
    ["一百二", "120"],
    ["一百零二", "102"],
    ["一百一十二", "112"],
    ["两千五", "2500"],
    ["一千零五十", "1050"],
    ["两套", "2套"],
    ["三五天", "3,5天"],
    ["二〇二五", "2,0,2,5"],
    ["10一条", "10,1条"],
    ["三四十", "三四十"],
    ["一百百", "一百百"],
    ["零食", "零食"],
    ["百分之几", "百分之几"],
  ] as const)("writes %j as %j", ([text, expected], { expect }) => {
    expect(toArabicNumbers(text)).toBe(expected);
  });
});
