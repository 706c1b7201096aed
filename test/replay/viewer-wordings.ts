/** What viewers of a busy room write: the same questions in many spellings, and what asks nothing. */

/** About the product on screen; most viewers ask these, whatever is sold. */
export const SCREEN_QUESTIONS = [
  "多少钱",
  "这个怎么卖",
  "还有货吗",
  "还剩多少",
  "有优惠吗",
  "有什么颜色",
  "什么材质",
  "怎么买",
  "两件多少钱",
];

/** About one product by its link number, put in for `N`. */
export const LINK_QUESTIONS = ["N号链接多少钱", "N号还有货吗", "N号有优惠吗", "N号还剩多少", "N号拍两件多少钱"];

/** Spellings of one question: signs, forms of address, full width, slang, traditional characters, twice in one message. */
export const SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `${text}？？`,
  (text) => `主播 ${text}`,
  (text) => `${text}啊`,
  (text) => `请问${text}呀`,
  (text) => text.replaceAll(/\d/gu, (digit) => String.fromCodePoint((digit.codePointAt(0) ?? 0) + 0xfee0)),
  (text) => text.replaceAll("多少钱", "多少米"),
  (text) => text.replaceAll("多少钱", "多少錢").replaceAll("号链接", "號鏈接").replaceAll("还", "還"),
  (text) => text.replaceAll("还有货吗", "还有木有货").replaceAll("多少钱", "多少💰"),
  (text) => `${text} ${text}`,
  (text) => `宝宝们 ${text} 🙏`,
];

export const EMOJI = [
  "😂😂😂",
  "[鼓掌][鼓掌]",
  "666",
  "哈哈哈哈",
  "❤️❤️",
  "。。。",
  "🌹",
  "来了来了",
  "好看好看好看",
  "👍",
];

export const ADVERTISING = [
  "加我微信abc12345领券",
  "加V信 kk88990 有内部价",
  "来我直播间，便宜一半",
  "www.hao123.top 同款九块九",
  "互关互粉",
  "日赚五百，私信我",
];

/** What a person beside the AI host says. No facts: those are the merchant's. */
export const CO_HOST_LINES = [
  "来，宝宝们看一下这个细节",
  "我给大家摸一下这个面料",
  "刚进来的宝宝点个关注",
  "这个颜色我自己也在用",
  "福袋马上就开了，大家别走开",
  "好，我们换一个角度看",
  "想要的宝宝在公屏上打个要字",
  "这一款好多老粉都回购了",
];
