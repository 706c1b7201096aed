/**
 * Every regular expression of the redaction, on plain text. The text is a stranger's: each repetition is bounded, and no
 * repeated group repeats anything inside, so that a character costs a bounded number of steps. The test reads this rule
 * off each of them.
 */

const IS = "(?:是|为|is)?";

const ACCOUNT_WORD =
  "(?:微信|薇信|威信|徽信|v信|企鹅|扣扣|抖音号|小红书号|快手号|支付宝|(?<![a-z])(?:weixin|wechat|[vw]x|qq|telegram))";

/** Names of places, without the words that stand before them (寄到, 地址是). */
const PLACE_CHAR = "(?:(?![在到寄给送住我你的了这那是去址货要想买请叫姓有和])[一-鿿])";

/** What makes a short kind the middle of a name: 天府大道, 小王庄村, 城关镇. */
const ROAD_OR_REGION = "[路街巷村镇乡县市区]|大[道街]";

export const REDACTION_PATTERNS = {
  email:
    /(?<![a-z0-9._%+-])[a-z0-9_][a-z0-9._%+-]{0,63} ?@ ?[a-z0-9][a-z0-9.-]{0,100}(?:\.| ?点 ?)[a-z]{2,10}(?![a-z])/gu,

  /** Numbers of carriers: their letters (SF, YT, JT, JD, ZTO …) and the first group of digits. */
  waybill: /(?<![a-z0-9])(?<id>(?:sf|yt|jt|yd|zto|sto|dpk|jd[a-z]?[a-z]?)[ -]?\d{4,15})(?![a-z0-9])/gu,

  /** S10 of the Universal Postal Union, as EMS uses it. */
  postal: /(?<![a-z0-9])(?<id>[a-z]{2}\d{9}cn)(?![a-z0-9])/gu,

  /** A word for the number of an order, and its first group. */
  order:
    /(?:(?:订单|定单|运单|快递|物流|售后|退款)(?:编号|号|id)|单号|(?<![a-z])(?:order|tracking|waybill|invoice) ?(?:number|no\.|no|num|id|#))(?:码|是|为|is|:|#| ){0,4}(?<id>[a-z0-9][a-z0-9-]{2,39})(?![a-z0-9])/gu,

  /** 订单 alone: a long number must follow, for 订单 also goes with counts and prices. */
  bareOrder: /(?:订单|(?<![a-z])order)(?:是|为|is|:|#| ){0,3}(?<id>[a-z]{0,3}\d{8,30})(?![a-z0-9]| ?[元块件单])/gu,

  /** Further groups of an order's number. */
  nextGroup: /[ -]\d{3,8}(?![a-z0-9]| ?[元块件])/uy,

  account: new RegExp(
    `${ACCOUNT_WORD}(?<link>(?:号码|号|账号|账户|id|是|为|is|加我|加|我|搜|:| |,){0,5})(?<id>[a-z][a-z0-9_-]{5,19}|\\d{5,11})(?![a-z0-9_@-]| ?[元块件个套款米])`,
    "gu",
  ),

  /** 加v abc123: the letter stands for the name only after 加 or before a colon. */
  hiddenAccount:
    /(?:加(?:我|个|下|一下)?(?:v|薇|微|威)|(?<![a-z0-9])v(?=[:号]))(?<link>[ :号]{0,3})(?<id>[a-z][a-z0-9_-]{5,19}|\d{5,11})(?![a-z0-9_@-]| ?[元块件个套款米])/gu,

  /** A part of an address: a number with its unit, or a name with its kind. */
  addressPart: new RegExp(
    [
      "(?:\\d{1,5}|[a-z]|[一二三四五六七八九十百]{1,4})[a-z]?(?<unit>号楼|号院|号|弄|栋|幢|座|单元|室|户|层|楼|组)(?!链|款|色|品|线|店|仓|播|码)",
      "(?<bare>\\d{1,4}-\\d{1,4}(?:-\\d{1,4})?)(?![\\d.元块件折cm*])",
      `${PLACE_CHAR}{1,10}?(?:(?<community>小区|社区|花园|公寓|大厦|广场|家园|新村|公馆|园区|宿舍|中心|大学|中学|小学|医院|[苑府城园](?!${ROAD_OR_REGION}))|(?<road>大道|大街|路|街(?!道)|巷|胡同)|(?<village>[村庄屯](?!${ROAD_OR_REGION}))|(?<region>省|自治区|市|区|县|旗|镇|乡|街道))`,
    ].join("|"),
    "gu",
  ),

  /** The number of a flat that stands without its unit: 3栋501, 3栋2-501. */
  flat: /[ -]?\d{1,4}(?:-\d{1,4})?(?:-\d{1,4})?(?![\d.号元块件折米码c])/uy,

  streetAddress:
    /(?<![a-z0-9.])\d{1,5} [a-z]{2,15} (?:[a-z]{2,15} )?(?:street|road|rd|avenue|ave|lane|drive|boulevard|blvd)(?![a-z])(?:,? (?:apt|apartment|unit|flat|room|suite) ?#?\d{1,5}[a-z]?)?/gu,

  /** Between two groups of one number. */
  gap: /^[ ()._·~,、/—–-]{0,3}$/u,

  /** Words right before a number. */
  phoneWord: new RegExp(
    `(?:手机号码?|电话号?码?|座机|固话|联系方式|联系我|打给我|(?<![a-z])(?:tel|phone|mobile|call|call me)(?: number| no)?)${IS}(?: at)?[ :.]{0,3}$`,
    "u",
  ),
  idWord: new RegExp(
    `(?:(?:身份证|证件)(?:号码|号|)|(?<![a-z])id (?:card|number|no|card number))${IS}[ :.]{0,3}$`,
    "u",
  ),
  cardWord: new RegExp(`(?:银行卡|信用卡|储蓄卡|卡|(?<![a-z])card)(?:号码?| ?number| ?no)?${IS}[ :.]{0,3}$`, "u"),
  productWord: new RegExp(
    `(?:商品|产品|货|款|条|条形|型|编|链接|(?<![a-z])(?:sku|item|product|barcode|sn))(?:id|号|码|编号|编码| ?id)?${IS}[ :#.]{0,3}$`,
    "u",
  ),
  /** After a number: it counts something. */
  countedUnit: /^ ?[元块件套米克]/u,
} as const satisfies Readonly<Record<string, RegExp>>;
