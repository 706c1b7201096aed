import { describe, it } from "vitest";
import {
  AFTER_BARE_PRICE,
  BEFORE_PRICE,
  OFFER,
  dealRoleOf,
  unitAfter,
} from "../../../../../shared/agent/checks/number-units.ts";

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

describe("dealRoleOf", () => {
  it.for<[before: string, written: string, after: string, role: string | null]>([
    ["买", "一", "送一", "asked"],
    ["", "两", "件就包邮", "asked"],
    ["买", "二", "再送一", "asked"],
    ["买一送", "一", "", "given"],
    ["送毛巾", "一", "条", "given"],
    ["前", "三", "名", "limit"],
    ["每人限", "2", "件", "limit"],
    ["", "两", "件不包邮", null],
    ["这", "两", "件包邮", null],
    ["送", "一", "波福利", null],
    ["送货到", "三", "楼", null],
    ["前", "两", "款", null],
    ["买", "一", "件试试\n包邮", null],
  ])("%j %j %j: %j", ([before, written, after, role], { expect }) => {
    expect(dealRoleOf(before, written, after)).toBe(role);
  });
});

describe("OFFER", () => {
  it.for<[text: string, isOffer: boolean]>([
    ["两条装，下单就送同款", true],
    ["拍下立减10元", true],
    ["48小时内发货，送货上门", false],
    ["质保1年", false],
  ])("in %j: %j", ([text, isOffer], { expect }) => {
    expect(OFFER.test(text)).toBe(isOffer);
  });
});
