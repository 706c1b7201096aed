import { describe, it } from "vitest";
import { AFTER_BARE_PRICE, BEFORE_PRICE, unitAfter } from "../../../../../shared/agent/checks/number-units.ts";

describe("unitAfter", () => {
  it.for<[after: string, kind: string, factor: number]>([
    ["元", "price", 1],
    ["块钱", "price", 1],
    ["多块，", "price", 1],
    ["毛钱", "price", 0.1],
    ["折", "discount", 1],
    ["%棉", "percent", 1],
    ["个工作日", "time", 24],
    ["小时内", "time", 1],
    ["周", "time", 168],
    ["个月", "months", 1],
    ["年", "months", 12],
    ["厘米", "length", 10],
    ["m长", "length", 1_000],
    ["kg", "weight", 1_000],
    ["斤", "weight", 500],
    ["mL", "volume", 1],
    ["倍", "times", 1],
    ["号链接", "link", 1],
  ])("reads %j", ([after, kind, factor], { expect }) => {
    expect(unitAfter(after)).toMatchObject({ kind, factor });
  });

  it.for(["元素", "毛巾", "日用", "米饭", "升级", "年轻", "周边", "号码", "克拉", "块毛巾", "件", ""])(
    "reads no unit in %j",
    (after, { expect }) => {
      expect(unitAfter(after)).toBeNull();
    },
  );
});

describe("BEFORE_PRICE and AFTER_BARE_PRICE", () => {
  it.for<[before: string, after: string, isPrice: boolean]>([
    ["现在只要", "、", true],
    ["到手价", "就能拿", true],
    ["满", "减20", true],
    ["只要", "天就到", false],
    ["尺码是", "", false],
    ["满", "件", false],
  ])("%j before and %j after: %j", ([before, after, isPrice], { expect }) => {
    expect(BEFORE_PRICE.test(before) && AFTER_BARE_PRICE.test(after)).toBe(isPrice);
  });
});
