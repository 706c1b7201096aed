import fc from "fast-check";
import { describe, it } from "vitest";
import { countCodePoints } from "../../../../shared/core/text.ts";
import { SentenceCutter, type SentenceCutterOptions } from "../../../../shared/speech/sentence-cutter.ts";
import { anyText } from "./texts.ts";

const R1 = "这款面膜今天只要39.9元。库存还有3件！三到五天发货哦？喜欢的宝宝抓紧拍。";

function cut(deltas: readonly string[], options: SentenceCutterOptions = {}): string[] {
  const cutter = new SentenceCutter(options);
  return [...deltas.flatMap((delta) => cutter.push(delta)), ...cutter.flush()];
}

/** Every letter and digit, in order: what must never be lost. */
const wordsOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, "");

describe("SentenceCutter", () => {
  it.for([
    [R1, ["这款面膜今天只要39.9元。", "库存还有3件！", "三到五天发货哦？", "喜欢的宝宝抓紧拍。"]],
    ["家人们只要39.9元！3~5天发货哦。好的！", ["家人们只要39.9元！", "3~5天发货哦。", "好的！"]],
    ["小瓶¥3.5，大瓶¥5", ["小瓶¥3.5，大瓶¥5"]],
    ["现在3.5折。还有7～9折；快来", ["现在3.5折。", "还有7～9折；", "快来"]],
    ["只要￥199.9！", ["只要￥199.9！"]],
    ["这款产品价格1,000.00元，可以运行在40.0度的高温环境下", ["这款产品价格1,000.00元，可以运行在40.0度的高温环境下"]],
    [
      "2025/01/01 上午有 1/3 的概率下暴雨，所以单位有 578 人选择 10:30am 出门上班",
      ["2025/01/01 上午有 1/3 的概率下暴雨，所以单位有 578 人选择 10:30am 出门上班"],
    ],
    ["S<M<L>XL 都有货，喜欢就拍", ["S<M<L>XL 都有货，喜欢就拍"]],
    ["好的_<isend>还有3件。谢谢", ["好的_<isend>还有3件。", "谢谢"]],
    ["效果提升100倍。88VIP再减8块", ["效果提升100倍。", "88VIP再减8块"]],
    ["净含量50ml*2瓶 3*5", ["净含量50ml*2瓶 3*5"]],
    ["第一行\n第二行\r\n\n第三行", ["第一行", "第二行", "第三行"]],
    ["1. 面膜39元\n2. 精华", ["1. 面膜39元", "2. 精华"]],
    ["今天有1.面膜 2.精华 3.乳液可选。", ["今天有1.面膜 2.精华 3.乳液可选。"]],
    ["嗯……这款不错。", ["嗯……", "这款不错。"]],
    ["嗯…这款不错", ["嗯…", "这款不错"]],
    ["嗯...这款不错", ["嗯...", "这款不错"]],
    ["嗯…，这款不错", ["嗯…，这款不错"]],
    ["这款很好.今天买", ["这款很好.", "今天买"]],
    ["今天〈特价！〉快来", ["今天〈特价！〉快来"]],
  ] as const)("cuts %j into %j", ([text, pieces], { expect }) => {
    expect(cut([text])).toEqual(pieces);
  });

  it.for([
    ["It is good. It costs $3.5 for small size. Ok", ["It is good.", "It costs $3.5 for small size.", "Ok"]],
    ["It costs 39. We ship", ["It costs 39.", "We ship"]],
    ["v2.0 is out. See https://a.com/x?b=1 now. Yes!", ["v2.0 is out.", "See https://a.com/x?b=1 now.", "Yes!"]],
    ["It is No. 1 in China. No. It is not.", ["It is No. 1 in China.", "No.", "It is not."]],
    ["Dr. Li says e.g. this. Mail a.b@c.com. Done", ["Dr. Li says e.g. this.", "Mail a.b@c.com.", "Done"]],
    ["No.1的面膜，看www.a.com吧", ["No.1的面膜，看www.a.com吧"]],
    ['He said "Buy it. Now." Then left.', ['He said "Buy it. Now."', "Then left."]],
  ] as const)("cuts English only at certain full stops: %j", ([text, pieces], { expect }) => {
    expect(cut([text])).toEqual(pieces);
  });

  it.for([
    ["他说：“今天只要39元。”然后走了。", ["他说：“今天只要39元。”", "然后走了。"]],
    ["“买它！”，他说。", ["“买它！”，他说。"]],
    ["“买它”。好", ["“买它”。", "好"]],
    ["《你好！》这本书。", ["《你好！》这本书。"]],
    ["这款（真的！很好）有货。", ["这款（真的！很好）有货。"]],
    ["「好吗？」好。", ["「好吗？」", "好。"]],
    ['5"屏幕。6"也有。', ['5"屏幕。', '6"也有。']],
  ] as const)("keeps short quotes and brackets whole: %j", ([text, pieces], { expect }) => {
    expect(cut([text])).toEqual(pieces);
  });

  it("cuts again at stops when a quote never closes", ({ expect }) => {
    const text = `“今天特价。${"喜欢的宝宝抓紧拍".repeat(3)}。还有三件。`;
    expect(cut([text])).toEqual(["“今天特价。", `${"喜欢的宝宝抓紧拍".repeat(3)}。`, "还有三件。"]);
  });

  it.for([
    ["🎉🎉！", []],
    ["……", []],
    ["**\n---\n|--|", []],
    ["太好了！！！真的", ["太好了！", "真的"]],
    ["真的吗？！好", ["真的吗？", "好"]],
    ["太好了！🎉谢谢", ["太好了！", "🎉谢谢"]],
    ["太好了！🎉", ["太好了！"]],
    ["太好了。”）谢谢", ["太好了。", "谢谢"]],
    ["🎉🎉！今天。\n\n  \n好", ["今天。", "好"]],
    ["", []],
  ] as const)("gives no piece without anything to say: %j → %j", ([text, pieces], { expect }) => {
    expect(cut([text])).toEqual(pieces);
  });

  it("lets the first sentence leave before the second is complete, and each at its own stop", ({ expect }) => {
    const cutter = new SentenceCutter();
    expect(cutter.push("这款面膜今天只要39")).toEqual([]);
    expect(cutter.push(".9元。")).toEqual(["这款面膜今天只要39.9元。"]);
    expect(cutter.push("库存还有3件！三到五天发货哦？喜欢")).toEqual(["库存还有3件！", "三到五天发货哦？"]);
    expect(cutter.flush()).toEqual(["喜欢"]);
  });

  it("speaks every sentence of deltas that are cut anywhere", ({ expect }) => {
    const deltas = ["家人们好，今天这款", "面膜39.9元！拍下送小样，库存", "还有3件，喜欢的抓紧。谢谢大家", ""];
    expect(cut(deltas)).toEqual([
      "家人们好，今天这款面膜39.9元！",
      "拍下送小样，库存还有3件，喜欢的抓紧。",
      "谢谢大家",
    ]);
  });

  it.for([
    [["3", ".5折"], ["3.5折"]],
    [["3", ".", "5折"], ["3.5折"]],
    [
      ["太好\ud83d", "\udc4d。好"],
      ["太好👍。", "好"],
    ],
    [["👨\u200d", "👩\u200d👧好！"], ["👨‍👩‍👧好！"]],
    [
      ["嗯…", "…好"],
      ["嗯……", "好"],
    ],
  ] as const)("joins what deltas part: %j → %j", ([deltas, pieces], { expect }) => {
    expect(cut(deltas)).toEqual(pieces);
  });

  it("is as new after a flush", ({ expect }) => {
    const cutter = new SentenceCutter({ firstClauseCharsMin: 4 });
    const read = () => [...cutter.push("（今天特价，马上抢"), ...cutter.flush()];
    expect(read()).toEqual(read());
  });

  it("cuts the first piece at a comma when asked to, and only the first", ({ expect }) => {
    const text = "家人们今天这款面膜真的很划算，只要39.9元，喜欢的宝宝不要再犹豫了，快拍。";
    expect(cut([text], { firstClauseCharsMin: 12 })).toEqual([
      "家人们今天这款面膜真的很划算，",
      "只要39.9元，喜欢的宝宝不要再犹豫了，快拍。",
    ]);
    expect(cut([text])).toEqual([text]);
    expect(cut(["家人们好，今天特价。"], { firstClauseCharsMin: 12 })).toEqual(["家人们好，今天特价。"]);
    expect(cut([R1], { firstClauseCharsMin: 12 })).toHaveLength(4);
  });

  it("cuts long text at clause marks, never inside a price", ({ expect }) => {
    const text = "这款面膜特别好用，补水效果一级棒，价格只要1,000.00元每箱，现在下单立减，拍下再送一份小样。";
    expect(cut([text], { charsMax: 20 })).toEqual([
      "这款面膜特别好用，补水效果一级棒，",
      "价格只要1,000.00元每箱，",
      "现在下单立减，拍下再送一份小样。",
    ]);
  });

  it("cuts long text without clause marks between characters, with numbers and words whole", ({ expect }) => {
    const pieces = cut(["今天给大家带来的面膜补水一级棒价格只要1000.00元每箱而且iPhone15包邮到家"], { charsMax: 20 });
    expect(pieces.every((piece) => countCodePoints(piece) <= 20)).toBe(true);
    expect(pieces.some((piece) => piece.includes("1000.00元"))).toBe(true);
    expect(pieces.some((piece) => piece.includes("iPhone15"))).toBe(true);
  });

  it("cuts long English between words", ({ expect }) => {
    expect(cut(["this mask is really good for your skin and it ships today"], { charsMax: 20 })).toEqual([
      "this mask is really",
      "good for your skin",
      "and it ships today",
    ]);
  });

  it("bounds a piece that has no break at all", ({ expect }) => {
    const pieces = cut(["a".repeat(5_000)], { charsMax: 60 });
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(60 + 256);
    expect(pieces.join("")).toBe("a".repeat(5_000));
  });

  it("gives the same pieces however the text is cut into deltas", ({ expect }) => {
    const options = fc.constantFrom<SentenceCutterOptions>(
      {},
      { charsMax: 12 },
      { firstClauseCharsMin: 5, charsMax: 30 },
    );
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(), { maxLength: 12 }), options, (text, places, option) => {
        const cuts = [0, ...places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b), text.length];
        const deltas = cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
        expect(cut(deltas, option)).toEqual(cut([text], option));
        expect(cut(text.split(""), option)).toEqual(cut([text], option));
      }),
      { numRuns: 500 },
    );
  });

  it("loses no word and gives no empty piece, whatever the text", ({ expect }) => {
    fc.assert(
      fc.property(anyText, (text) => {
        const pieces = cut([text], { charsMax: 15 });
        expect(pieces.every((piece) => piece === piece.trim() && wordsOf(piece) !== "")).toBe(true);
        expect(pieces.every((piece) => countCodePoints(piece) <= 15 + 257)).toBe(true);
        // A face such as T_T is made of letters and says nothing.
        expect(isSubsequence(wordsOf(pieces.join("")), wordsOf(text))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("loses no word of ordinary text", ({ expect }) => {
    const word = fc.constantFrom(
      "今天",
      "面膜",
      "39.9元",
      "，",
      "。",
      "！！",
      "……",
      "“",
      "”",
      "（",
      "）",
      "iPhone 15",
      " ",
      "v2.0",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 80 }), (words) => {
        expect(wordsOf(cut([words.join("")], { charsMax: 20 }).join(""))).toBe(wordsOf(words.join("")));
      }),
    );
  });

  it.for(["今", "今天。", "（。", "“a。", "a", "🎉", "1,", ". ", "…", "https://a.com/", "，"])(
    "takes 200,000 characters of %j, one at a time, in linear time",
    (seed, { expect }) => {
      const cutter = new SentenceCutter();
      const text = seed.repeat(200_000 / seed.length);
      let chars = 0;
      for (const char of text) chars += cutter.push(char).join("").length;
      chars += cutter.flush().join("").length;
      expect(chars).toBeLessThanOrEqual(text.length);
    },
  );
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const unit of whole) if (part.startsWith(unit, at)) at += unit.length;
  return at === part.length;
}
