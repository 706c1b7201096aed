import { parseChineseNumber } from "../agent/checks/chinese-number.ts";
import { foldMessage } from "./plain-words.ts";

const NUMBER = "(\\d{1,3}|[一二两三四五六七八九十]{1,3})";
const LINK = new RegExp(
  `(?:链接|连接|小黄车|no)${NUMBER}(?!\\.|[件个条块元折])|第?${NUMBER}(?:号(?:链接|连接|链|宝贝|商品|品|款)?|链接|连接)`,
  "gu",
);

/** "15号能到吗" and "11月11号" are dates; "5号电池" and "37号色" are goods. */
const NO_LINK_AFTER = /^(?:之?前|以前|左右|(?:能|可以|会)?(?:到(?!手)|收到|发货)|晚上|早上|下午|电池|色|码)/u;

/** Numbers of links that a message names: 1号, 一号链接, 链接1, #1, 1链接. Dates and sizes are none. */
export function linkNumbers(text: string): readonly number[] {
  const folded = foldMessage(text.replaceAll(/[#＃](?=\s?\d)/gu, "链接"));
  return [...folded.matchAll(LINK)].flatMap((match) => {
    const number = numberOf(match[1] ?? match[2] ?? "");
    const isBare = match[0].endsWith("号");
    const isOther =
      isBare &&
      (NO_LINK_AFTER.test(folded.slice(match.index + match[0].length)) ||
        /月(?:份)?$/u.test(folded.slice(0, match.index)));
    return number === null || isOther ? [] : [number];
  });
}

function numberOf(written: string): number | null {
  return /^\d/.test(written) ? Number(written) : parseChineseNumber(written);
}
