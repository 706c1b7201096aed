/** Finds the numbers of a sentence with what they count: Arabic or Chinese, whole, with decimals, as ranges or about so much. */
import { CHINESE_NUMBER_CHARS, parseChineseNumber, parseGuess } from "./chinese-number.ts";
import { toCommonCharacters } from "./fold-text.ts";
import {
  AFTER_BARE_PRICE,
  BEFORE_PRICE,
  PIECE,
  dealRoleOf,
  unitAfter,
  type DealRole,
  type NumberKind,
  type Unit,
} from "./number-units.ts";

export type FoundNumber = {
  readonly kind: NumberKind;
  /** In the kind's common measure. */
  readonly value: number;
  /** The other end of a guess (两三天), else `value` again. */
  readonly upTo: number;
  /** As written, before the unit's factor: what a fact without unit is compared with. */
  readonly bare: number;
  /** How exact it is meant: `over` 30多, `under` 不到40, `near` 40左右, `guess` 两三 (one of two). */
  readonly exact: "exactly" | "over" | "under" | "near" | "guess";
  /** True for the number of pieces that are left: 还有3件, 库存12. */
  readonly isStock: boolean;
  /** True for words that count nothing: 一下, 这两款, 第二步, 1. at the start of a list; never in an offer. */
  readonly isIdle: boolean;
  /** True when no unit of any kind stands beside it. */
  readonly isUnitless: boolean;
  /** True when the text asks about or orders this many: 买2件. */
  readonly isOrdered: boolean;
  /** What a count is in an offer (买一送一, 两件包邮, 前三名); `null` outside of one. Never idle. */
  readonly deal: DealRole | null;
  /** True for 第2件: a rank is no amount. */
  readonly isRank: boolean;
  /** The number with its unit, as written. */
  readonly written: string;
};

const ARABIC = "\\d{1,3}(?:,\\d{3})+(?!\\d)(?:\\.\\d+)?|\\d+(?:\\.\\d+)?";
const CHINESE = `[${CHINESE_NUMBER_CHARS}]+(?:点[零一二三四五六七八九]+)?`;
const NUMBER = new RegExp(`(${ARABIC})|(${CHINESE})`, "gu");

/** Words with a numeral in them that say no number. Names of days are none either. */
const IDIOMS = new RegExp(
  [
    "双(?:11|12|十一|十二|十|旦)|618(?=活动|大促|期间|的时候)|12315|三八节|六一(?:节|儿童节)|五一(?:节|假期)|十一(?:假期|长假)|七夕|88VIP|95后|00后|90后|80后",
    "四(?:季|周|处|面|方|射|溢|川|海)|五(?:颜六色|花八门|彩|金|官|谷|湖四海|星级?)|六(?:神|边形)|七(?:彩|分裤|分袖|上八下)|八(?:卦|宝)|九(?:分裤|分袖|宫格)|五分(?:裤|袖)|三分(?:裤|袖)",
    "十(?:分(?!钟)|足|全|字|万火急)|(?<![一二两三四五六七八九])十(?:几|来)|百(?:搭|变|货|姓|合|般|叶|年好合|褶|褶裙|科|炼|看不厌)|千(?:万(?=[别不要记])|鸟格|层|禧|丝|秋)|万(?:能|一|向|圣|人迷|事|分|物|用|全)|亿(?:万|点)|成千上万|千千万万",
    "三(?:明治|文鱼|角|餐|伏|宫|亚|思|七|防|无产品|合一|包)|二(?:手|维码|胎|战|次元)|一(?:二三|五一十|清二楚|心一意)|二话不说|三心二意|接二连三|丢三落四|三三两两|乱七八糟|一举两得|一石二鸟|数一数二|略知一二|百里挑一",
  ].join("|"),
  "gu",
);

/** Traditional characters of offers that the common table does not have. */
const OFFER_CHARACTERS: ReadonlyMap<string, string> = new Map([
  ["贈", "赠"],
  ["賠", "赔"],
  ["郵", "邮"],
  ["減", "减"],
  ["換", "换"],
  ["費", "费"],
  ["購", "购"],
]);

const CHAR_WINDOW = 10;

let last: { readonly source: string; readonly numbers: readonly FoundNumber[] } = { source: "", numbers: [] };

