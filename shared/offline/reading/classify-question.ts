/** What a viewer wants, by word lists that can be read and argued about. A question may want several things. */
import { normaliseForMatch } from "../../core/text.ts";

export type Intent =
  | "human"
  | "contact"
  | "other-shop"
  | "private-life"
  | "off-topic"
  | "medical"
  | "complaint"
  | "own-order"
  | "price-future"
  | "restock"
  | "size-advice"
  | "experience"
  | "compare"
  | "total"
  | "price"
  /** A bare 多少: a price, unless it is asked of a property that no list here knows. */
  | "amount"
  | "list-price"
  | "bargain"
  | "promotion"
  | "gift"
  | "stock"
  | "link"
  | "how-to-order"
  | "recommend"
  | "sells"
  | "intro"
  | "praise"
  | "greeting";

/** In order of answering. A question in one spelling without spaces is tested; product names were taken out. */
const INTENTS: readonly (readonly [Intent, RegExp])[] = [
  ["human", /真人|机器人|是不是人|(是|个)ai|ai(主播|吗)|数字人|录播|虚拟(人|主播)|人工智能/u],
  [
    "contact",
    /(微信(?!支付|付|能付|可以付)|加v|加微|加个?(好友|群)|威信|vx|qq群?|电话|手机号|私聊|私信|联系方式|扫码|进群)/u,
  ],
  [
    "other-shop",
    /(别|其他|其它|隔壁|人家|另一?)(家|的?店|的?直播间|的?平台|的?主播|的?品牌|的?牌子)|他店|淘宝|天猫|拼多多|拼夕夕|pdd|(?<!发|用|走)京东(?!快递|物流)|抖音|快手|小红书|唯品会|闲鱼|某宝|某东|实体店|专柜价|官网(价|便宜|卖)|(网上|外面|超市).{0,8}(便宜|贵|才|只要)/u,
  ],
  [
    "private-life",
    /(你|主播|小姐姐|小哥哥|姐姐|哥哥)(今年|有|是|的)?(多大(?!码|号|尺)|几岁|叫什么|叫啥|结婚|有?对象|男朋友|女朋友|单身|哪里人|哪儿人|住哪|工资|收入|身高|体重|多高|多重|生日|星座)/u,
  ],
  [
    "off-topic",
    /股票|基金|彩票|政治|总统|选举|打仗|战争|天气|新闻|世界杯|比赛|球队|唱(一?首|一?个|两句)?歌|唱一?(首|个)|跳(个|支)?舞|讲(个)?(笑话|故事)|写(一)?(首|篇|段)|作业|翻译|算命|星座|明星|八卦|数学题|编程|写代码|等于几|圆周率|游戏(代练|账号)|贷款|赌/u,
  ],
  [
    "medical",
    /治(疗|好|病|失眠|脚气|颈椎)|疗效|功效|失眠|颈椎病|风湿|关节炎|降血(压|糖)|减肥|瘦身|抗癌|助眠|安神|药(效|用)|睡不着|管用|管不管用|过敏|湿疹|打呼噜|打鼾/u,
  ],
  [
    "complaint",
    /投诉|举报|骗(人|子|钱|我)|(臭|难看|难用|气|烂)死|不转了|不亮了|坏了|碎了|破了|说好的.{0,8}没|赠品呢|我(自己)?(还要)?出钱|假货|垃圾|差评|坑人|太坑|什么破|破东西|退钱|赔(偿|钱|我)|气死|态度(差|不好|恶劣)|虚假宣传|黑心|质量(太|真|好|也太)?差|烂(透|货|东西)|曝光你|12315|消协|无良|太让人失望|再也不买/u,
  ],
  [
    "experience",
    /(有|谁|哪位)[^，,。]{0,6}(穿|用|买|睡|吃|坐)过|姐妹.{0,8}(说说|好不好|怎么样)|回购|评价(怎么样|咋样|好不好|多)|好评|口碑|反馈(怎么样|咋样|好)/u,
  ],
  [
    "own-order",
    /我(的|昨天|前天|上次|上周|买|下|拍|那|这).{0,8}(订单|快递|包裹|单|没发|没到|没收到|发货了|到哪|坏了|破了|少了|发错)|催(一下|下|催)?(发货|单|快递|$)|还没(发|收到|到)|没收到|物流(不动|没更新|停)|(查|看)(一下|下)?(我的)?(订单|物流|单号)|到哪(了|里)|漏发|发错|少发|(改|换|填错|写错)(一?下|了)?(收货)?地址|地址(错|填错|写错|改)|取消订单|不想要了|收到.{0,6}(破|坏|烂|少|错)/u,
  ],
  [
    "price-future",
    /(以后|之后|过几天|明天|后天|下次|下周|下个月|双十?一|双11|双十二|双12|618|大促|过年|年货节|年底|下播后?).{0,10}(便宜|降|涨|贵|价|活动|优惠|多少|钱)|会(不会)?(再|还)?(降价|涨价|降|涨)|还(会|能)(再)?(降|便宜)|历史(最)?低|最低价|全网最?低|史低|(之前|上次|昨天|以前|前几天).{0,8}(便宜|才|只要|卖)|最低了|涨价了|降价了/u,
  ],
  [
    "restock",
    /补货|(什么时候|啥时候|几时|多久|还会)(再)?(有货|来货|上架|上新|返场|补|上(?!链接|播))|到货通知|预售|能再上/u,
  ],
  [
    "size-advice",
    /身高|体重|穿(多大|什么|啥|几|哪个)码?|(什么|啥|多大|哪个|几)码|\d{2,3}(斤|kg|公斤).{0,8}(穿|码|能|合适|用|选|拍)|(用|选|拍|买)(哪个|几|多大)(号|码|的|$)|拍多大|1(米|\.)?[4-9]\d?.{0,6}\d{2,3}斤|小个子.{0,4}(能|可以|适合)|胖(人|子|妹).{0,4}(穿|能)|偏(大|小)(吗|么|嘛|不)|码数|尺码(表|准|标准)/u,
  ],
  [
    "compare",
    /区别|差别|有(什么|啥)不(同|一样)|哪一?(个|款|种|条|件|套|床)[^，,。？?]{0,4}(更|比较)?(好|划算|适合|合适|厚|大|软|值|便宜|贵|重|轻|暖|舒服|推荐)|选哪|对比|比较|怎么选|还是.{1,14}(好|划算|合适|推荐)/u,
  ],
  [
    "list-price",
    /原价|划线价|吊牌价|日常价|平时(多少|卖|价)|打几折|(?<![团拼]购?)便宜(了)?多少(?!.{0,4}[凑团])|省多少/u,
  ],
  [
    "bargain",
    /便宜(点|些|一点|不)|再便宜|能便宜|可以便宜|能少|少(点|一点|几块|个?\d+块)(?!.{0,3}货)|优惠点|砍价|讲价|还价|打个?折|抹(个)?零|刀一刀|能不能便宜|太贵|好贵|贵了|这么贵|有点贵|贵啊|贵死/u,
  ],
  [
    "gift",
    /赠品|有?送(什么|啥|东西|礼品|礼物(?!的)|小样|不送)|有(没有)?送|买赠|买.{0,8}送|附赠|买一?送|带赠|(?<!能|可以|会|配|派|包)(送|赠)(?!货|到|达|运费险).{0,6}(吗|么|嘛|不)/u,
  ],
  [
    "promotion",
    /优惠|活动|券|折扣|满减|拼团|成团|团购|几人团|半价|打折|福利|第二件|红包|立减|返现|满\d+|新(人|客|用户).{0,4}(券|优惠|价|福利|减|便宜)/u,
  ],
  [
    "price",
    /多少(钱|块|元|米$)|几(块|元)|价格|价钱|价位|什么价|啥价|咋卖|怎么卖|多钱|几钱|售价|报价|报个?价|¥|￥|贵不贵|贵吗|卖多少|(一|每|单)(件|条|个|套|床|盒|把|双|只|瓶|袋)(是)?多少(?!克|斤|g|片|颗)|price|howmuch|价$|价[?？啊呀吗]|分别多少|(?<![误温色])差多少(钱|$|[?？])|差价|一样价|一个价|同价|多少米(?=$|[?？!！啊呀呢哦喔嘛吖哇宝亲])/u,
  ],
  ["amount", /(?<![剩长宽高厚重直径大有])多少(?=$|[?？!！啊呀呢哦喔嘛吖哇宝亲一]| )/u],
  [
    "stock",
    /(还|现在)?有(没有)?现?货|库存|还剩|剩(多少|几|下)|还有(吗|么|没|多少|几|不|嘛)|卖(完|光|没)|售罄|没货|缺货|断货|断码|抢(光|完|没)|还有没有|拍不了|够不够|能拍吗|有货/u,
  ],
  [
    "link",
    /(几|多少)号链接|(是|在|拍|上|点)(几|多少)号(?!发|到|能)|哪个链接|链接(是)?(多少|几|哪|在)|什么链接|(?<!到|截止)几号(?=$|[?？啊呀呢吖])|求链接|上链接|挂链接/u,
  ],
  [
    "how-to-order",
    /^(我)?(想)?(要|来)(一|1|两|2)(个|件|套|条|只|盒|双|张)$|怎么(下单|买|拍|购买)|如何(下单|购买)|在哪(里|儿)?(买|拍|下单)|哪里(买|拍|下单)|咋(买|拍|下单)|点哪|怎么付款/u,
  ],
  [
    "recommend",
    /推荐|有(什么|啥)(好|商品|产品|卖|东西|可以|适合|便宜)|(都|还)(有|卖)(什么|啥|哪些|别的)(?!的?(颜?色|规格|尺|码|款|型号|口味|系列|味|$|东西在))|(?<!颜色|规格|尺寸|尺码|款式|花色|口味|优惠|活动|券|都)有哪些(?!颜色|规格|尺|码|券|优惠|活动|款式|花色)|\d+(元|块|块钱)?(以内|以下|之内|左右|内的)|(最|比较)?便宜的(是|有)|最便宜|送(老人|长辈|爸妈|妈妈|爸爸|女朋友|男朋友|朋友|闺蜜|老婆|老公|孩子)/u,
  ],
  ["sells", /(有|卖)(没有|不卖)?[^，,。]{0,8}(吗|么|嘛|没|不|[?？]|$)|有卖|卖不卖/u],
  [
    "intro",
    /介绍|讲(讲|解|一下)|说(说|一下)这|怎么样|咋样|好不好|好用(吗|么|不)|卖点|特点|有什么好|是什么(?=$|[?？啊呀东])|是啥(?=$|[?？啊呀])|干(什么|嘛|啥)用/u,
  ],
  ["praise", /好看|漂亮|喜欢|真不错|支持|爱了|加油|666|厉害|种草|已拍|拍了|下单了|买了|棒|可爱|哈哈|好听|好美/u],
  [
    "greeting",
    /你好|哈喽|hello|^hi|嗨|(晚上|早上|中午|下午|大家|主播)好|来了|来啦|报到|签到|打卡|刚来|前排|路过|早安|晚安/u,
  ],
];

