/** One spelling of a bullet comment: its letters and digits, with one space wherever anything else stood. */
import { SIMPLIFIED, TRADITIONAL } from "./traditional-characters.ts";

const SIMPLER: ReadonlyMap<string, string> = new Map(
  Array.from(TRADITIONAL, (char, index) => [char, SIMPLIFIED.charAt(index)]),
);

/** Pictures that platforms send as text. Any bracketed word would be too much: viewers write [蓝色] too. */
const PICTURES =
  /\[(?:微笑|大笑|笑哭|偷笑|尬笑|呲牙|可爱|害羞|调皮|捂脸|流泪|大哭|哭|泪奔|惊讶|发怒|生气|抠鼻|色|看|舔屏|酷拽?|机智|疑问|思考|赞|强|鼓掌|感谢|抱抱|比心|爱心|心|玫瑰|鲜花|礼物|庆祝|烟花|干杯|加油|胜利|ok|OK|666|给力|奋斗|送心|灵机一动|吃瓜群众|吐舌)\]/gu;

/** Faces made of signs in brackets, with hands: o(╥﹏╥)o. A sign that is no mark of a text must be in it: (M/L) and (XL?) ask. */
const FACES =
  /(?:(?<![a-zA-Z])[a-zA-Zヽヾ＼\\])?[(（][^()（）\p{Script=Han}0-9]{0,12}[^\p{L}\p{N}\s()（）/,，、+~.&*×?？!！:：;；=<>¥￥$%#'"-][^()（）\p{Script=Han}0-9]{0,12}[)）](?:[a-zA-Zノﾉوづっ](?![a-zA-Z]))?/gu;

/** Faces made of letters. */
const LETTER_FACES = /(?<![a-z0-9])(?:t_+t|q[aw]q|q_+q|orz|tat|[ou][wv][ou]|o_+o|x_+x|0_+0|xd)(?![a-z0-9])/gu;

/** Numbers in circles, brackets and with points. Each is a number of its own: ①② is not twelve. */
const NUMBER_SIGNS = /[\u2460-\u249b\u24ea\u2776-\u2793]/gu;
const FIRST_WHITE_ON_BLACK = 0x2776;

/** Parts that are drawn on or between other characters: accents, skin of pictures, keycaps, zero width. */
const UNSEEN = /[\p{M}\p{Cf}]/gu;

/**
 * Lower case, NFKC, simplified characters. Points inside numbers and % after them stay. A space stands for signs, pictures
 * and white space, so that the ends of clauses can still be found; none for what is not seen.
 */
export function spellMessage(text: string): string {
  if (last.text !== text) last = { text, spelt: spell(text) };
  return last.spelt;
}

/** The result of the last call is kept: what a message asks and whether it asks at all are read one after the other. */
let last = { text: "", spelt: "" };

function spell(text: string): string {
  return text
    .replaceAll(PICTURES, " ")
    .replaceAll(FACES, " ")
    .replaceAll(NUMBER_SIGNS, spellNumberSign)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(UNSEEN, "")
    .replaceAll(/\p{Script=Han}/gu, (char) => SIMPLER.get(char) ?? char)
    .replaceAll(LETTER_FACES, " ")
    .replaceAll(/[^\p{L}\p{N}.%]+/gu, " ")
    .replaceAll(/(?<!\d)[.%]|\.(?!\d)/gu, " ")
    .replaceAll(/ {2,}/gu, " ")
    .trim();
}

/** NFKC knows the others, and not white numbers on black: ❶ to ❿, twice more in other types. */
function spellNumberSign(sign: string): string {
  const code = sign.charCodeAt(0);
  return code < FIRST_WHITE_ON_BLACK ? ` ${sign}` : ` ${((code - FIRST_WHITE_ON_BLACK) % 10) + 1}`;
}
