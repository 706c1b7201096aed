import fc from "fast-check";
import { describe, it } from "vitest";
import { isSameQuestion, toMessageKey, toSignature } from "../../../../shared/intake/message-key.ts";
import { OTHER_QUESTIONS, SAME_QUESTIONS } from "./question-pairs.ts";

const isSame = (a: string, b: string) => isSameQuestion(toMessageKey(a), toMessageKey(b));

const SAME: readonly (readonly [string, string])[] = [
  // Numbers of links.
  ["1号多少钱", "一号多少钱"],
  ["1号多少钱", "①号多少钱"],
  ["1号多少钱", "❶号多少钱"],
  ["1号多少钱", "1️⃣号多少钱"],
  ["13号多少钱", "1️⃣3️⃣号多少钱"],
  ["1号多少钱", "１号多少钱？？？"],
  ["1号多少钱", "1号链接多少钱"],
  ["1号多少钱", "1号宝贝什么价"],
  ["1号多少钱", "链接1多少钱"],
  ["1号多少钱", "多少钱1号"],
  ["十五号有货吗", "15号有货没"],
  // Prices.
  ["多少钱", "多少錢"],
  ["多少钱", "多 少 钱"],
  ["多少钱", "多少米"],
  ["多少钱", "多少钱钱"],
  ["多少钱", "多少q"],
  ["多少钱", "几块"],
  ["多少钱", "几块钱呀"],
  ["多少钱", "怎么卖"],
  ["多少钱", "咋卖的"],
  ["多少钱", "价格多少"],
  ["多少钱", "什么价"],
  ["多少钱", "啥价位"],
  ["多少钱", "价格？"],
  ["多少钱", "这个多少钱"],
  ["多少钱", "这款多少钱啊主播"],
  ["多少钱", "主播，请问多少钱"],
  ["多少钱", "亲 多少钱"],
  ["多少钱", "多少钱呀宝"],
  ["多少钱", "家人们问一下多少钱哦"],
  ["多少钱", "你好，多少钱"],
  ["多少钱", "多少钱多少钱多少钱"],
  ["多少钱", "多少钱💰💰"],
  ["多少钱", "多少钱[捂脸][玫瑰]"],
  ["多少钱", "多少钱(≧▽≦)"],
  ["多少钱", "幾多錢"],
  ["多少钱", "dsq"],
  ["7号价", "7号多少"],
  ["奶锅啥价", "奶锅多少钱一个"],
  ["19块9的有吗", "19.9元的有吗"],
  ["现在多少钱", "要多少钱"],
  // Choice and stock.
  ["有没有蓝色", "有沒有藍色"],
  ["有没有蓝色", "有蓝色吗"],
  ["有没有蓝色", "蓝色有吗"],
  ["有没有蓝色", "有蓝色不"],
  ["有没有蓝色", "蓝色的还有没"],
  ["有没有蓝色", "有木有蓝色呀"],
  ["有没有蓝色", "蓝色还有货吗"],
  ["有没有蓝色", "有蓝的吗"],
  ["有蓝色吗❤️", "有蓝色吗❤"],
  ["有蓝色吗👍🏻", "有蓝色吗👍🏿"],
  ["1号蓝色有吗", "1号有蓝色吗"],
  ["有S码吗", "有ｓ码没有"],
  ["有什么颜色", "都有啥颜色呀"],
  ["有什么颜色", "有虾米颜色"],
  ["有什么颜色", "颜色有哪些"],
  ["没货了？", "没有货了"],
  ["一米八的有吗", "1米8的还有吗"],
  // Sending.
  ["包邮吗", "包邮不"],
  ["包邮吗", "包不包邮"],
  ["包邮吗", "邮费多少"],
  ["包邮吗", "要不要运费"],
  ["包邮吗", "宝子们包油嘛"],
  ["什么时候发货", "啥时候发货"],
  ["什么时候发货", "几时发货"],
  ["什么时候发货", "什麼時候發貨"],
  ["什么时候发货", "多久发货"],
  ["什么时候发货", "sm时候fahuo"],
  ["发什么快递", "用什么快递"],
  // After the sale, and the goods.
  ["能退吗", "可以退吗"],
  ["能退吗", "能不能退"],
  ["能退吗", "可不可以退货"],
  ["能退吗", "能退不"],
  ["不能退吗", "不可以退吗"],
  ["怎么买", "肿么下单"],
  ["咋洗", "怎么洗"],
  ["好不好用", "好用吗"],
  ["好看啊啊啊啊", "好看"],
  ["在哪里领券", "哪里领券"],
  ["毛巾是纯棉的吗", "毛巾纯棉吗"],
  ["材质是什么", "是什么材质"],
  ["毛巾会不会掉色", "毛巾掉色吗"],
  ["穿什么码", "穿多大码"],
];

