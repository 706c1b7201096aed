/** Units and measure words that stand after a number. */

/** Spoken unit, its symbols. Case counts: `g` is grams and `G` memory, `w` is ten thousand and `W` watts. */
const UNITS: readonly (readonly [string, string])[] = [
  ["毫升", "ml mL ML Ml cc ㎖ ㏄"],
  ["厘升", "cl"],
  ["分升", "dl"],
  ["升", "l L"],
  ["毫克", "mg ㎎"],
  ["克", "g"],
  ["公斤", "kg KG Kg ㎏"],
  ["微克", "μg µg ug"],
  ["磅", "lb"],
  ["盎司", "oz"],
  ["毫米", "mm MM ㎜"],
  ["厘米", "cm CM ㎝"],
  ["分米", "dm"],
  ["米", "m"],
  ["公里", "km KM ㎞"],
  ["英尺", "ft"],
  ["英寸", "inch"],
  ["平方米", "m² m2 ㎡"],
  ["平方厘米", "cm² cm2"],
  ["立方米", "m³ m3"],
  ["立方厘米", "cm³ cm3"],
  ["伏", "V v"],
  ["瓦", "W"],
  ["千瓦", "kW KW kw"],
  ["千瓦时", "kWh"],
  ["瓦时", "Wh"],
  ["毫安时", "mAh mah MAH"],
  ["赫兹", "Hz hz HZ"],
  ["千赫兹", "kHz"],
  ["兆赫", "MHz"],
  ["吉赫", "GHz"],
  ["分贝", "dB db"],
  ["流明", "lm"],
  ["帕", "Pa"],
  ["千帕", "kPa"],
  ["兆帕", "MPa"],
  ["千卡", "kcal Kcal"],
  ["卡", "cal"],
  ["千焦", "kJ KJ"],
  ["转每分钟", "rpm"],
  ["摄氏度", "℃ °C"],
  ["华氏度", "℉ °F"],
  ["度", "°"],
  ["小时", "h H"],
  ["分钟", "min"],
  ["秒", "s"],
  ["毫秒", "ms"],
];
const SYMBOLS: ReadonlyMap<string, string> = new Map(
  UNITS.flatMap(([spoken, symbols]) => symbols.split(" ").map((symbol) => [symbol, spoken] as const)),
);
const SYMBOL_CHARS_MAX = 4;

/** Words before which two is 两. Not here, so 二: 月 日 号 楼 级 档 代 期 线 手 折 两 分之 … */
const TWO_WORDS =
  /^(?:分(?!之|期|类)|[核个件瓶盒包袋支条双对套只台部张片块把根颗粒杯碗桶箱罐管枚本册页份位名人天周秒点倍次遍种款色样组排层间斤克吨升米寸尺度元毛角圈轮场批户家万千亿年岁成步口顿餐勺滴束朵棵盆枝头尾匹辆架座副面门顶床盏]|小时|钟头|分钟|公斤|公里|毫|厘|英|平方|平米|立方|百万)/u;

export type SpokenUnit = { readonly spoken: string; readonly chars: number };

/** The unit symbol at a position, the longest that fits: `ml` in `50ml*2瓶`. A letter or digit after it makes it a word. */
export function findUnitSymbol(text: string, at: number): SpokenUnit | null {
  for (let chars = SYMBOL_CHARS_MAX; chars > 0; chars -= 1) {
    const symbol = text.slice(at, at + chars);
    const spoken = symbol.length === chars ? SYMBOLS.get(symbol) : undefined;
    if (spoken === undefined) continue;
    const isWhole = !/^[A-Za-z]/.test(text.slice(at + chars, at + chars + 1)) || /[^A-Za-z0-9]$/.test(symbol);
    if (isWhole) return { spoken, chars };
  }
  return null;
}

/** True when two of what `following` begins with is 两: `2件` is 两件, `2月` is 二月. */
export function takesTwo(following: string): boolean {
  return TWO_WORDS.test(following);
}
