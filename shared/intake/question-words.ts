/** Words that viewers use for one another, in the order in which they are replaced. Data of `message-key.ts`. */

/** A pattern and what stands in its place. */
export type Replacement = readonly [pattern: RegExp, by: string];

/** Slips, puns and pinyin before their words. Only where the sound's own word makes no sense in a shop: 稀饭, 童鞋 are goods. */
export const HOMOPHONES: readonly Replacement[] = [
  [/啥/gu, "什么"],
  [/神马|什摸|什木|甚么/gu, "什么"],
  // Alone it is food.
  [/虾米(?=时候|颜|色|材|料|价|东西|意思|快递|牌|活动|优惠)/gu, "什么"],
  [/咋|肿么|如何/gu, "怎么"],
  // 大米有货吗 and 积木有吗 are about goods.
  [/(?<![\u4e00-\u9fff](?<![有还都也就的了色码号款货钱么]))[木米莫冒]有|没得|木得|没油/gu, "没有"],
  [/有冇/gu, "有没有"],
  [/冇/gu, "没有"],
  [/灰常/gu, "非常"],
  [/阔以/gu, "可以"],
  [/(?<=[真假])滴/gu, "的"],
  [/銭/gu, "钱"],
  [/多儿钱/gu, "多少钱"],
  [/酱紫|介样/gu, "这样"],
  [/仲有/gu, "还有"],
  [/嘅/gu, "的"],
  [/包[油游]/gu, "包邮"],
  [/便谊/gu, "便宜"],
  [/发霍/gu, "发货"],
  [/库纯/gu, "库存"],
  [/优会|优汇/gu, "优惠"],
  [/(?<=优惠|领|用|有|满减)[卷劵]/gu, "券"],
  [/连接(?!线|器)/gu, "链接"],
  [/多少前(?=$| )/gu, "多少钱"],
  // 绳子多少米 asks how long.
  [/(?<=(?:^| |[号个款件套条双只](?:链接)?))多少米(?=$|[ 啊呀哦呢])/gu, "多少钱"],
  [/(?<![a-z])(?:dsq|duo ?shao ?qian|how ?much)(?![a-z])/gu, "多少钱"],
  [/(?<![a-z])jg(?![a-z])/gu, "价格"],
  [/(?<![a-z])zg(?![a-z])/gu, "这个"],
  [/(?<![a-z])sf(?![a-z])/gu, "顺丰"],
  [/(?<![a-z])kd(?![a-z])/gu, "快递"],
  [/(?<![a-z])yhq(?![a-z])/gu, "优惠券"],
  [/(?<![a-z])fahuo(?![a-z])/gu, "发货"],
  [/(?<![a-z])baoyou(?![a-z])/gu, "包邮"],
  [/(?<![a-z])what(?=价)/gu, "什么"],
  [/(?<![a-z])sm(?=时候)/gu, "什么"],
  [/(?<=多少)(?:q|rmb)(?![a-z])/gu, "钱"],
];

/** Whom a viewer calls. Words that goods have too (老板椅, 亲子装) are no call. */
const NAMES =
  "主播|播主|小姐姐|小哥哥|(?:姐姐|哥哥|家人们?)(?!能?[用穿吃喝戴盖])|美女|帅哥|宝宝们|宝子们?|宝贝们|亲们|亲爱的|老铁们?|姐妹们|兄弟们|老板娘?(?![椅桌台杯电油])|亲(?![子肤测戚人自情手水近密妈爸])";
/** The same as the name of a baby or of a product: a call only right after the end of a question. */
const SHORT_NAMES = "宝宝|宝贝|姐姐|哥哥|姐|哥|宝|亲";
/** After a name: the question is about that person. 主播多高 is not 多高. */
const PERSONAL =
  "身|穿|今年|几岁|多[高重大]|年[龄纪]|叫|结婚|单身|有对象|有男朋|有女朋|哪里?儿?人|住|的|嗓|声|是|长|好";
const PARTICLES = "啊呀哦喔哇啦咯呗哟噢诶吖";

