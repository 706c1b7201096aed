/** What viewers' questions are about, in words that a host uses. Finer than intents: a host can speak of sizes, not of "spec". */
import type { Intent } from "../contract/intake-policy.ts";
import type { TalliedTopic } from "../contract/strategy.ts";
import { toPlainWords } from "../intake/plain-words.ts";
import { readIntents } from "../intake/read-intents.ts";

export type Topic = Pick<TalliedTopic, "intent" | "topic">;

/** On plain words; the first that fits. */
const TOPICS: readonly (readonly [Intent, RegExp, string])[] = [
  [
    "spec",
    /[尺码]码|码数|均码|尺寸|多大|大小|偏[大小]|大号|中号|小号|身高|体重|\d斤|[胖瘦]|[什么啥几哪]个?码|穿几|\d码/u,
    "尺码",
  ],
  ["spec", /色/u, "颜色"],
  ["spec", /./u, "规格"],
  ["after-sale", /发票|开票/u, "发票"],
  ["after-sale", /客服/u, "客服"],
  ["after-sale", /./u, "退换"],
  ["complaint", /./u, "投诉的事"],
  ["logistics", /邮|运费/u, "运费"],
  ["logistics", /./u, "发货"],
  ["promotion", /券/u, "优惠券"],
  ["promotion", /赠|送/u, "赠品"],
  ["promotion", /./u, "优惠"],
  ["price", /./u, "价格"],
  ["stock", /./u, "库存"],
  ["product", /材质|面料|成分|配料|料|棉|丝|皮|木|钢/u, "材质"],
  ["product", /怎么[用吃喝洗装]|用法|机洗|手洗|水洗|清洗|保养|安装|加热/u, "用法"],
  ["product", /保质期|生产日期|产地|哪里产|哪产/u, "产地和日期"],
  ["product", /孕妇|宝宝|小孩|老人|几岁|过敏|敏感|适合/u, "适合谁用"],
  ["product", /./u, "商品细节"],
  ["buy", /./u, "怎么下单"],
];

/** The topics of one message, one for each of its intents; `[]` for talk and for what no word list knows. */
export function topicsOf(text: string): Topic[] {
  const plain = toPlainWords(text);
  return readIntents(text).flatMap((intent) => {
    const topic = TOPICS.find(([of, pattern]) => of === intent && pattern.test(plain))?.[2];
    return topic === undefined ? [] : [{ intent, topic }];
  });
}