/** The numbers of a text, from left to right. The result of the last call is kept: hooks look at the same sentence in turn. */
export function extractNumbers(source: string): readonly FoundNumber[] {
  if (last.source !== source) last = { source, numbers: extract(source) };
  return last.numbers;
}

function extract(source: string): FoundNumber[] {
  if (!HAS_NUMERAL.test(source)) return [];
  const text = readable(source);
  const drafts: Draft[] = [];
  for (const match of text.matchAll(NUMBER)) {
    const before = drafts.at(-1);
    if (before !== undefined && match.index < before.end) continue;
    const draft = toDraft(text, match);
    if (draft !== null) drafts.push(draft);
  }
  joinRanges(text, drafts);
  return drafts.map((draft) => toFound(text, draft));
}

const HAS_NUMERAL = new RegExp(`[\\p{N}${CHINESE_NUMBER_CHARS}貳參陸萬億兩半]`, "u");

/** One spelling: full width to half, traditional to simplified; the Chinese comma stays one, for it parts numbers. */
function readable(source: string): string {
  const halfWidth = source
    .replaceAll("，", "、")
    .normalize("NFKC")
    .replaceAll(/[\p{Cf}\p{M}]/gu, "");
  return toCommonCharacters(halfWidth)
    .replaceAll(/[贈賠郵減換費購]/gu, (char) => OFFER_CHARACTERS.get(char) ?? char)
    .replaceAll(/(?<!\d)[ \t]+|[ \t]+(?!\d)/gu, "")
    .replaceAll(/百分之一百|百分之百|百分百/gu, "100%")
    .replaceAll(/半价|半折/gu, "5折")
    .replaceAll(IDIOMS, (idiom) => "□".repeat(idiom.length));
}

type Draft = {
  readonly start: number;
  end: number;
  readonly value: number;
  readonly guess: readonly [number, number] | null;
  readonly isChinese: boolean;
  unit: Unit | null;
  /** Set where the unit's factor is already in it: 39块9, 1米8, 八五折, 百分之二十. */
  readonly finished: number | null;
};

function toDraft(text: string, match: RegExpMatchArray): Draft | null {
  const [raw, arabic] = match;
  const start = match.index ?? 0;
  const value = arabic === undefined ? parseChineseNumber(raw) : Number(arabic.replaceAll(",", ""));
  if (value === null) return null;
  const base = { start, value, guess: arabic === undefined ? parseGuess(raw) : null, isChinese: arabic === undefined };
  const end = start + raw.length;
  const multiplier = MULTIPLIERS.find(([, after]) => after.test(text.slice(end, end + 3)));
  if (multiplier !== undefined && arabic !== undefined) {
    const scaledEnd = end + 1;
    return {
      ...base,
      value: value * multiplier[0],
      end: scaledEnd,
      unit: unitAfter(text.slice(scaledEnd, scaledEnd + CHAR_WINDOW)),
      finished: null,
    };
  }
  return finishSpecial(text, { ...base, end, unit: null, finished: null });
}

const MULTIPLIERS: readonly (readonly [number, RegExp])[] = [
  [10_000, /^万|^[wW](?=[+人件条单个粉多]|$)/u],
  [100_000_000, /^亿/u],
  [1_000, /^千(?!克|米|瓦)|^[kK](?=[+人件条单个粉])/u],
  [100, /^百(?=[件元块个多])/u],
];

/** Numbers whose unit stands inside them or before them. */
function finishSpecial(text: string, draft: Draft): Draft {
  const after = text.slice(draft.end, draft.end + CHAR_WINDOW);
  const special = withFraction(draft, after) ?? withParts(draft, after);
  if (special !== null) return special;
  if (text.slice(0, draft.start).endsWith("百分之")) {
    return { ...draft, unit: { kind: "percent", factor: 1, written: "" }, finished: draft.value };
  }
  const unit = unitAfter(after);
  // 85折 and 八五折 are 8.5.
  return { ...draft, unit, finished: unit?.kind === "discount" && draft.value >= 10 ? draft.value / 10 : null };
}

const FRACTION_AFTER =
  /^(块|元|米)(\d{1,2}|[零一二三四五六七八九]{1,2})(?![\d.个件条瓶双盒套斤张款万千百十折天年块元]|包(?!邮))(?:毛|角)?(?:\d分|[一二三四五六七八九]分)?/u;

