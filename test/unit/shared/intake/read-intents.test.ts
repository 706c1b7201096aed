import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { z } from "zod";
import { parseJson } from "../../../../shared/core/json.ts";
import { readIntents } from "../../../../shared/intake/read-intents.ts";
import { LABELLED_MESSAGES } from "./labelled-messages.ts";

/** What each category of the sample room may be read as. */
const INTENTS_OF: Readonly<Record<string, readonly string[]>> = {
  price: ["price"],
  stock: ["stock"],
  attribute: ["spec", "product"],
  spec: ["spec"],
  promotion: ["promotion"],
  coupon: ["promotion"],
  logistics: ["logistics"],
  "after-sale": ["after-sale"],
  complaint: ["complaint", "after-sale", "logistics"],
  greeting: ["greeting"],
  "chit-chat": ["chat"],
};
const commentSchema = z.object({ text: z.string(), category: z.string() });
const COMMENTS = readFileSync(
  path.join(import.meta.dirname, "../../../../harness-kv/rooms/yanxuan-home/comments.jsonl"),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => commentSchema.parse(parseJson(line)))
  .filter(({ category }) => category in INTENTS_OF);

describe("readIntents", () => {
  it.for<[text: string, ...intents: string[]]>([
    ["怎么买", "buy"],
    ["怎么拍啊主播", "buy"],
    ["在哪里下单", "buy"],
    ["我拍了", "buy"],
    ["已拍", "buy"],
    ["想要", "buy"],
    ["我要一个", "buy"],
    ["来两件", "buy"],
    ["上链接", "buy"],
    ["上鏈接啊", "buy"],
    ["链接呢？", "buy"],
    ["连接在哪", "buy"],
    ["几号链接", "buy"],
    ["扣1", "buy"],
    ["口1", "buy"],
    ["肿么下单", "buy"],
    ["給我來一個", "buy"],
    ["拍几号", "buy"],
    ["how to buy", "buy"],
    ["多少钱", "price"],
    ["多少米", "price"],
    ["多 少 钱", "price"],
    ["多少錢啊", "price"],
    ["这个怎么卖", "price"],
    ["1号链接多少钱", "price"],
    ["3号链接咋卖的", "price"],
    ["到手价？", "price"],
    ["太贵了", "price"],
    ["單價幾塊", "price"],
    ["一件多少", "price"],
    ["How much?", "price"],
    ["有优惠吗", "promotion"],
    ["有優惠券嗎", "promotion"],
    ["优惠卷怎么领", "promotion"],
    ["满减怎么算", "promotion"],
    ["有赠品吗", "promotion"],
    ["买一送一吗", "promotion"],
    ["能便宜点吗", "promotion"],
    ["可以打折不", "promotion"],
    ["送什么", "promotion"],
    ["发个福袋吧", "promotion"],
    ["还有货吗", "stock"],
    ["還有貨嗎", "stock"],
    ["没货了吗", "stock"],
    ["卖完了吗", "stock"],
    ["还剩多少", "stock"],
    ["什么时候补货", "stock"],
    ["库存还有吗", "stock"],
    ["有什么颜色", "spec"],
    ["有什麼顏色", "spec"],
    ["有黑色的吗", "spec"],
    ["尺码多大", "spec"],
    ["身高165体重110穿什么码", "spec"],
    ["130斤能穿吗", "spec"],
    ["有没有XL码", "spec"],
    ["多长多宽", "spec"],
    ["净含量多少克", "spec"],
    ["偏大吗", "spec"],
    ["什么材质的", "product"],
    ["是纯棉的吗", "product"],
    ["成分表看一下", "product"],
    ["怎么用", "product"],
    ["可以机洗吗", "product"],
    ["会掉色吗", "product"],
    ["孕妇可以用吗", "product"],
    ["讲一下3号", "product"],
    ["质量怎么样", "product"],
    ["好用吗", "product"],
    ["保质期多久", "product"],
    ["什么时候发货", "logistics"],
    ["包邮吗", "logistics"],
    ["包油吗", "logistics"],
    ["发什么快递", "logistics"],
    ["新疆能发吗", "logistics"],
    ["几天能到", "logistics"],
    ["運費多少", "logistics"],
    ["我拍了三天还没发货", "logistics"],
    ["催一下发货", "logistics"],
    ["可以退货吗", "after-sale"],
    ["七天无理由吗", "after-sale"],
    ["有运费险吗", "after-sale"],
    ["质保几年", "after-sale"],
    ["收到就坏了", "after-sale"],
    ["少发了一件", "after-sale"],
    ["客服怎么没人", "after-sale"],
    ["骗子", "complaint"],
    ["騙子直播間", "complaint"],
    ["质量太差了", "complaint"],
    ["我要投诉你们", "complaint"],
    ["假货吧", "complaint"],
    ["垃圾 再也不买了", "complaint"],
    ["什么破东西", "complaint"],
    ["你好", "greeting"],
    ["主播好", "greeting"],
    ["来了来了", "greeting"],
    ["晚上好啊", "greeting"],
    ["hello", "greeting"],
    ["哈喽", "greeting"],
    ["打卡", "greeting"],
    ["哈哈哈哈", "chat"],
    ["666", "chat"],
    ["主播好看", "chat"],
    ["主播今年几岁", "chat"],
    ["辛苦了", "chat"],
    ["唱首歌呗", "chat"],
    ["你是真人吗", "chat"],
  ])("%s is after %s", ([text, ...intents], { expect }) => {
    expect(readIntents(text)).toEqual(intents);
  });

  it.for<[text: string, intents: string[]]>([
    ["多少钱 还有货吗", ["price", "stock"]],
    ["怎么拍 有优惠券吗", ["buy", "promotion"]],
    ["拍了什么时候发货", ["buy", "logistics"]],
    ["黑色还有吗 包邮不", ["stock", "spec", "logistics"]],
    ["坏了能退吗", ["after-sale"]],
    ["买了就坏了 退钱", ["after-sale", "complaint"]],
    ["想要蓝色的 多少钱", ["buy", "price", "spec"]],
  ])("%s is after several things: %j", ([text, intents], { expect }) => {
    expect(readIntents(text)).toEqual(intents);
  });

  it.for<[text: string, intents: string[]]>([
    ["主播好，这个多少钱", ["price"]],
    ["哈哈哈 怎么买", ["buy"]],
    ["来了，还有货吗", ["stock"]],
    ["你好 哈哈", ["greeting", "chat"]],
  ])("%s: a greeting counts only where nothing is asked", ([text, intents], { expect }) => {
    expect(readIntents(text)).toEqual(intents);
  });

  it.for(LABELLED_MESSAGES)("labelled messages are after %j", ([intents, texts], { expect }) => {
    expect(texts.filter((text) => readIntents(text).join() !== intents.join())).toEqual([]);
  });

  it("reads at least nine of ten messages of the sample room as their category", ({ expect }) => {
    const right = COMMENTS.filter(({ text, category }) =>
      readIntents(text).some((intent) => INTENTS_OF[category]?.includes(intent)),
    );
    expect(right.length / COMMENTS.length).toBeGreaterThan(0.9);
  });

  it("takes no fault of the picture or the sound for chat", ({ expect }) => {
    expect(["没声音", "卡了", "黑屏了", "声音好小听不见"].flatMap(readIntents)).toEqual([]);
  });

  it.for(["", "。。。", "1", "嗯", "这个", "👍👍👍", "3号", "abc"])("%j tells nothing", (text, { expect }) => {
    expect(readIntents(text)).toEqual([]);
  });

  it.for<[text: string, not: string]>([
    ["不想要了", "buy"],
    ["我要投诉", "buy"],
    ["没拍到", "buy"],
    ["1号链接什么材质", "buy"],
    ["体重多少", "price"],
    ["运费险怎么算", "logistics"],
    ["派送到哪", "promotion"],
    ["货来了吗", "greeting"],
    ["你好漂亮", "greeting"],
    ["评价怎么样", "price"],
    ["不会坏了吧", "after-sale"],
  ])("%s is not after %s", ([text, not], { expect }) => {
    expect(readIntents(text)).not.toContain(not);
  });

  it("reads the longest message at once, whatever it repeats", ({ expect }) => {
    for (const part of ["多少", "要1", "便宜", "送一", "[", "好", "有L码", "量"]) {
      const text = part.repeat(300 / part.length);
      const startMs = performance.now();
      readIntents(text);
      expect(performance.now() - startMs).toBeLessThan(250);
    }
  });
});
