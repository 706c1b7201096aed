/** Chinese numbers in digits: 三号 and 3号 are one link, 一百二 and 120 one price. */

const DIGITS = "零一二三四五六七八九";
const NUMBER = /[零〇一二两三四五六七八九十][零〇一二两三四五六七八九十百千]*/gu;
const PLACES = /^(?:(.)千)?零?(?:(.)百)?零?(?:(.?)十)?零?(.)?$/u;

/**
 * Each Chinese number in digits, up to 9,999. Digits without places are separate numbers (三五天 is 3,5天); a comma also
 * parts a number from digits beside it. What is no number (三四十) stays. 一 in other words (一样) becomes 1 too: as a key
 * it only has to be the same each time.
 */
export function toArabicNumbers(text: string): string {
  return text.replaceAll(NUMBER, (chinese: string, at: number, whole: string) => {
    const number = readNumber(chinese.replaceAll("〇", "零").replaceAll("两", "二"));
    if (number === null) return chinese;
    const before = isDigitAt(whole, at - 1) ? "," : "";
    const after = isDigitAt(whole, at + chinese.length) ? "," : "";
    return before + number + after;
  });
}

function readNumber(chinese: string): string | null {
  if (chinese === "零") return null;
  if (!/[十百千]/u.test(chinese)) return Array.from(chinese, valueOf).join(",");
  const places = PLACES.exec(chinese);
  if (places === null) return null;
  const [, thousands, hundreds, tens, ones] = places;
  if ([thousands, hundreds, tens, ones].some((char) => char !== undefined && char !== "" && valueOf(char) < 1))
    return null;
  return String(
    valueOf(thousands ?? "零") * 1_000 +
      valueOf(hundreds ?? "零") * 100 +
      (tens === undefined ? 0 : valueOf(tens || "一") * 10) +
      valueOf(ones ?? "零") * placeOfLast(chinese),
  );
}

/** 一百二 is 120 and 两千五 is 2500; 一百零二 is 102. */
function placeOfLast(chinese: string): number {
  const before = chinese.at(-2);
  if (before === "百") return 10;
  return before === "千" ? 100 : 1;
}

function valueOf(char: string): number {
  return DIGITS.indexOf(char);
}

function isDigitAt(text: string, at: number): boolean {
  return /\d/u.test(text.charAt(at));
}
