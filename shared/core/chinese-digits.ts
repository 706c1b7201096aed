/** Digits that are read one by one, as in phone numbers: 幺 is how 1 is said there. */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ...Array.from("零一二三四五六七八九", (char, value) => [char, value] as const),
  ...Array.from("〇壹贰叁肆伍陆柒捌玖", (char, value) => [char, value] as const),
  ["○", 0],
  ["幺", 1],
  ["两", 2],
  ["貳", 2],
  ["參", 3],
  ["陸", 6],
]);

/** The value of one Chinese digit; `undefined` for every other character, Arabic digits included. */
export function digitValueOf(char: string): number | undefined {
  return DIGITS.get(char);
}