const DIFFERENT: readonly (readonly [string, string])[] = [
  // Numbers.
  ["1号多少钱", "2号多少钱"],
  ["11号多少钱", "1号多少钱"],
  ["1 2号多少钱", "12号多少钱"],
  ["①②号多少钱", "12号多少钱"],
  ["1号多少钱", "多少钱"],
  ["1.5米的有吗", "15米的有吗"],
  ["1米5的有吗", "1米8的有吗"],
  ["2个多少钱", "3个多少钱"],
  ["两套多少钱", "多少钱一套"],
  ["三五天能到吗", "35天能到吗"],
  ["满100减多少", "满200减多少"],
  ["50%羊绒的吗", "50羊绒的吗"],
  ["一百二的有吗", "一百零二的有吗"],
  ["1", "1号"],
  ["120斤穿什么码", "130斤穿什么码"],
  ["1号和2号哪个好", "1号和3号哪个好"],
  ["1号红色2号蓝色", "1号蓝色2号红色"],
  ["1号比2号便宜吗", "2号比1号便宜吗"],
  ["1234", "12341234"],
  // Colours, sizes, things.
  ["有蓝色吗", "有白色吗"],
  ["有浅蓝色吗", "有蓝色吗"],
  ["有大号吗", "有小号吗"],
  ["有S码吗", "有M码吗"],
  ["有XL吗", "有XXL吗"],
  ["红色大号蓝色小号有吗", "红色小号蓝色大号有吗"],
  ["红色比蓝色贵吗", "蓝色比红色贵吗"],
  ["有饭盒卖吗", "有盒饭卖吗"],
  ["有蜂蜜吗", "有蜜蜂吗"],
  ["炒锅多少钱", "煎锅多少钱"],
  ["买锅送铲子吗", "买铲子送锅吗"],
  ["有男款吗", "有女款吗"],
  ["这个多少钱", "那个多少钱"],
  ["这个和那个多少钱", "那个多少钱"],
  ["适合宝宝吗", "适合吗"],
  ["宝宝能用吗", "能用吗"],
  ["老板椅多少钱", "椅多少钱"],
  ["主播多高", "多高"],
  ["主播穿多大码", "穿多大码"],
  // Denied.
  ["能退吗", "不能退吗"],
  ["能机洗吗", "不能机洗吗"],
  ["红色有货", "红色没货了？"],
  ["有货吗", "没货了吗"],
  ["有蓝色吗", "没有蓝色吗"],
  ["包邮吗", "不包邮吗"],
  ["发货了吗", "还没发货"],
  ["是纯棉吗", "不是纯棉吗"],
  ["喜欢能退吗", "不喜欢能退吗"],
  ["不能退蓝色能退吗", "能退蓝色不能退吗"],
  ["有糖吗", "无糖吗"],
  // What is asked.
  ["怎么卖", "怎么买"],
  ["怎么洗", "能洗吗"],
  ["原价多少", "现在多少钱"],
  ["差价多少", "价格多少"],
  ["券后价多少", "价格多少"],
  ["怎么卖这么贵", "怎么卖"],
  ["多少钱", "多少斤"],
  ["窗帘长多少米", "窗帘多少钱"],
  ["能便宜点吗", "便宜吗"],
  ["发货了吗", "发货吗"],
  ["什么时候发货", "能发货吗"],
  ["什么时候发货", "什么时候补货"],
  ["到成都几天", "到重庆几天"],
  ["能退吗", "能换吗"],
  ["退货运费谁出", "包邮吗"],
  ["有运费险吗", "包邮吗"],
  ["有什么颜色", "有什么优惠"],
  ["有什么颜色", "有几个颜色"],
  ["还有多少", "有吗"],
  ["220的还有多少", "有220的吗多少"],
  ["送什么", "什么材质"],
  ["好看", "好用"],
  ["多高", "多大"],
  ["能开发票吗", "什么时候开发票"],
  ["上13号", "13号"],
];

