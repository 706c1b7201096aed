import { describe, it } from "vitest";
import { topicsOf } from "../../../../shared/strategy/question-topics.ts";

describe("topicsOf", () => {
  it.for([
    ["160 100斤穿什么码", ["尺码"]],
    ["1号被套多大", ["尺码"]],
    ["還有別的顏色嗎", ["颜色"]],
    ["波浪枕多高", ["规格"]],
    ["这款多少钱", ["价格"]],
    ["有券吗", ["优惠券"]],
    ["下单送啥呀", ["怎么下单", "赠品"]],
    ["奶锅补货了吗", ["库存"]],
    ["1号什么材质", ["材质"]],
    ["羊毛毯能水洗吗", ["用法"]],
    ["蛋黄酥保质期多久", ["产地和日期"]],
    ["什么时候发货", ["发货"]],
    ["包邮不", ["运费"]],
    ["能开发票不", ["发票"]],
    ["内裤能退不", ["退换"]],
    ["主播好", []],
    ["哈哈哈哈", []],
  ] as const)("reads %s as %j", ([text, topics], { expect }) => {
    expect(topicsOf(text).map(({ topic }) => topic)).toEqual(topics);
  });
});
