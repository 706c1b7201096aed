import { describe, it } from "vitest";
import { linkNumbers } from "../../../../shared/intake/link-numbers.ts";

describe("linkNumbers", () => {
  it.for<[text: string, ...links: number[]]>([
    ["1号多少钱", 1],
    ["一号链接还有吗", 1],
    ["链接1", 1],
    ["鏈接３", 3],
    ["#2 什么材质", 2],
    ["12號鏈接", 12],
    ["十二号", 12],
    ["3链接", 3],
    ["小黄车5", 5],
    ["1号和2号哪个好", 1, 2],
    ["1 号 链 接", 1],
    ["1️⃣号链接", 1],
    ["no.4", 4],
  ])("%s names %j", ([text, ...links], { expect }) => {
    expect(linkNumbers(text)).toEqual(links);
  });

  it.for([
    "15号能到吗",
    "11月11号有活动吗",
    "5号电池",
    "37号色",
    "3件多少钱",
    "1",
    "链接",
    "大号",
    "39.9元",
    "20号之前发货",
  ])("%s names no link", (text, { expect }) => {
    expect(linkNumbers(text)).toEqual([]);
  });
});