/** Politeness, calls and particles, on text with a space at each end of a clause. They ask nothing. */
export const FILLERS: readonly Replacement[] = [
  [/(?:我?想)?(?:请问|咨询|问)一?下|请问|我?想(?:问问?|知道)/gu, ""],
  [/(?<=^| )(?:麻烦|劳驾|求问)[您你]?(?![吗么不])/gu, ""],
  [/(?<=^| )(?:有人在?[吗么]|在[吗么]|在不在?(?= |$)|[你您]好 )/gu, ""],
  [
    new RegExp(
      `(?<=^| )(?:(?:${NAMES}|宝宝(?= |$|[${PARTICLES}])|宝贝(?= |$|[${PARTICLES}]))[${PARTICLES}]*)+(?!${PERSONAL})`,
      "gu",
    ),
    "",
  ],
  // 送小姐姐, 我是老板, 喜欢主播: part of what is said.
  [new RegExp(`(?<![送给是和跟的爱欢为合])(?:${NAMES})[${PARTICLES}]*(?= |$)`, "gu"), ""],
  [new RegExp(`(?<=[${PARTICLES}呢吧吗嘛么钱货邮不没])(?:${SHORT_NAMES})[${PARTICLES}]*(?= |$)`, "gu"), ""],
  [/一下(?![单子])/gu, ""],
  [/(?<!娃|哇)[哈呵嘻嘿]{2,}/gu, ""],
  [new RegExp(`[${PARTICLES}吗㗎]|(?<!干)嘛`, "gu"), ""],
  // 什么, 怎么, 毛呢, 吧台 and 哈密瓜 are words; at the end of a clause these are not.
  [/(?:[呢吧哈嗯咩]|(?<![什怎那这多要])么)+(?= |$)/gu, ""],
];

/** A yes-or-no question has one form: 能不能退, 能退不 are 能退. Still with a space at each end of a clause. */
export const YES_OR_NO: readonly Replacement[] = [
  [/([\u4e00-\u9fff]{1,2})不\1/gu, "$1"],
  // 有没发货的吗 asks who has nothing yet.
  [/有没有|有没(?![收发拍抢到买洗用穿吃坏])/gu, "有"],
  // 有运费险木; but 有积木, 有沉香木 are wood.
  [/(?<=(?<!没)有\S{0,10})(?:没有?|(?<=[有货险码号券款的了])木)(?= |$)/gu, ""],
  [/(?<=\S)不(?= |$)/gu, ""],
  [/没有/gu, "没"],
  [/是否可以|是否能|可以|能否|可否|能够/gu, "能"],
  [/是否/gu, "是"],
  // 便宜一点 is 便宜点; 十一点 is a time.
  [/(?<![第十零二三四五六七八九])一(?=[点些])/gu, ""],
];