/** 39块9, 1米75. */
function withFraction(draft: Draft, after: string): Draft | null {
  const [written, word, digits] = FRACTION_AFTER.exec(after) ?? [];
  if (written === undefined || digits === undefined) return null;
  const unit: Unit = word === "米" ? { kind: "length", factor: 1_000, written } : { kind: "price", factor: 1, written };
  return {
    ...draft,
    end: draft.end + written.length,
    unit,
    finished: (draft.value + fractionOf(digits)) * unit.factor,
  };
}

const PARTS_AFTER = /^分之(\d+(?:\.\d+)?|[零一二三四五六七八九十]+(?:点[零一二三四五六七八九]+)?)/u;

/** 三分之一 as percent. */
function withParts(draft: Draft, after: string): Draft | null {
  const [written, digits] = PARTS_AFTER.exec(after) ?? [];
  const part = digits === undefined ? null : numberOf(digits);
  if (written === undefined || part === null || draft.value === 0) return null;
  const unit: Unit = { kind: "percent", factor: 1, written };
  return { ...draft, end: draft.end + written.length, unit, finished: (part / draft.value) * 100 };
}

function numberOf(text: string): number | null {
  return /^\d/.test(text) ? Number(text) : parseChineseNumber(text);
}

/** 9 of 39块9 is 0.9, 75 of 1米75 is 0.75. */
function fractionOf(digits: string): number {
  const value = numberOf(digits) ?? 0;
  return Array.from(digits).length === 1 ? value / 10 : value / 100;
}

const BETWEEN = /^(?:到|至|~|-|—|–|\/|\*|x|X|×|乘以?|\+|、|和|跟|或者?|比)+$/u;

/** The first number of 3到5天, 200*230cm or 39、49元 has the unit of the last. */
function joinRanges(text: string, drafts: Draft[]): void {
  for (let index = drafts.length - 2; index >= 0; index -= 1) {
    const [left, right] = [drafts[index], drafts[index + 1]];
    if (
      left === undefined ||
      right === undefined ||
      left.unit !== null ||
      right.unit === null ||
      right.unit.kind === "link"
    )
      continue;
    if (!BETWEEN.test(text.slice(left.end, right.start))) continue;
    const { factor } = right.unit;
    left.unit = {
      kind: right.unit.kind,
      factor: right.unit.kind === "discount" && left.value >= 10 ? factor / 10 : factor,
      written: "",
    };
  }
}

function toFound(text: string, draft: Draft): FoundNumber {
  const before = text.slice(Math.max(0, draft.start - CHAR_WINDOW), draft.start);
  const after = text.slice(draft.end, draft.end + CHAR_WINDOW);
  const kind = kindOf(draft, before, after);
  const isPlain = kind === "count" && draft.unit === null;
  const isStock = isPlain && isAboutStock(before, after);
  const deal = isStock || kind !== "count" ? null : dealRoleOf(before, text.slice(draft.start, draft.end), after);
  const written = draft.finished === null ? (draft.unit?.written ?? "") : "";
  return {
    kind,
    ...valuesOf(draft, kind, { before, after }),
    isStock,
    isIdle: deal === null && isIdle(draft, { kind, isStock, before, after }),
    isUnitless: isPlain && AFTER_BARE_PRICE.test(after),
    isOrdered: isPlain && /(?:买|拍|要|下单|带|囤|拿|来|加购)(?:了|上|您|够)?$/u.test(before),
    deal,
    isRank: before.endsWith("第"),
    written: text.slice(draft.start, draft.end) + written,
  };
}

type Around = { readonly before: string; readonly after: string };

function valuesOf(
  draft: Draft,
  kind: NumberKind,
  { before, after }: Around,
): Pick<FoundNumber, "value" | "upTo" | "bare" | "exact"> {
  const { finished, guess, value } = draft;
  if (finished !== null)
    return { value: finished, upTo: finished, bare: value, exact: exactnessOf(draft, before, after) };
  const factor = kind === "count" ? 1 : (draft.unit?.factor ?? 1);
  if (guess !== null && kind !== "discount" && kind !== "price") {
    return { value: guess[0] * factor, upTo: guess[1] * factor, bare: guess[0], exact: "guess" };
  }
  return { value: value * factor, upTo: value * factor, bare: value, exact: exactnessOf(draft, before, after) };
}

