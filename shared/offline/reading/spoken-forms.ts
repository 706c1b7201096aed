/** One wording for reading: traditional characters, Cantonese, pinyin initials and "1米8" as viewers type them. */

/** Pairs of a traditional character and its simplified form, only those of shopping talk. */
const SIMPLER = new Map(
  "個个幾几錢钱號号貨货嗎吗還还這这麼么樣样買买賣卖價价優优發发貴贵張张條条雙双顏颜運运費费單单臺台灣湾鏈链連连結结質质電电燈灯寬宽長长絨绒鵝鹅絲丝氈毯墊垫氣气說说話话時时間间開开關关後后從从來来會会對对邊边點点給给幫帮換换請请問问誰谁現现過过無无應应寶宝貝贝謝谢觀观熱热風风紅红藍蓝綠绿黃黄國国產产標标準准紙纸鍋锅顆颗禮礼贈赠滿满減减領领裝装體体為为爲为甚什沒没們们嘅的係是喺在咗了睇看唔不嚟来畀给啲些"
    .match(/../gu)
    ?.map((pair) => Array.from(pair) as [string, string]) ?? [],
);

/** Whole words, before single characters. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/[幾几]多[錢钱]?/gu, "多少钱"],
  [/仲有/gu, "还有"],
  [/有冇/gu, "有没有"],
  [/冇/gu, "没有"],
  [/呢(?=[個个張张條条件款套])/gu, "这"],
  [/[幾几][時时]/gu, "什么时候"],
  [/㗎|咩/gu, "吗"],
  [/💰|💴|💵/gu, "钱"],
  [/(?<=多少|几)q(?![a-z])/giu, "钱"],
  [/多钱/gu, "多少钱"],
  [/what(?=价)|sha(?=价)/giu, "什么"],
  [/sm(?=时候)/giu, "什么"],
  [/(?<![a-z])jg(?![a-z])/giu, "价格"],
  [/(?<![a-z])zg(?![a-z])/giu, "这个"],
  [/(?<![a-z])sf(?![a-z])/giu, "顺丰"],
  [/(?<![a-z])yhq(?![a-z])/giu, "优惠券"],
  [/(?<![a-z])kd(?![a-z])/giu, "快递"],
  [/(?<![a-z])(dsq|duoshaoqian)(?![a-z])/giu, "多少钱"],
  [/(?<![a-z])fahuo(?![a-z])/giu, "发货"],
  [/(?<![a-z])baoyou(?![a-z])/giu, "包邮"],
  [/(?<!\d)([1-9])米([1-9])(?!\d)/gu, "$1.$2米"],
  [/[×✕✖]/gu, "*"],
  // "18和1号": the first is a link too.
  [/(?<!\d)(\d{1,3})(和|跟|与|、)(?=\d{1,3}号)/gu, "$1号$2"],
];

/** The text as this reader knows it. For understanding only: it is never said. */
export function toStandardWords(text: string): string {
  const words = WORDS.reduce((rest, [pattern, word]) => rest.replace(pattern, word), text.normalize("NFKC"));
  return words.replace(/\p{Script=Han}/gu, (char) => SIMPLER.get(char) ?? char);
}