/** A narrow intent explains words that a wide one would take too. */
const HIDES: Readonly<Partial<Record<Intent, readonly Intent[]>>> = {
  "private-life": ["off-topic", "intro", "greeting", "praise", "size-advice"],
  "off-topic": ["intro", "sells", "praise"],
  "other-shop": ["amount", "compare", "bargain", "price-future", "sells", "price"],
  "price-future": ["promotion", "bargain", "recommend", "price", "sells"],
  "list-price": ["amount", "bargain", "promotion", "price"],
  complaint: ["praise", "bargain", "intro"],
  "own-order": ["praise", "stock", "complaint", "sells", "price"],
  restock: ["stock", "sells"],
  gift: ["promotion", "sells", "recommend"],
  promotion: ["sells"],
  bargain: ["intro", "sells"],
  experience: ["intro", "sells", "praise", "size-advice", "how-to-order"],
  compare: ["recommend", "intro", "sells", "bargain", "praise"],
  total: ["price", "amount", "sells", "promotion"],
  price: ["amount", "sells", "intro", "praise", "link"],
  stock: ["sells"],
  recommend: ["intro", "sells", "praise", "price"],
  "size-advice": ["sells"],
  "how-to-order": ["intro"],
  link: ["sells", "how-to-order"],
};

export type QuestionReading = {
  readonly intents: readonly Intent[];
  /** Pieces that a price is asked for; 1 when not said. */
  readonly quantity: number;
  /** "100以内": yuan. */
  readonly budget: number | null;
};

