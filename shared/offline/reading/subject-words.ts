/** The words of a question that could name a product: what is left when the words of asking are taken away. */
import { normaliseWords, pairsOf } from "./text-overlap.ts";

/** Words of asking, addressing and counting, longest first where one holds another. */
const ASKING = new RegExp(
  [
    "请问|问一?下|想问|麻烦|主播|老板娘?|客服|小姐姐|小哥哥|姐妹们?|家人们?|老铁们?|宝子们?|宝宝们?|宝贝|亲们?|美女|帅哥|你好|您好|哈喽|嗨",
    "直播间|直播|屏幕上?|链接|小黄车|购物车|商品|产品|东西|刚才|刚刚|上一[个款]|前面|之前|现在|目前|今天|今晚|明天|当前|手上|身上|里面",
    "多少钱|多少米|多少|多钱|价格|价钱|价位|售价|报价|什么价|啥价|怎么卖|咋卖|怎么|咋样|咋|什么|啥|哪些|哪个|哪款|哪里|哪儿|哪|几号|几",
    "原价|划线价|优惠券|优惠|折扣|打折|活动|满减|券后|到手价?|用券|领券|券|福利|便宜点?|贵不贵|贵|实惠|划算|最低|最后|一共|总共|算下来",
    "还有没有|有没有|没有|还有|有货|没货|现货|库存|还剩|剩下?|卖完|售罄|补货|断货|缺货|到货|上架|下架|发货|货",
    "一?整套|可不可以|可以|能不能|(?<![功性智])能|能否|需要|想要|想买|想|要|买|拍|下单|卖|给|介绍|推荐|讲讲|讲解|讲|说说|说|看看|看|讲一下|一下|告诉|问|发|送",
    "规格|尺寸|颜色|大小|尺码|型号|款式|材质|面料|成分|产地|重量|质量|效果|特点|区别|差别",
    "分别|差价|(?<![误温色])差多少|一样|团购|拼团|成团|赠品|老粉|新人|新用户|新客|粉丝|老客|单买|单独|可选|都是|补货了|剩多少",
    "的话|适合|适用|合适|大概|左右|以内|以下|以上|之内|到底|究竟|其实|真的|一样|同款|比较|对比|对吧|是不是|是否|为什么|为啥|谢谢|求",
    "[红橙黄绿青蓝紫粉黑白灰棕咖杏驼褐]色|特大号|加大号|大号|中号|小号|均码|[一二两三四五六七八九十百千万\\d.]+(?:件|条|个|套|床|盒|把|双|只|块|元|款|张|对|号|米|斤|克|人|天|cm|m|厘米)(?!套|笠|单)",
    "[a-z]{1,4}[号码款]",
    "[这那每一](?:件|条|个|套|床|盒|把|双|只|块|款|张|对|种|边|样)?",
    "[的了吗么嘛呢啊呀吧哈哦啦喔噢诶哎欸是有没不还就都也会在到用我你您它他她们和跟与或比吃款元块钱个又再太很好多少上下后前些点里把被让]",
  ].join("|"),
  "gu",
);

/** Goods end in one of these: 蚕丝被, 电饭锅, 床笠. */
const GOODS_END =
  /[枕毯垫毡席锅灯帘椅桌柜架镜绳扇碗包箱袋鞋衣裤裙袜帽杯壶刀盘筷盆机琴钟表笔盒窝板刷巾笠单套绒酥糕粽糖茶酒奶油霜膏乳水]$|被$|床$|沙发$|手机$|玩具$|花$|伞$/u;

/** Parts of goods, which viewers ask about without meaning another product. */
const PARTS =
  /(被套|枕套|床单|床笠|枕芯|被芯|盖子|袋子|盒子|包装盒?|礼盒|套子|外套|内套|灯泡|灯罩|电池|底座|支架|带子|拉链|把手|垫子)$/u;

/** Runs of two or more characters, in order. 被 and 床 are kept where they end a word. */
export function subjectWords(question: string): string[] {
  const text = normaliseWords(question)
    .replace(/(?<=[\p{Script=Han}])被(?=子|$|多|的|有|还|怎|什|啥|几|能|会|是|套)/gu, "\u{F0001}")
    .replace(/被(?=[子芯套])/gu, "\u{F0001}");
  return text
    .replace(ASKING, " ")
    .replace(/[^\p{Script=Han}\u{F0001}]+/gu, " ")
    .replaceAll("\u{F0001}", "被")
    .split(" ")
    .filter((run) => /\p{Script=Han}{2}/u.test(run));
}

/** Neighbouring characters of the words that carry the question: 多少 and 有没有 are in every second one. */
export function contentPairs(question: string): Set<string> {
  return new Set(subjectWords(question).flatMap((word) => [...pairsOf(word)]));
}

/** Signs that something is asked or wanted; a text without any is talk. */
const WANTS =
  /吗|么|嘛|没|多少|几|怎|咋|有|卖|什|啥|哪|谁|价|[?？]|给|来|要|求|推荐|介绍|讲|说|能|可以|多|是不是|呢|不$/u;

/** Whether the text asks or wants anything. */
export function wantsSomething(question: string): boolean {
  return WANTS.test(question);
}

/** "是桑蚕丝吗": the word between, which the question wants confirmed. */
const IS_IT = /(?:是|用)(?:不是|否)?(?:真的?|纯)?(\p{Script=Han}{2,5}?)(?:的|做的|材质)?(?:吗|么|嘛|不|吧|[?？]|$)/u;

/** The word that "是…吗" asks to have confirmed of something. */
export function confirmedWord(question: string): string | undefined {
  return IS_IT.exec(question)?.[1];
}

/** True for a run that sounds like goods of some kind. */
export function isGoods(run: string): boolean {
  return !PARTS.test(run) && GOODS_END.test(run.replace(/[子头儿]$/u, ""));
}

/** True when all characters of `clipped` stand in `name` in order, ending together: 羊毛毯 for 纯羊毛盖毯. */
export function isClipOf(clipped: string, name: string): boolean {
  const chars = Array.from(clipped.replace(/(?<=.)[子头儿]$/u, ""));
  const last = chars.at(-1);
  if (chars.length < 3 || last === undefined || !name.endsWith(last)) return false;
  let at = 0;
  for (const char of chars) {
    at = name.indexOf(char, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
