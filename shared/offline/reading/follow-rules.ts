/** Holds a question against the merchant's prohibitions: what a rule forbids to speak of is declined, whatever the facts say. */
import type { Intent } from "./classify-question.ts";
import type { TopicRule } from "./read-system.ts";
import { countShared, pairsOf, toPlain } from "./text-overlap.ts";

export type Prohibition = { readonly rule: TopicRule; readonly topic: Topic | null };

export type Topic = Intent | "arrival" | "stock-count" | "return";

/** Words of a rule that name a topic which viewers word differently. */
const RULE_TOPICS: readonly (readonly [Topic, RegExp])[] = [
  ["arrival", /到货|送达|时效|到达|收货时间|几天到|哪天到/u],
  ["other-shop", /他店|别家|别的(店|平台|主播|直播间)|其[他它](店|平台|家|直播间|主播)|比价|同行|竞品|友商|对手/u],
  ["bargain", /议价|砍价|讲价|还价|再便宜|降价|改价/u],
  ["price-future", /降价|涨价|(后续|未来|以后|下次|之后)的?(价|活动|优惠)|预告|历史价/u],
  ["stock-count", /库存|剩余|件数/u],
  ["gift", /赠品|加送|礼品/u],
  ["medical", /功效|疗效|治疗|医疗|治病|药/u],
  ["contact", /微信|联系方式|电话|私下|站外|私聊|加群/u],
  ["restock", /补货|上新|返场/u],
  ["size-advice", /尺码|推码/u],
  ["private-life", /私事|隐私|私人|个人生活/u],
  ["off-topic", /无关|政治|时政|明星|宗教/u],
  ["return", /退款|赔偿|赔付/u],
];

/** Words that stand in many rules and name no topic. */
const EMPTY_WORD =
  /^(商品|产品|观众|直播间?|任何|具体|其他|个人|信息|内容|问题|别人|时间|价格|优惠|日期|数量|情况|话题|相关|本店|店铺|宝贝|主播)$/u;

/** The first rule that forbids one of the question's topics, or whose own words stand in the question. */
export function findProhibition(
  question: string,
  topics: readonly Topic[],
  rules: readonly TopicRule[],
): Prohibition | null {
  const plain = toPlain(question);
  for (const rule of rules) {
    const named = RULE_TOPICS.filter(([, words]) => words.test(rule.forbids)).map(([topic]) => topic);
    const topic = named.find((candidate) => topics.includes(candidate));
    if (topic !== undefined) return { rule, topic };
    if (wordsOf(rule.forbids).some((word) => stands(word, plain))) return { rule, topic: null };
  }
  return null;
}

function wordsOf(topic: string): string[] {
  const content = topic.replace(
    /^(承诺|保证|答应|回答|讨论|谈论|谈|聊|提及|提到|提|评价|评论|议论|透露|泄露|介绍|推荐|报|说|讲|预告|预测|给出|提供)/u,
    "",
  );
  if (/^[“"「『]/u.test(content)) return [];
  return content
    .split(/[、,，和与或及跟等的/（）()“”"]|关于|有关|任何/u)
    .map(toPlain)
    .filter((word) => word.length >= 2 && !EMPTY_WORD.test(word));
}

function stands(word: string, plain: string): boolean {
  if (plain.includes(word)) return true;
  const pairs = pairsOf(word);
  return pairs.size >= 3 && countShared(pairs, pairsOf(plain)) / pairs.size >= 0.6;
}