/** Money words that only make sense with arithmetic: the price after a coupon. */
const AFTER_COUPON =
  /券后|到手|(用|领|减|叠加?|使)(了|完|上)?(优惠)?券(后|完|以后|之后|了)?.{0,4}(多少|几|价)|减完|优惠(完|后|下来)|算下来|实付|折后|满减后|最后多少/u;
const PRICE_WORD = /多少|几(块|元)|价|怎么算|咋算/u;
const QUANTITY =
  /(\d{1,3}|[一二两三四五六七八九十]|几)(件|条|个|套|床|盒|把|双|只|瓶|袋|张|对|块|份|箱|包)(?!套|钱|月|人|色|码|号|尺|装)/gu;
const CHINESE_DIGITS = "零一二三四五六七八九十";

/** Reads a question whose product names were taken out. */
export function classifyQuestion(text: string): QuestionReading {
  const plain = normaliseForMatch(text);
  const quantity = readQuantity(plain);
  const wantsTotal = AFTER_COUPON.test(plain) || (quantity > 1 && PRICE_WORD.test(plain));
  const found = INTENTS.filter(([, words]) => words.test(plain)).map(([intent]) => intent);
  const all: Intent[] = wantsTotal ? ["total", ...found] : found;
  const hidden = new Set(all.flatMap((intent) => HIDES[intent] ?? []));
  const budget = /(\d{1,6})(?:元|块|块钱)?(?:以内|以下|之内|左右|内的)/u.exec(plain)?.[1];
  return {
    intents: all.filter((intent) => !hidden.has(intent)),
    quantity,
    budget: budget === undefined ? null : Number(budget),
  };
}

function readQuantity(plain: string): number {
  const words = [...plain.matchAll(QUANTITY)].map(([, word = ""]) => word);
  const numbers = words.map((word) =>
    /^\d/u.test(word) ? Number(word) : CHINESE_DIGITS.indexOf(word.replace("两", "二")),
  );
  return Math.max(1, ...numbers.filter((number) => number > 0 && number <= 999));
}
