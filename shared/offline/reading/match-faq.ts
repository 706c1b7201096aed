/** Finds the shop's own answer to a question, by topic and by shared characters. Below the threshold it finds nothing. */
import type { FaqFact } from "../../contract/fact.ts";
import { normaliseForMatch } from "../../core/text.ts";
import { countShared, diceOf, pairsOf, toPlain } from "./text-overlap.ts";

export type FaqMatch = { readonly entry: FaqFact; readonly score: number };

/** Entries below this are chance. */
const SCORE_MIN = 0.5;

/** Likeness that is needed where no topic is recognised: 几点下播 is not 几点下班. */
const ALIKE_MIN = 0.7;

/**
 * What shop questions are about, narrow before wide: a match takes its characters away, so that "运费险" is not "运费".
 * Wordings of one topic count as the same, which characters alone cannot see: 包邮吗 and 运费如何收取 share none.
 */
const TOPICS: readonly (readonly [string, RegExp])[] = [
  ["refund-time", /退款.{0,4}(几天|多久|什么时候)|(退款|退的?钱|钱).{0,8}(到账|退回|退给|到卡)|到账/gu],
  ["return-freight", /运费险|退.{0,6}(运费|邮费)|(运费|邮费)(谁|哪方)出|退.{0,8}(谁出|出(运费|邮费|钱))/gu],
  ["price-guard", /保价|价保|买贵|补差|(退|补|赔|给).{0,3}差价|买.{0,8}便宜了|(买|付)(完|了|过)?.{0,4}降价/gu],
  [
    "gift-ways",
    /(赠品|送的?(东西|礼物)?).{0,6}(怎么发|一起|备注|单拍|需要拍|没收到|漏|退)|没收到赠品|赠品呢|说好的.{0,8}没(有|送|给)?/gu,
  ],
  ["overseas", /港澳台?|香港|澳门|台湾|海外|国外|国际件/gu],
  ["remote", /新疆|西藏|内蒙古?|青海|宁夏|甘肃|海南|偏远|乡镇|农村|村里/gu],
  ["damage", /破损|碎了|摔坏|压坏|收到.{0,3}坏|少件|少发|漏发|发错|缺件/gu],
  ["ship-from", /(从)?(哪里|哪儿|哪|什么地方|啥地方)(个?仓库?)?发(货|出)?|发货地|发货仓|仓库在/gu],
  [
    "arrival",
    /(多久|几天|几号|什么时候|啥时候|何时|明天|后天|今天|大后天|周[一二三四五六日末]|\d+号|\d+天|月底|节前|过年前|年前)(内|前|之前)?(能|可以|会|就)?(送?到(?!账)|收到?|拿到)|到货|送达|能到|时效|(快递|物流).{0,3}(快|慢)|要(多久|几天)$|到\p{Script=Han}{2,5}(要|得)?(几|多少)天|路上(多久|几天)/gu,
  ],
  ["carrier", /(什么|啥|哪个|哪家|用|发|走|是|指定).{0,3}(快递|物流)|顺丰|中通|圆通|申通|韵达|京东快递|邮政|快递/gu],
  [
    "ship-time",
    /(多久|几天|几号|什么时候|啥时候|何时|今天|今晚|明天|当天|多长时间|几小时|马上|立即|立刻|能)(内|下单|拍|买|之内)?.{0,3}(发货|发出|发$|发[?？吗呢啊呀不]|能发|发走|寄)|发货时间|发货快|(?<!快递)发货$|^发货|现货(吗|么)|(多久|几天)发/gu,
  ],
  ["freight", /包邮|免邮|运费|邮费|快递费|邮寄费|要(邮|运)费/gu],
  ["exchange", /换货|换(个|一)?(码|尺码|颜色|尺寸|大一?号|小一?号|大的|小的)|能换|可以换|调换|怎么换/gu],
  [
    "return",
    /退货|退换|退款|退(吗|么|不|嘛)|能退|可以退|包退|退的|[七7]天|30天|无理由|不(喜欢|合适|满意|想要).{0,6}(退|怎么办)|怎么退|退回|试用/gu,
  ],
  ["invoice", /发票|开票|专票|抬头|税号/gu],
  ["warranty", /质保|保修|三包|包换|坏了|不转了|不亮了|失灵|质量问题|售后|维修|换新/gu],
  ["cash-on-delivery", /货到付款|先收货|先用后付/gu],
  ["instalments", /花呗|分期|白条|月付/gu],
  ["pay", /(怎么|如何|什么|哪种)(付款|支付|付钱)|微信(支付|付)|支付宝|付款方式|信用卡/gu],
  [
    "coupon-ways",
    /券.{0,5}(怎么|在哪|哪里|哪儿|咋|叠|几张|一起)|(怎么|在哪里?|哪里|咋)领|领券(怎么|在)|叠加|福袋|几张券/gu,
  ],
  ["address", /改地址|地址(填|写)?错|换地址|(修改|改一?下?)(收货)?地址/gu],
  ["cancel", /取消订单|不想要了|撤单/gu],
  ["urge", /催(一下)?发货|催单|还没发|没收到|物流不动|没到货/gu],
  ["authentic", /正品|真货|假货|假一赔|保真|真的假的|专柜|授权|官方的/gu],
  [
    "wash",
    /机洗|手洗|干洗|水洗(吗|么|不)|怎么洗|如何洗|能洗|好洗|洗涤|清洗|缩水|掉色|褪色|下水|度洗|水温|咋洗|怎样洗/gu,
  ],
  ["colour-difference", /色差|颜色.{0,6}(一样|准|差|一致)|(实物|图片).{0,6}(一样|一致|区别)/gu],
  ["size-guide", /尺码|穿(多大|什么|啥|几)|(什么|啥|多大|哪个|几)码|买多大|选(多大|什么)|偏[大小]/gu],
  ["service-hours", /客服.{0,6}(几点|上班|下班|在线|在吗|在不|时间|没人)|几点(上班|下班)|人工客服/gu],
  ["points", /积分|会员/gu],
  ["gift-wrap", /礼品袋|礼品包装|包装(盒|好|精美)|贺卡/gu],
  ["order", /怎么(下单|买|拍|购买)|如何(下单|购买)|在哪(里)?(买|拍|下单)|哪里(买|拍|下单)|咋(买|拍|下单)/gu],
];