const COLOURS = ["红色", "深红", "蓝色", "浅蓝", "黑色", "白色", "米白", "粉色", "金色", "杏色"];
const SIZES = ["S", "M", "L", "XL", "XXL", "2XL", "3XL", "36", "37", "37.5", "均码", "大号", "小号"];
const LINKS = ["1号", "2号", "11号", "12号", "21号", "108号", "链接3", "三十号", "十三号"];
const PIECES = ["一件", "两件", "三件", "10件", "十二件", "一套", "两套", "半套"];
const PEOPLE = ["孕妇", "宝宝", "老人", "小孩", "奶奶", "妈妈", "男生", "女生", "姐姐", "家人", "婆婆"];
const PLACES = ["新疆", "西藏", "北京", "南京", "海南", "湖南", "湖北", "香港"];
const BRANDS = ["小米", "大米", "红米", "华为", "苹果", "耐克", "阿迪", "安踏"];
const ACTS = ["退", "换", "洗", "不退", "不换", "机洗", "干洗", "修", "便宜", "发", "寄"];
const WHEN = ["今天", "明天", "618前", "618后", "饭前", "饭后", "周一前", "周一后", "5号", "15号"];

/** A question with a gap, and words for it that each ask something else. */
const TEMPLATES: readonly (readonly [write: (word: string) => string, ...words: string[]])[] = [
  [(word) => `有${word}吗`, ...COLOURS, ...SIZES, ...BRANDS],
  [(word) => `${word}还有货吗`, ...COLOURS, ...SIZES, ...LINKS, ...BRANDS],
  [(word) => `${word}多少钱`, ...COLOURS, ...SIZES, ...LINKS, ...PIECES, ...BRANDS],
  [(word) => `1号${word}怎么卖`, ...COLOURS, ...SIZES, ...PIECES],
  [(word) => `${word}能用吗`, ...PEOPLE, ...BRANDS],
  [(word) => `适合${word}穿吗`, ...PEOPLE],
  [(word) => `${word}包邮吗`, ...PLACES, ...PIECES, ...LINKS],
  [(word) => `到${word}几天`, ...PLACES],
  [(word) => `能${word}吗`, ...ACTS],
  [(word) => `可不可以${word}`, ...ACTS],
  [(word) => `${word}能到吗`, ...WHEN],
  [(word) => `${word}吃还是睡前吃`, ...WHEN],
];