/** 2026年 is a date. */
const YEARS_MIN = 1_900;

function kindOf(draft: Draft, before: string, after: string): NumberKind {
  if (/[¥￥]$/u.test(before)) return "price";
  if (draft.unit !== null) return kindOfUnit(draft, draft.unit, { before, after });
  if (/(?:链接|连结|No\.?|NO\.?|#)$/u.test(before) && Number.isInteger(draft.value)) return "link";
  return BEFORE_PRICE.test(before) && AFTER_BARE_PRICE.test(after) ? "price" : "count";
}

function kindOfUnit(draft: Draft, unit: Unit, { before, after }: Around): NumberKind {
  // 12月3号 is a date.
  if (unit.kind === "link") return before.endsWith("月") || !Number.isInteger(draft.value) ? "count" : "link";
  if (unit.kind === "months" && draft.value >= YEARS_MIN) return "count";
  // 一块 without 钱 is a piece, or "together".
  if (unit.written === "块" && draft.isChinese && draft.value === 1 && !after.startsWith("块钱")) return "count";
  return unit.kind;
}

const STOCK_BEFORE =
  /(?:还有|还剩|只剩|仅剩|剩下?|剩余|库存|现货|仅有|最后|余下)(?:有|还有|是|只有|最后|大概|约|不到|为|共|:)*$/u;
const STOCK_AFTER = new RegExp(`^(?:多|几|来)?(?:$|[,、。!?~…]|了|${PIECE}(?!颜色|色|款式|尺码|规格|码|花色|味))`, "u");

function isAboutStock(before: string, after: string): boolean {
  return STOCK_BEFORE.test(before) && STOCK_AFTER.test(after);
}

function exactnessOf(draft: Draft, before: string, after: string): FoundNumber["exact"] {
  const unit = draft.unit?.written ?? "";
  const rest = draft.finished === null ? after.slice(unit.length) : after;
  if (/^(?:多|几|来|余)/u.test(after) || /^(?:多|出头|以上)/u.test(rest)) return "over";
  if (/(?:不到|不足|低于|不超过|少于)$/u.test(before) || /^(?:钱)?(?:以内|以下|不到|之内|内)/u.test(rest))
    return underOf(draft);
  return /(?:约|大概|差不多|将近|接近)$/u.test(before) || /^(?:钱)?(?:左右|上下)/u.test(rest) ? "near" : "exactly";
}

/** "48小时内发货" quotes a limit; "不到40块" is looser than the price. */
function underOf(draft: Draft): FoundNumber["exact"] {
  return draft.unit?.kind === "price" || draft.unit === null ? "under" : "exactly";
}

type Context = {
  readonly kind: NumberKind;
  readonly isStock: boolean;
  readonly before: string;
  readonly after: string;
};

function isIdle(draft: Draft, { kind, isStock, before, after }: Context): boolean {
  if (isStock || kind === "link") return false;
  if (before.endsWith("第")) return true;
  if (kind === "count") return draft.isChinese ? isIdleChinese(draft) : isIdleArabic(draft, before, after);
  // 一天穿下来, 一年四季: one of a time is a claim only beside a promise.
  if ((kind === "time" || kind === "months") && draft.isChinese && draft.value === 1) {
    return !/(?:质保|保修|保质|包退|包换|退|换|发|到|内|以内)/u.test(before.slice(-4) + after.slice(0, 6));
  }
  return false;
}

/** 一下, 两款, 三种, outside of an offer: small words that count what everyone sees. 四 and above are figures. 零 alone begins 零食, 零下. */
function isIdleChinese(draft: Draft): boolean {
  return draft.value <= 3;
}

/** 1. at the start of a list; A4, H20, 3C, 5G: names. */
function isIdleArabic(draft: Draft, before: string, after: string): boolean {
  if (draft.start === 0 && draft.value < 20 && /^[.、)）](?!\d)/u.test(after)) return true;
  if (/(?:^|[^A-Za-z])[A-Za-z]-?$/u.test(before)) return true;
  return draft.value < 10 && /^[DGCKdck](?![A-Za-z])/u.test(after);
}
