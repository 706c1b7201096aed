/** What the reader takes from the system message: the skills on offer and the merchant's rules. It never quotes the rest. */
import { normaliseForMatch } from "../../core/text.ts";

export type SkillOffer = { readonly name: string; readonly description: string };

/** A rule that forbids a topic. */
export type TopicRule = {
  /** The rule's words after the prohibition, in one spelling. */
  readonly forbids: string;
  /** What the rule gives to say instead, when it quotes a line. */
  readonly line: string | null;
};

export type SystemReading = {
  readonly skills: readonly SkillOffer[];
  readonly rules: readonly TopicRule[];
};

/** Characters of the system message that are read: a bound on work, far above any harness. */
const SYSTEM_CHARS_MAX = 200_000;

const SKILL = /<skill>\s*<name>([^<]{1,64})<\/name>\s*<description>([^<]{1,2000})<\/description>/gu;
const SKILLS_BLOCK = /<available_skills>[\s\S]*?<\/available_skills>/gu;

/** A prohibition that is about speaking of a topic. */
const FORBIDS =
  /(?:不要|不得|不能|不可以?|不许|不准|不予|禁止|严禁|切勿|请勿|避免|别|不)(?:再|主动|随意|擅自|直接|对外|向观众|跟观众|和观众)?(承诺|保证|答应|回答|讨论|谈论|谈|聊|提及|提到|提|评价|评论|议论|透露|泄露|介绍|推荐|比较|对比|比价|与|和|跟|报|说|讲|预告|预测|议价|还价|砍价|私下|引导|索要|给出|提供)([^。；;，,\n]{0,60})/gu;

/** Prohibitions that say how to speak, not of what: "不编造价格" is no reason to keep a price back. */
const MANNER =
  /没有(依据|写|的)|没写|未(写|提供|列出)|资料(里|中)?(没|不|外)|不(存在|确定|清楚|实|知道)|虚假|夸大|编|猜|绝对化|极限词|敏感词|脏话|废话|重复|超过|多余|套话|标签|markdown|表情|列表|格式|编号/u;

const INSTEAD =
  /(?:只说|统一说|统一回复|统一回答|改说|就说|可以说|应说|请说|回复|回答)\s*[:：]?\s*[「“"『]([^」”"』]{4,120})[」”"』]/u;

/** Reads skills and rules. Rules stand one a line after `- `, as the prompt pipeline writes a merchant's; they only add up. */
export function readSystem(texts: readonly string[]): SystemReading {
  const text = texts.join("\n").slice(0, SYSTEM_CHARS_MAX);
  const skills = [...text.matchAll(SKILL)].map(([, name = "", description = ""]) => ({ name, description }));
  const rules = text.replaceAll(SKILLS_BLOCK, "").split("\n").flatMap(readRules);
  return { skills, rules };
}

function readRules(line: string): TopicRule[] {
  if (!line.startsWith("- ")) return [];
  return [...line.matchAll(FORBIDS)]
    .filter(([, , topic = ""]) => !MANNER.test(topic))
    .map(([, verb = "", topic = ""]) => ({
      forbids: normaliseForMatch(`${verb}${topic}`),
      line: INSTEAD.exec(line)?.[1] ?? null,
    }));
}
