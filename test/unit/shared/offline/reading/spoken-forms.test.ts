import { describe, it } from "vitest";
import { toStandardWords } from "../../../../../shared/offline/reading/spoken-forms.ts";

describe("toStandardWords", () => {
  it.for([
    ["呢個幾多錢", "这个多少钱"],
    ["4號鵝絨被仲有冇貨", "4号鹅绒被还有没有货"],
    ["1米8的床", "1.8米的床"],
    ["18和1号", "18号和1号"],
    ["jg", "价格"],
    ["yhq怎么用", "优惠券怎么用"],
    ["多少💰", "多少钱"],
    ["蛋黄酥多钱", "蛋黄酥多少钱"],
  ] as const)("reads %s as %s", ([text, expected], { expect }) => {
    expect(toStandardWords(text)).toBe(expected);
  });

  it.for(["这个多少钱", "usb风扇", "sfx是什么", "XL码", "11米88"])("leaves %s as it is", (text, { expect }) => {
    expect(toStandardWords(text)).toBe(text);
  });
});