/** Topics of a shop question, most special first. */
export function topicsOf(text: string): string[] {
  let rest = normaliseForMatch(text);
  const found: string[] = [];
  for (const [topic, words] of TOPICS) {
    const masked = rest.replace(words, " ");
    if (masked !== rest) found.push(topic);
    rest = masked;
  }
  // "到货碎了" is not about when it comes.
  return found.includes("damage") ? found.filter((topic) => topic !== "arrival") : found;
}

/** The entry that fits best, if one fits well enough. */
export function matchFaq(question: string, entries: readonly FaqFact[]): FaqMatch | null {
  const pairs = pairsOf(toPlain(question));
  const topics = topicsOf(question);
  const scored = entries.map((entry) => ({ entry, score: scoreOf(entry, pairs, topics) }));
  const best = scored.toSorted((a, b) => b.score - a.score)[0];
  return best === undefined || best.score < SCORE_MIN ? null : best;
}

function scoreOf(entry: FaqFact, pairs: ReadonlySet<string>, topics: readonly string[]): number {
  const wordings = [entry.question, ...(entry.similar ?? [])];
  const alike = Math.max(...wordings.map((wording) => likeness(pairs, pairsOf(toPlain(wording)))));
  const asked = new Set(topicsOf(wordings.join("\n")));
  const shared = topics.filter((topic) => asked.has(topic)).length;
  // A different topic on both sides: the same little words make two questions look alike.
  if (topics.length > 0 && asked.size > 0 && shared === 0) return alike >= 0.9 ? alike : 0;
  const told = topics.filter((topic) => topicsOf(entry.answer).includes(topic)).length;
  if (topics.length === 0) return alike >= ALIKE_MIN ? alike : 0;
  const share = shared / topics.length;
  return alike * 0.5 + share * 0.55 + (shared === 0 ? (told / topics.length) * 0.45 : 0);
}

/** Dice, or how much of the shorter text the longer one holds, which weighs less: clipped questions are short. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const smaller = Math.min(a.size, b.size);
  const containment = smaller < 3 ? 0 : countShared(a, b) / smaller;
  return Math.max(diceOf(a, b), containment * 0.75);
}
