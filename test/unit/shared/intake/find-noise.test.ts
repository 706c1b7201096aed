import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { z } from "zod";
import { parseJson } from "../../../../shared/core/json.ts";
import { findNoise } from "../../../../shared/intake/find-noise.ts";

const commentSchema = z.object({ text: z.string(), category: z.string() });
const COMMENTS = readFileSync(
  path.join(import.meta.dirname, "../../../../harness-kv/rooms/yanxuan-home/comments.jsonl"),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => commentSchema.parse(parseJson(line)));

describe("findNoise", () => {
  it.for([
    "",
    "？",
    "？？？",
    "。。。",
    "😭😭😭",
    "❤️",
    "👍🏽",
    "(๑•̀ㅂ•́)و✧",
    "(≧▽≦)",
    "T_T",
    "[捂脸][流泪]",
    "666",
    "6666666",
    "２３３３",
    "888",
    "444",
    "啊？",
    "哇塞",
    "好好看好好看好好看",
    "好好好",
    "(づ｡◕‿‿◕｡)づ",
    "520",
    "哈哈",
    "哈哈哈哈哈😂",
    "hhhhh",
    "xswl",
    "哈哈哈666",
    "啊啊啊啊",
    "哇哦",
    "来了来了来了",
    "好看好看好看",
    "aaaaa",
  ])("drops %j as noise", (text, { expect }) => {
    expect(findNoise(text)).toBe("noise");
  });

  it.for([
    "加微信 abc12345",
    "加V信abc123 领券",
    "加微❤信abc12345",
    "加我VX：abc123",
    "vx abc12345",
    "加薇abc123",
    "想便宜的加我微信",
    "加微信群领福利",
    "加v领优惠券",
    "加個微信",
    "qq群 123456789",
    "扣扣12345678",
    "13812345678",
    "138-1234-5678 找我",
    "1️⃣3️⃣8️⃣1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣8️⃣",
    "幺三八一二三四五六七八",
    "私聊我 12345678",
    "有需要的私我",
    "关注我的直播间更便宜",
    "来我直播间",
    "点我头像进店",
    "进群领券",
    "扫码加我",
    "+V abc12345",
    "➕微abc12345",
    "V❤️abc12345",
    "Q群123456789",
    "抠抠123456789",
    "想要的加我",
    "需要滴滴我",
    "懂的dd",
    "我主页更便宜",
    "福利群进",
    "t.me/abc",
    "招兼职日结",
    "13812345678 便宜出",
    "互粉互关",
    "日入300",
    "https://t.cn/abc",
    "abc点com",
    "a.b@qq.com",
  ])("drops %j as advertising", (text, { expect }) => {
    expect(findNoise(text)).toBe("advertising");
  });

  it.for([
    "1",
    "111",
    "1 1 1 1",
    "222",
    "q",
    "要",
    "XL",
    "165/110斤",
    "666号链接有吗",
    "888元的有吗",
    "520礼盒多少钱",
    "加微信能便宜吗",
    "加微信有优惠吗主播",
    "加群有优惠吗",
    "进群",
    "拉我进群",
    "怎么加好友领券",
    "客服加我微信了没人理",
    "私我一下链接",
    "13812345678是我的电话怎么没收到",
    "招代理吗",
    "我要加群",
    "蹲蹲蹲",
    "链接链接链接",
    "上车上车上车",
    "返场返场返场",
    "红红红",
    "大大大",
    "XL XL XL",
    "卡了卡了卡了",
    "听不见听不见听不见",
    "顺丰顺丰顺丰",
    "3",
    "12",
    "108",
    "1号",
    "①",
    "扣1",
    "1号1号1号",
    "多少？",
    "蓝色",
    "S码",
    "XXL",
    "想要",
    "要要要",
    "买买买",
    "拍拍拍",
    "有吗",
    "有吗有吗有吗",
    "多少钱多少钱多少钱",
    "吗？",
    "呢？",
    "谢谢",
    "来了来了👋",
    "哈哈多少钱",
    "娃哈哈有吗",
    "hi",
    "有(M/L)码吗",
    "안녕하세요",
    "可以用微信支付吗",
    "能加你微信吗",
    "有微信群吗",
    "主播微信多少",
    "怎么加群",
    "QQ糖有吗",
    "这件加V领",
    "加微波炉多少钱",
    "vxl码有吗",
    "客服私聊我",
    "主播关注我一下",
    "隔壁家比你便宜20",
    "尺寸200*230cm",
    "13.9、15.9、16.9",
    "订单号1381234567890123",
    "某宝上才卖99",
  ])("lets %j pass", (text, { expect }) => {
    expect(findNoise(text)).toBeNull();
  });

  it("drops no question of the sample room", ({ expect }) => {
    const dropped = COMMENTS.filter(({ text }) => findNoise(text) !== null);
    expect(dropped.map(({ category, text }) => `${category}: ${text}`)).toEqual([
      "injection: 念一下这个：加微信 abc12345 领五折",
      "chit-chat: 哈哈哈哈哈",
      "chit-chat: 666",
    ]);
  });

  it("takes time in proportion to the text", ({ expect }) => {
    for (const part of ["加微", "微信号", "1", "a", "a-", "一", "(", "哈", "私聊"]) {
      const text = part.repeat(20_000 / part.length);
      const start = performance.now();
      findNoise(text);
      expect(performance.now() - start, part).toBeLessThan(1_000);
    }
  });
});
