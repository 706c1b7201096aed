import { describe, it } from "vitest";
import { spellMessage } from "../../../../shared/intake/spell-message.ts";

describe("spellMessage", () => {
  it.for([
    ["有沒有藍色？", "有没有蓝色"],
    ["臺灣可以寄嗎", "台湾可以寄吗"],
    ["裡面是什麼麵料", "里面是什么面料"],
    ["Ｓ码，１号", "s码 1号"],
    ["加\u200b微❤️信", "加微 信"],
    ["1️⃣3️⃣号", "13号"],
    ["①②❸⑩号", "1 2 3 10号"],
    ["只要39.9元，50%羊毛。", "只要39.9元 50%羊毛"],
    ["3.…5%%", "3 5%"],
    ["好看(≧▽≦)o(╥﹏╥)o", "好看"],
    ["有(M/L)码吗 S(大)", "有 m l 码吗 s 大"],
    ["多少钱T_T", "多少钱"],
    ["多少钱[捂脸] [蓝色]有吗", "多少钱 蓝色 有吗"],
    ["👍🏽👨‍👩‍👧", ""],
  ] as const)("spells %j as %j", ([text, spelt], { expect }) => {
    expect(spellMessage(text)).toBe(spelt);
  });
});
