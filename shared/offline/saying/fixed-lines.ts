/** What is said where no fact can be: short, true in any shop, and without a promise. */
import type { Topic } from "../reading/follow-rules.ts";

/** Several wordings of not knowing: a blocked or repeated one is followed by the next. */
export const UNKNOWN_LINES: readonly string[] = [
  "这个我这边的资料里没有写，不敢乱说，您下单前可以问下店铺客服哈。",
  "这个暂时没查到，以商品页面写的为准。",
  "这一点我没有准信，就不给您乱说了。",
];

/** Ends a reply whose other sentences were refused. */
export const CLOSING_LINES: readonly string[] = ["其他的以商品页面写的为准哈。", "还想了解哪一款，直接告诉我。"];

export const NOT_FOUND_LINES: readonly string[] = [
  "这个刚才没查到，先不给您报数，以商品页面为准哈。",
  "这个现在没查到准信，就不乱说了。",
];

export const INJECTION_LINE = "这个我做不了哈，咱们还是看商品，想看哪一款告诉我几号链接。";
export const GREETING_LINE = "欢迎来到直播间，想看哪一款直接打链接号，我给您讲。";
export const SMALL_TALK_LINE = "谢谢宝宝陪着，想看哪一款告诉我几号链接。";
export const PRAISE_LINE = "谢谢宝宝喜欢。";
export const HUMAN_LINE = "我是AI主播，商品的事您尽管问。";
export const TOTAL_ON_PAGE_LINE = "合计和券后价以下单页面显示的为准哈。";
export const WHICH_LINE = "您说的是哪一款呢，打一下几号链接，我马上给您说。";
export const UNKNOWN_PRODUCT_LINE = "您说的这款直播间里没有找到，要是有链接号，打给我看一下哈。";
export const OWN_ORDER_LINE = "您那一单直播间这边看不到，麻烦在订单页看一下，或者找店铺客服处理哈。";
export const COMPLAINT_LINE = "给您添麻烦了，很抱歉。";
export const HANDED_OVER_LINE = "您的情况已经登记给人工客服了。";
export const NOT_HANDED_OVER_LINE = "您在订单页申请售后，店铺客服会按页面上的规则处理。";

/** How a topic is declined, by rule or because nobody could know. */
export const DECLINES: Readonly<Partial<Record<Topic, string>>> = {
  arrival: "具体哪天到我不能给您打包票，以物流信息为准哈。",
  "other-shop": "别家的情况我不了解，也不做比较，咱们只说自家这款。",
  bargain: "价格我这边改不了，按直播间现在的价来。",
  "price-future": "后面的价格和活动我说不准，只能说现在的。",
  gift: "赠品以商品页面写明的为准，我这边不能另外加哈。",
  experience: "别人用下来怎么样我不能替他们说，商品评价里可以看一下哈。",
  medical: "功效这块我不能乱说，身体上的事请问医生，我只讲商品资料里写的。",
  contact: "直播间不加联系方式哈，有事找店铺客服就行。",
  restock: "什么时候补货我这边没有准信，以商品页面为准。",
  "size-advice": "尺码我这边没有准信，不给您乱推，您看一下商品页的尺码说明哈。",
  "private-life": "我是AI主播，私事就不聊啦，咱们看商品。",
  "off-topic": "这个我不懂，咱们还是聊商品哈。",
  return: "退款和赔付的事我不能替客服答应，请在订单页申请，以页面为准。",
  "stock-count": "具体还有多少件我不方便报，下单页能拍就是有货。",
};

/** A rule of the merchant's that names a topic of its own. */
export const RULE_DECLINE_LINE = "这个我不方便说，咱们还是看商品哈。";
