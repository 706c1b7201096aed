/** How well a question names one product. Whole names first, then what viewers make of them: clips, parts, slips of the pen. */
import { coreOf } from "./find-skus.ts";
import type { KnownProduct } from "./read-request.ts";
import { isClipOf, isGoods } from "./subject-words.ts";
import { longestRun, toPlain } from "./text-overlap.ts";

export type NameScore = { readonly score: number; readonly run: string };

export type AskedName = {
  /** The question's letters and digits. */
  readonly plain: string;
  /** Its words that could name goods. */
  readonly words: readonly string[];
  /** Whether a word such as 真丝 may name a product: not while one is on screen, of which it may be asked. */
  readonly allowsCommon: boolean;
};

const WHOLE_NAME = 100;
const WHOLE_SPECIFICATION = 10;

/** Runs that stand in names and questions alike and tell nothing apart. */
const COMMON_RUNS =
  /^(多少|少钱|什么|怎么|有没|没有|可以|现在|价格|尺寸|规格|颜色|材质|面料|直播|链接|商品|产品|系列|设计|设计师|新款|款式|多用|多功能|套装|组合|标准)$/u;
const COMMON_PROPERTIES =
  /^(天然|简约|北欧|日式|纯色|健康|加厚|秋冬|春夏|夏季|冬季|礼物|礼盒|纯棉|全棉|羊毛|真丝|实木|可调|调节|便携|大号|小号|单人|双人|儿童|成人|男士|女士|男式|女式|居家|家用|舒适|柔软|水洗|硅胶|不锈钢|乳胶|陶瓷|圆形|防滑)$/u;

/** The best score of a product's name, aliases and specifications; `null` when the question names none of them. */
export function scoreName(asked: AskedName, product: KnownProduct): NameScore | null {
  const wholes = [product.name, ...(product.aliases ?? [])].map(toPlain);
  const parts = product.name.split(/\s+/u).map(toPlain);
  const kinds = (product.skus ?? []).flatMap((sku) => Object.values(sku.specs)).map(coreOf);
  const scores = [
    ...wholes.map((name) => scoreWhole(asked, name, WHOLE_NAME)),
    ...parts.map((name) => scoreWhole(asked, name, 2)),
    ...kinds.filter(isGoods).map((kind) => scoreWhole(asked, kind, WHOLE_SPECIFICATION)),
    ...kinds.map((kind) => scoreKind(asked, kind)),
    ...[...wholes, ...parts].map((name) => scorePart(asked, name)),
    ...wholes.map((name) => scoreGuess(asked, name, wholes)),
  ];
  return scores.filter((score) => score !== null).toSorted((a, b) => b.score - a.score)[0] ?? null;
}

function isCommon(run: string, { allowsCommon }: AskedName): boolean {
  if (COMMON_RUNS.test(run)) return true;
  return !allowsCommon && (COMMON_PROPERTIES.test(run) || COMMON_PROPERTIES.test(run.replace(/^[纯真全]/u, "")));
}

function scoreWhole(asked: AskedName, name: string, base: number): NameScore | null {
  if (name.length < 2 || !asked.plain.includes(name) || isCommon(name, asked)) return null;
  return { score: base + name.length * 2, run: name };
}

/** 粽情乡思, 茶香粉: names a product where none is on screen and nothing else does. Colours and materials are shorter. */
function scoreKind({ plain, allowsCommon }: AskedName, kind: string): NameScore | null {
  return allowsCommon && kind.length >= 3 && plain.includes(kind) ? { score: 1, run: kind } : null;
}

/**
 * A word of the question that the name holds, or that clips it; else the longest run that both share. Names are clipped
 * to their head, which stands last, so a run of two counts only there.
 */
function scorePart(asked: AskedName, name: string): NameScore | null {
  const { plain, words } = asked;
  if (name.length < 2) return null;
  const held = words.find((word) => name.includes(word) && !isCommon(word, asked));
  if (held !== undefined) return { score: held.length * 2 + 2 + extraShared(plain, name, held), run: held };
  const clip = words.find((word) => isClipOf(word, name));
  if (clip !== undefined) return { score: clip.length * 2, run: clip };
  const run = longestRun(plain, name);
  const isEnd = name.endsWith(run);
  if (!/\p{L}{2}/u.test(run) || isCommon(run, asked) || COMMON_PROPERTIES.test(run) || (run.length === 2 && !isEnd))
    return null;
  return { score: run.length * 2 + extraShared(plain, name, run) + (isEnd ? 0.5 : 0), run };
}

/** Second runs tell siblings apart: "刺绣的四件套" shares 四件套 with ten names and 刺绣 with one. */
function extraShared(plain: string, name: string, run: string): number {
  const other = longestRun(plain.replace(run, " "), name.replace(run, "\u0000"));
  return other.length >= 2 ? other.length : 0;
}

/** 镜子 for 落地镜, 牵引绳 for 自动伸缩牵引器 also called 狗绳, 蛋黄苏 for 蛋黄酥: less than any part. */
function scoreGuess({ words }: AskedName, name: string, names: readonly string[]): NameScore | null {
  for (const word of words) {
    const head = /^(.)[子头儿]$/u.exec(word)?.[1];
    if (head !== undefined && name.endsWith(head)) return { score: 1.5, run: word };
    if (isSlipOf(word, name)) return { score: word.length * 2 - 1, run: word };
    const last = word.at(-1) ?? "";
    const run = word.length >= 3 && names.some((other) => other.endsWith(last)) ? longestRun(word, name) : "";
    if (run.length >= 2 && run.length * 3 >= word.length * 2) return { score: run.length * 2 - 2, run: word };
  }
  return null;
}

/** One other character, and not in the place that says what kind of goods it is: 羊毛被 is no slip of 羊毛毯. */
function isSlipOf(word: string, name: string): boolean {
  if (word.length < 3 || word.length !== name.length) return false;
  const differing = Array.from(word).flatMap((char, index) => (char === name[index] ? [] : [index]));
  return differing.length === 1 && (differing[0] !== word.length - 1 || !isGoods(word));
}