describe("toMessageKey", () => {
  it.for(SAME)("%j asks what %j asks", ([a, b], { expect }) => {
    expect(isSame(a, b), `${toMessageKey(a)} / ${toMessageKey(b)}`).toBe(true);
    expect(toMessageKey(a)).not.toBe("");
  });

  it.for(DIFFERENT)("%j does not ask what %j asks", ([a, b], { expect }) => {
    expect(isSame(a, b), `${toMessageKey(a)} / ${toMessageKey(b)}`).toBe(false);
  });

  it.for(SAME_QUESTIONS)("%j is asked in other words", ([question, ...others], { expect }) => {
    expect(others.filter((other) => !isSame(question, other))).toEqual([]);
  });

  it.for(OTHER_QUESTIONS)("%j is asked by none of the others", ([question, ...others], { expect }) => {
    expect(others.filter((other) => isSame(question, other))).toEqual([]);
  });

  it.for(["", "？？？", "😭😭", "(๑•̀ㅂ•́)و✧", "[捂脸]"])("leaves nothing of %j", (text, { expect }) => {
    expect(toMessageKey(text)).toBe("");
  });

  it.for([
    ["主播1号链接多少錢啊？？", "1号多少钱"],
    ["麻烦问一下，有没有XXL码的呀", "有xxl"],
    ["真丝的能不能机洗", "真丝的能机洗"],
    ["大米有没有货", "有大米"],
    ["毛呢大衣多少钱呢", "毛呢大衣多少钱"],
    ["主播主播主播！", "主播"],
    ["在吗", "在吗"],
    ["111", "1"],
    ["11", "11"],
    ["哈密瓜怎么卖", "哈密瓜多少钱"],
    ["老板娘这吧台椅什么价", "这吧台椅多少钱"],
  ] as const)("writes %j as %j", ([text, key], { expect }) => {
    expect(toMessageKey(text)).toBe(key);
  });

  it("does not change with signs, pictures and white space around the text", ({ expect }) => {
    const question = fc.constantFrom(...SAME.flat());
    const around = fc.constantFrom("", " ", "\u200b", "？", "！！", "❤️", "😭", "～", "。。。", "\n", "(^_^)");
    fc.assert(
      fc.property(question, around, around, (text, before, after) => {
        expect(toMessageKey(before + text + after)).toBe(toMessageKey(text));
      }),
    );
  });

  it("never merges questions that differ in one word that decides", ({ expect }) => {
    const question = fc
      .constantFrom(...TEMPLATES)
      .chain(([write, ...words]) => fc.tuple(fc.constant(write), fc.constantFrom(...words), fc.constantFrom(...words)));
    fc.assert(
      fc.property(question, fc.constantFrom("", "主播", "请问"), ([write, a, b], before) => {
        fc.pre(a !== b);
        expect(isSame(before + write(a), write(b)), `${write(a)} / ${write(b)}`).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it("keeps every number of a text in its order", ({ expect }) => {
    const numbers = fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(numbers, (list) => {
        expect(
          toMessageKey(`买${list.join(" ")}斤`)
            .match(/\d+/gu)
            ?.map(Number),
        ).toEqual(list);
      }),
    );
  });

  it("takes time in proportion to the text", ({ expect }) => {
    for (const part of ["啊", "一", "1号多少钱", "运费要", "有", "多少 ", "不能", "(", "(_", "a.", "12"]) {
      const text = part.repeat(20_000 / part.length);
      const start = performance.now();
      toMessageKey(text);
      expect(performance.now() - start, part).toBeLessThan(1_000);
    }
  });
});

describe("isSameQuestion", () => {
  it("is true for equal keys of any length", ({ expect }) => {
    expect(isSameQuestion("价", "价")).toBe(true);
  });

  it("is never true for short keys that differ", ({ expect }) => {
    expect(isSameQuestion("还有", "有")).toBe(false);
  });

  it.for([
    ["材质什么", "什么材质", true],
    ["蓝色是纯棉", "蓝色纯棉", true],
    ["奶锅大号有", "大号奶锅有", true],
    ["大号有饭盒", "大号有盒饭", false],
    ["不能退能换", "能退不能换", false],
    ["2件1号多少钱", "1号2件多少钱", false],
    ["有红色", "有红色杯子", false],
  ] as const)("%j and %j: %j", ([a, b, expected], { expect }) => {
    expect(isSameQuestion(a, b)).toBe(expected);
    expect(isSameQuestion(b, a)).toBe(expected);
  });

  it("holds only for keys of one signature", ({ expect }) => {
    const keys = [...SAME, ...DIFFERENT].flat().map(toMessageKey);
    const alike = keys.flatMap((a) => keys.filter((b) => isSameQuestion(a, b)).map((b) => [a, b] as const));
    expect(alike.filter(([a, b]) => toSignature(a) !== toSignature(b))).toEqual([]);
  });
});