/** Words of one meaning before the one that stands for all. On text without spaces, its numbers in digits. */
export const SAME_WORDS: readonly Replacement[] = [
  // Units.
  [/(?<=\d)块钱?(\d)(?!\d)/gu, ".$1元"],
  [/(?<=\d)块钱/gu, "元"],
  [/(?<=\d)米([1-9])(?![\d.])/gu, ".$1米"],
  [/(?<=\d)(?:cm|公分)/gu, "厘米"],
  [/(?<=\d)(?:kg|千克)/gu, "公斤"],
  [/(?<=\d)m(?![a-z码号])/gu, "米"],
  [/(?<=体重\d{2,3})斤/gu, ""],
  [/(?<=(?<![a-z])(?:\d?x{0,4}[sl]|m))码/gu, ""],
  // Links: 1号链接, 链接1, 1号宝贝.
  [/(\d+)(?:号?链接|号(?:商品|产品|宝贝|品))/gu, "$1号"],
  [/链接(\d+)号?/gu, "$1号"],
  [/(?<=\d号)[跟与](?=\d+号)/gu, "和"],
  // The product on screen, and the shop, are meant anyway. 这个和那个 names two.
  [/(?<![和跟与比])这[个款件条套双只种](?![和跟与比])(?=.)|(?<=[^和跟与比])这[个款件条套双只种]$/gu, ""],
  [/你们?[家店]|咱们?[家店]|你们|咱们/gu, ""],
  [/现在(?=有|还|能|多少|什么价|怎么卖)/gu, ""],
  // Postage. Who pays for sending back is another question, and so is insurance.
  [
    /(?<![退换不没谁].{0,4})(?:免|需要|要|有|收|出|付|是|多少)*(?:邮费|运费)(?![险券谁])(?:是|需要|要)*(?:多少钱?|几块钱?|怎么算)?/gu,
    "包邮",
  ],
  [/免邮/gu, "包邮"],
  // Price. 原价, 差价 and 券后价 are others; 怎么卖这么贵 complains.
  [/几多/gu, "多少"],
  // 一盒几块 may ask how many are in it.
  [/(?<!少)多钱|几(?:块(?<!\d[盒包袋箱份套].{0,2})|元)(?=$|1)|几块钱|几钱/gu, "多少钱"],
  [/多少(?:块钱|元钱|块(?<!\d[盒包袋箱份套].{0,3})(?=$)|元(?=$)|大洋|银子)/gu, "多少钱"],
  [/怎么个?卖法?(?=$)|怎么个卖/gu, "怎么卖"],
  [
    /(?:怎么|多少钱?)卖(?![这那得完光断])|(?:什么|多少)价(?:格|钱|位)?|卖(?:多少钱?|什么价)|报个?价|售价(?:多少钱?)?/gu,
    "多少钱",
  ],
  [
    /(?<![原差特均总降涨半评低底惠后手播团员购间场零批前新旧样])价[格钱位][是要]*(?:多少钱?)?$|(?<=^|\d号)价$/gu,
    "多少钱",
  ],
  // 还要多少钱 asks what is to be paid on top, 都要多少钱 what all cost.
  [/(?<![还都是需要卖得])(?:是|需要|要|卖|得)+(?=多少钱)/gu, ""],
  [/(?<=^|\d号)多少(?:1个)?$/gu, "多少钱"],
  [/(?<=多少钱)1个$/gu, ""],
  // Time of sending.
  [/几时|何时|什么时间|什么时(?!候)/gu, "什么时候"],
  [
    /(?:什么时候|多久|几天|多长时间)[内后]?能?发(?:货(?!地)|出?$)|发货(?:需要|要)?(?:什么时候|多久|几天|多长时间)/gu,
    "什么时候发货",
  ],
  [/[发走用是]什么(?:快递|物流)/gu, "什么快递"],
  // Time of arrival. 什么时候到货 may ask for new stock.
  [/多长时间/gu, "多久"],
  [/(?:几天|多久)能?(?:收到|送到|到货?)$/gu, "几天能到"],
  // Choice and stock.
  [/有哪些|有哪几[款种个](?=颜|色|尺|码|口味|规格)/gu, "有什么"],
  [/都有|还有/gu, "有"],
  [/什么色(?![差号系])/gu, "什么颜色"],
  [/([红橙黄绿青蓝紫黑白灰粉棕咖])(?:颜色|色)?的/gu, "$1色"],
  [/(?<=.)的$/gu, ""],
  [/现货/gu, "货"],
  [/(?<=.)有货(?![源架了])|有货(?=[^源架了])/gu, "有"],
  [/^有$/gu, "有货"],
  [/(?<=没货|没|完|光|罄|断货)了$/gu, ""],
  // The rest.
  [/支持(?=[退换])/gu, "能"],
  [/^是(?=正品|纯|全|真|什么)/gu, ""],
  // 会便宜吗 is about another day, 便宜吗 about now.
  [/(?<![不机协社开聚学])会(?=掉|起球|起毛|缩|褪|变形|变硬|坏|生锈|过敏|漏|勒|闷|扎|皱|粘|串味)/gu, ""],
  [/怎么使用/gu, "怎么用"],
  [/穿多大$/gu, "穿什么码"],
  [/([退换])货(?![运险款邮率])/gu, "$1"],
  [/怎么(?:下单|购买|拍|买)/gu, "怎么买"],
  [/(?<=[穿拍买选要])(?:多大|几|哪个|什么)的?尺?码/gu, "什么码"],
  [/(?<=^|\d号)便宜[点些]$|能再?便宜[点些]/gu, "能便宜"],
  [/哪[里儿]/gu, "哪"],
];

/** They change no question. 了, 能 and 会 do: 发货了吗 is not 发货吗. */
export const FUNCTION_CHARACTERS = /[的是在就都也还]/gu;

/** Each with what it denies. */
export const NEGATIONS = /[不没别无非未勿].?/gu;
