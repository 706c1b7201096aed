/** Units of numbers in talk about goods: what a number counts, and in which common measure. */

/**
 * - `price` yuan; `discount` tenths of the price that are left (八折 and 80% of the price are 8)
 * - `percent`; `time` hours; `months`; `length` mm; `weight` g; `volume` ml; `times` 倍
 * - `link` the number of a product's link; `count` every other unit, and none
 */
export type NumberKind =
  | "price"
  | "discount"
  | "percent"
  | "time"
  | "months"
  | "length"
  | "weight"
  | "volume"
  | "times"
  | "link"
  | "count";

export type Unit = {
  readonly kind: NumberKind;
  /** What the number is multiplied with to be in the kind's common measure. */
  readonly factor: number;
  /** The unit as written; what is between number and unit included. */
  readonly written: string;
};

type UnitRow = { readonly kind: NumberKind; readonly factor: number; readonly after: RegExp };

/** Between number and unit: 30多块, 3个工作日, 50 左右. */
const VAGUE = "(?:多|几|来|余)?";
const unit = (kind: NumberKind, factor: number, after: string): UnitRow => ({
  kind,
  factor,
  after: new RegExp(`^ ?${VAGUE}(?:${after})`, "u"),
});

/** Things that come in pieces: before them 块 is no money. */
const PIECES =
  "毛巾|方巾|丝巾|浴巾|手帕|香皂|肥皂|抹布|布|地垫|地毯|垫|毯|巧克力|饼|豆腐|玻璃|板|砖|蛋糕|糕|石|电池|表|手表|肉|糖|屏|面膜|面料|木|骨|牛排|皮|积木|拼图|儿|状|头|茬";

/** First match wins; longer spellings stand before shorter ones. */
const ROWS: readonly UnitRow[] = [
  unit("percent", 1, "%|个百分点"),
  unit("discount", 1, "折(?!叠|痕|扣率|射|返|回|旧|腾)"),
  unit("price", 1, "元(?!素|旦|气|宵|宝|年|月|件)|圆(?!形|领|桌|的|润)|人民币|rmb|RMB|CNY"),
  unit("price", 1, `块(?!${PIECES})`),
  unit("price", 0.1, "毛(?!巾|衣|毯|绒|线|呢|重|孔|笔|刷|利)|角(?=$|钱|[,。!?])"),
  unit("time", 24, "个?工作日|天|日(?!用|常|本|式|系|韩|月)"),
  unit("time", 1, "个?小时|个?钟头|h(?![a-z])"),
  unit(
    "time",
    168,
    "个?星期(?![一二三四五六日天])|周(?!年|岁|边|一|二|三|四|五|六|日|末)|个?礼拜(?![一二三四五六日天])",
  ),
  unit("time", 1 / 60, "分钟|min(?![a-z])"),
  unit("months", 1, "个月"),
  unit("months", 12, "年(?!级|货|代|轻|龄|会|糕|前)|周年"),
  unit("length", 1, "毫米|mm(?![a-z])"),
  unit("length", 10, "厘米|公分|cm(?![a-z])|CM(?![a-z])"),
  unit("length", 100, "分米|dm(?![a-z])"),
  unit("length", 1_000, "米(?!饭|粉|线|色|白|黄|其)|m(?![a-zA-Z²])|M(?![a-zA-Z²])"),
  unit("length", 25.4, "英寸|寸"),
  unit("weight", 0.001, "毫克|mg(?![a-z])"),
  unit("weight", 1_000, "千克|公斤|kg(?![a-z])|KG|Kg"),
  unit("weight", 500, "斤"),
  unit("weight", 1, "克(?!拉|数|重|隆)|g(?![a-z])"),
  unit("volume", 1, "毫升|ml(?![a-z])|mL|ML"),
  unit("volume", 1_000, "升(?!级|温|降|职)|l(?![a-z])|L(?![a-zA-Z])"),
  unit("times", 1, "倍"),
  unit("link", 1, "号(?!码|线|角|色|电池|弹|楼|机|店|库)|#|＃"),
];

/** The unit that follows a number; `null` for none of the table. */
export function unitAfter(after: string): Unit | null {
  for (const { kind, factor, after: pattern } of ROWS) {
    const written = pattern.exec(after)?.[0];
    if (written !== undefined) return { kind, factor, written };
  }
  return null;
}

/** Measure words of goods: "还有3件" is about stock. */
export const PIECE = "(?:件|个|盒|瓶|双|套|条|份|台|只|单|袋|包|箱|张|本|支|把|对|床|罐|提|组|枚|片|块|款(?!式))";

/** What follows a bare number that is a price: "只要39，" "满99减20" "到手29就能拿". */
export const AFTER_BARE_PRICE =
  /^(?:$|[,、。!?！？~…;:\s\-—)）/]|[的就能包到起以左多不减可还呢哦啊吧哈了拿拍买给带走再享送都也宝亲用立打现和跟与或]|一[件套盒瓶双个条斤包箱袋]|两[件套盒瓶双条包箱袋]|\d[件套盒瓶双条包箱袋])/u;

/** What stands before a number that is a price, without any unit. */
export const BEFORE_PRICE =
  /(?:[¥￥]|RMB|rmb|(?:价格?|售价|到手价?|券后价?|原价|现价|底价|单价|总价|特价|秒杀价?|活动价|一口价|定价|标价|日常价|划线价|直播间|现在|今天)(?:是|就是|都是|为|只要|只有|只|就|才|卖|[::])?|只要|只需|仅需|仅要|只卖|才卖|卖|低至|直降|立减|满减|减|满|便宜|省|优惠|补差?|付款?|收费?|邮费|运费|一共|总共|合计|加起来|抵|返|券)(?:了|掉|是|要)? ?$/u;
