/**
 * Words that China's advertising law and the rules made under it forbid in offers: absolute (article 9), official,
 * miraculous and medical (articles 17 and 28). The list is what platforms' reviewers stop; it is no legal advice.
 */
import type { HookCheck } from "../../contract/harness-bundle.ts";
import { compileWordList, type WordListOptions } from "./find-words.ts";
import type { CompiledCheck } from "./finding.ts";
import { toCheck } from "./forbidden-words.ts";

type AdvertisingLaw = Extract<HookCheck, { type: "advertising-law" }>;

/** What follows 最 to make a claim. 最近, 最后, 最多, 最少, 最早, 最晚, 最终 are none, so they are not here. */
const SUPERLATIVES =
  "好 佳 优 优惠 优秀 优质 便宜 低 低价 高级 高端 高档 高等级 高品质 高 强 大 大牌 新科技 新技术 先进 受欢迎 受好评 流行 时尚 时髦 火 火爆 热 热销 畅销 " +
  "舒服 舒适 柔软 适合 安全 有效 管用 耐用 正宗 地道 顶级 奢华 豪华 实惠 划算 值 值得 赚 牛 棒 美 漂亮 好看 好用 好吃 好喝 好闻 好穿 健康 " +
  "天然 环保 专业 权威 具 完美 极致 尖端 靠谱 可靠 放心 懂 快见效 潮 爽 香 甜 纯 全 齐全 超值 省钱 省心 有名 著名 知名 保暖 透气 显瘦 显白 精致 精美 经典 厉害 高性价比 有性价比";

const WORDS: readonly string[] = [
  ...SUPERLATIVES.split(" ").map((word) => `最${word}`),
  ...words(
    "第一 NO.1 numberone TOP1 销量冠军 冠军品质 唯一 独一无二 绝无仅有 史无前例 前无古人 空前绝后 举世无双 天下无双 盖世 仅此一家 首屈一指",
  ),
  ...words(
    "顶级 顶尖 顶峰 巅峰 极品 极致 极佳 绝佳 终极 王牌 之王 至尊 殿堂级 教科书级 宇宙级 世界级 国家级 国际级 全球级 大师级 航天级 军工级",
  ),
  ...words(
    "领袖品牌 领导品牌 领导者 领先品牌 遥遥领先 世界领先 国际领先 国内领先 行业领先 全球领先 引领者 缔造者 开创者 行业标杆",
  ),
  ...words(
    "全网最低价 全网最低 全网最 全国最 全球最 世界最 史上最 历史最 宇宙最 同行最 全网底价 全网低价 历史低价 史低 击穿底价 全网首发 全球首发 全国首发 全国首家 全球首家 地表最强",
  ),
  ...words(
    "绝对 百分百有效 百分之百有效 永久 永远不会 永不 万能 零风险 零副作用 无副作用 无毒副作用 无任何副作用 无效退款 立竿见影 一次见效 一用就好 包治 包退烧",
  ),
  ...words(
    "根治 治愈 治疗 疗效 特效 速效 奇效 神效 神药 药到病除 百病 抗癌 防癌 抗肿瘤 降血压 降血糖 降血脂 降三高 消炎 杀菌消炎 祖传 秘方 秘制药 宫廷秘方 干细胞 换肤",
  ),
  ...words(
    "国宴 特供 专供 国家领导人 领导人推荐 机关推荐 国家推荐 央视推荐 国家免检 质量免检 免检产品 免抽检 驰名商标 中国驰名 老字号认证 国旗 国徽",
  ),
  ...["100%", "百分百", "百分之百", "百分之一百"].flatMap((all) =>
    words("有效 安全 见效 治愈 成功 无害 无副作用 满意 保证 可靠 放心 不掉色 不起球 不反弹 好评").map(
      (claim) => all + claim,
    ),
  ),
];

const EXCEPTIONS: readonly string[] = [
  // Order and time, not rank.
  ...words(
    "第一次 第一步 第一句 第一件 第一单 第一时间 第一个 第一款 第一位 第一眼 第一天 第一批 第一排 第一遍 第一页 第一条 第一季 第一层 第一轮 第一档 第一张",
  ),
  ...words(
    "第一瓶 第一盒 第一行 第一种 第一点 第一口 第一包 第一袋 第一双 第一套 第一组 第一样 第一人称 第一手 第一年 第一周 第一月 第一格 第一键 第一部分",
  ),
  // "You had better": advice, not praise.
  ..."不 别 先 是 提前 手洗 冷水 用冷 用温 用中性 用软 用专 用湿 用干 用洗衣袋 选 在 找 阴干 晾 避 平铺 单独 分开 反面 翻 隔 咨询 问 看一 看看 看下 量 再 把 还是 能 要 按 以 放 减少 等 多 少 跟 和 换 穿 确认 查 去 尽快 当天 趁 及时 每 一次 三 两 控制 低温 常温 冷藏 密封 不要 干洗 轻柔"
    .split(" ")
    .map((verb) => `最好${verb}`),
  // Measures: the ends of a range that a product has.
  ..."承重 号 码 尺寸 尺码 功率 容量 续航 直径 长度 宽度 高度 厚度 负载 转速 风量 面积 音量 档 的码 的号 限度 的区别 的不同 的特点 的优点 的好处 的缺点"
    .split(" ")
    .map((noun) => `最大${noun}`),
  ..."温度 水温 可 支持 转速 温 耐温 承重 时速 档 限 能 不超过 水位".split(" ").map((noun) => `最高${noun}`),
  ..."温度 水温 可 支持 温 耐温 档 限 能 水位 起订 消费 零下 音量".split(" ").map((noun) => `最低${noun}`),
  ...words("最热的时候 最热的天 最热那 最热天 最火的时候 最强档 最全身"),
  ...words(
    "绝对值 绝对零度 绝对湿度 唯一码 唯一编码 唯一编号 唯一的区别 唯一区别 唯一要注意 唯一需要注意 唯一不同 唯一的缺点 唯一缺点 唯一识别",
  ),
  ...words(
    "万能胶 万能遥控 万能插 万能扳手 永久性 极致版 绝版书 国际级别 特供应 治疗仪 医用治疗 无消炎 特效药请 消炎药请",
  ),
];

/** "第一，它是纯棉的" counts points. */
const OPENINGS: readonly string[] = ["第一，", "第一、", "第一：", "第一是", "第一呢", "第一就是"];

/** The shipped list with the harness's own words, replacements and exceptions beside it. */
export function advertisingLaw(options: Pick<AdvertisingLaw, "words" | "replacements" | "exceptions">): CompiledCheck {
  return toCheck(compileWordList(withShipped(options)));
}

const shipped = compileWordList(withShipped({ words: [], replacements: {}, exceptions: [] }));

/** Shipped words in a text, as written there: for lines that are spoken without passing a hook. */
export function findAdvertisingWords(text: string): string[] {
  return [...new Set(shipped.find(text).map((hit) => hit.written))];
}

function withShipped(options: Pick<AdvertisingLaw, "words" | "replacements" | "exceptions">): WordListOptions {
  return {
    words: [...WORDS, ...options.words],
    replacements: options.replacements,
    exceptions: [...EXCEPTIONS, ...options.exceptions],
    openings: OPENINGS,
  };
}

function words(list: string): string[] {
  return list.split(" ");
}
