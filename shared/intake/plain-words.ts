/** One spelling of bullet comments for finding words: folded, and with the slips and puns of live rooms undone. */
import { foldText } from "../agent/checks/fold-text.ts";
import { SIMPLIFIED, TRADITIONAL } from "./traditional-characters.ts";

/** Folding knows only the characters that its word lists need. */
const SIMPLER: ReadonlyMap<string, string> = new Map(
  Array.from(TRADITIONAL, (char, index) => [char, SIMPLIFIED.charAt(index)]),
);

/** Typed by sound, or as a pun on it, where the sound's own word makes no sense. */
const BY_SOUND: readonly (readonly [RegExp, string])[] = [
  [/肿么/gu, "怎么"],
  [/神马|什摸|什木/gu, "什么"],
  // 大米有货吗 and 积木有吗 are about goods.
  [/(?<![\u4e00-\u9fff](?<![有还都也就的了色码号款货钱么]))[木米莫]有/gu, "没有"],
  [/连接(?!线|器|wifi|蓝牙)/gu, "链接"],
  [/(?<=优惠|领|用|有|消费|发|代金|满减)[卷劵]|[卷劵](?=后|吗|怎么领)/gu, "券"],
  [/优会|优汇/gu, "优惠"],
  [/包油|包游/gu, "包邮"],
  [/便谊/gu, "便宜"],
  [/多少(?:前|銭)/gu, "多少钱"],
  [/库纯/gu, "库存"],
  [/发霍|(?<![a-z])fahuo(?![a-z])/gu, "发货"],
  [/(?<![a-z])baoyou(?![a-z])/gu, "包邮"],
  [/(?<![a-z])yhq(?![a-z])/gu, "优惠券"],
  [/(?<![a-z])jg(?![a-z])/gu, "价格"],
  [/(?<![a-z])sf(?![a-z])/gu, "顺丰"],
  [/(?<![a-z])sm(?=时候)/gu, "什么"],
  [/(?<=多少)q(?![a-z])/gu, "钱"],
];

/** One spelling, character by character: no spaces and signs, simplified, lower case, clauses parted by their marks. */
export function foldMessage(text: string): string {
  if (last.text !== text) last = { text, folded: fold(text) };
  return last.folded;
}

/** The result of the last call is kept: intents, links and names of a message are read one after the other. */
let last = { text: "", folded: "" };

function fold(text: string): string {
  return foldText(text).text.replaceAll(/\p{Script=Han}/gu, (char) => SIMPLER.get(char) ?? char);
}

/** The folded text with slips and puns in the words that they stand for. */
export function toPlainWords(text: string): string {
  return BY_SOUND.reduce((plain, [pattern, word]) => plain.replaceAll(pattern, word), foldMessage(text));
}
