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

/**
 * The part of a number in an offer: `asked` for it (买一, 拍两件, 两件包邮), `given` (送一, 赔三, 免一单), or a `limit` to
 * it (限两件, 前三名).
 */
export type DealRole = "asked" | "given" | "limit";

const DIGIT = "[\\d零一二两三四五六七八九十]";
const DEAL_PIECE = "(?:[件个条只双套盒瓶份张袋单组箱支块本罐桶提打对床台期名位]|包(?!邮)|样东西)";
/** A small number that is no price: 送一, 发三件, but not 付三十块. */
const FEW = `${DIGIT}{1,3}(?!${DIGIT}|百|千|块|元|毛|折|\\.)`;

const SEND =
  "(?<![配护接派运])送(?!人|礼(?!品|物|盒|包|券)|给(?!您|你|大家|各位|宝|家人|朋友们)|货|到|达|来|走|完|上门|餐|检|爸|妈|父|母|长辈|老|男|女|孩|儿|闺|爱人|对象|同[事学]|朋友(?!们)|亲(?!们)|婆|公|岳|领导|客户|小(?:孩|朋友)|自己|谁|学生)";

/** What an offer gives. Each is followed by what tells it from a plain word: 送货, 发货, 免熨, 减肥, 换着穿, 值得. */
const GIVES = [
  SEND,
  "赠",
  "赔(?!本|钱|不|罪)",
  "包邮|包运费",
  "免(?:单|费|邮|运|息|押)|免(?=[\\d一二两三四五])",
  "减(?!肥|脂|压|少|轻|重|负|龄|震|速|法|缓|弱|淡)",
  `(?:发|得|抵|付|换|返|到手)(?=${FEW})`,
  "返(?:现|券|利)|换购",
  "享(?=受?(?:\\d|[一二两三四五六七八九半]|优惠|折|立减|满减|包邮|特价))",
  "打?[\\d.一二三四五六七八九]{1,4}折",
].join("|");

const FILLER =
  "(?:就|起|以上|及|也|即|都|可以?|能|直接|立[享得减]?|还|再|会|另外|额外|全国|全场|我们|咱们?|主播|今天|现在|给|您|你们?|大家|帮|多)";

const TO_WHOM = "(?:给?(?:您|你们?|大家|各位|家人们?|宝宝们?|宝子们?|亲们?|咱们?|朋友们))?";
const CLAUSE = "[^,、。!?;~…\\n]";

/** Around a number that stands between two line ends: words, and numbers that are no part of an offer. */
const NO_DEAL = aroundNumber([
  // 这两款, 第一件.
  "[第这那哪每]\\n.+\\n",
  // 一下, 一起, 一点, also after 送 and 发; 试一试.
  "\\n一\\n(?:下|点|些|起|样(?!东西)|定|直|般|边|会儿?|律|旦|句|波|声|程|遍|眼|番|阵|步|路|致)",
  "(.)\\n一\\n\\1",
  // 发三条弹幕, 发一次货: nothing is given.
  `发${TO_WHOM}(?:了|出|上|过)?\\n.+\\n(?:次|家|批|封|[条张个段句份]${CLAUSE}{0,2}(?:弹幕|图|评论|链接|消息|信息|截图|表情|私信|地址|视频|号|单|说明))`,
]);

const LIMIT = aroundNumber([
  "(?:(?<![有无极权局上下])限(?:购|量|领|拍|定|前|买|送|抢)?|仅限前?)\\n",
  "前\\n.+\\n(?:名|位|单|个?人(?!群))",
]);

const GIVEN = aroundNumber([
  `(?:(?<![配护接派运])送|赠[送品]?|(?<!打|出)发|(?<!理)赔付?|(?<![难避以])免费?|(?<!加|增|删|裁)减|到手|返还?|抵)${TO_WHOM}(?:了|出|上|多|再|足|共|掉)?\\n`,
  // 得 and 换 are plain words as well: 穿得一身汗, 换一个颜色.
  `(?:${DIGIT}${DEAL_PIECE}?|[可立再共能费即获包兑旧坏损了])(?:得|换|付)\\n`,
  // 送毛巾一条.
  `(?:${SEND}|赠)${CLAUSE}{1,6}\\n.+\\n${DEAL_PIECE}`,
]);

const ASKED = aroundNumber([
  // 两件包邮, 三免一, 一赔三, 一件就送.
  `\\n(?!件套)${DEAL_PIECE}?${FILLER}{0,4}(?:${GIVES})`,
  // 买一条毛巾送一条, 买两件，包邮.
  `(?:买|拍|购|满|凑|下单)(?:了|够|齐|满|任意|任选|下|上|您|你)?\\n.+\\n(?!件套)${CLAUSE}{0,7}?[,、]?${FILLER}{0,2}(?:${GIVES})`,
]);

/**
 * What a number is in an offer; `null` outside of one.
 *
 * @param before - Text before it; a few words are enough.
 * @param written - The number alone, without its unit.
 */
export function dealRoleOf(before: string, written: string, after: string): DealRole | null {
  const text = [before, written, after].map((part) => part.replaceAll("\n", "。")).join("\n");
  if (NO_DEAL.test(text)) return null;
  if (LIMIT.test(text)) return "limit";
  if (GIVEN.test(text)) return "given";
  return ASKED.test(text) ? "asked" : null;
}

function aroundNumber(patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join("|"), "u");
}

/** Words of a text that makes an offer: its other numbers may be the offer's too, as in 两条装，买就送同款. */
export const OFFER =
  /送(?!货|到|达|礼)|赠|赔|包邮|免[单费邮息]|限[购量领前]|[立满直]减|返[现券]|换购|\d折|[一二两三四五六七八九]折|到手/u;
