/** Finds the products that a question is about. Where two fit equally it says so: a guess would quote a wrong price. */
import { normaliseForMatch } from "../../core/text.ts";
import { isClipOf, isGoods, subjectWords } from "./subject-words.ts";
import { countShared, longestRun, pairsOf, toPlain } from "./text-overlap.ts";
import type { KnownProduct, KnownWorld } from "./read-request.ts";

export type ProductReference = {
  /**
   * How `products` were found. `screen` is the default without any reference; `unclear`: `products` are the candidates,
   * and none may be answered for; `unknown-link`, `unknown-name`: a number or a name that the room does not have.
   */
  readonly how: "link" | "name" | "screen" | "heard" | "unclear" | "unknown-link" | "unknown-name" | "none";
  readonly products: readonly KnownProduct[];
  /** The question without link numbers and product names, for reading what is asked about them. */
  readonly rest: string;
};

/** Candidates that an unclear answer names. */
const CANDIDATES_MAX = 3;

const HEARD_BEFORE = /刚才|刚刚|上一个|上一款|前面(那|说|讲)|之前(那|说|讲)|刚(说|讲|介绍)/u;
const THIS_ONE = /这个|这款|这件|这套|这条|这床|这|它|屏幕上|现在(这|讲|说|播)|当前|手上/u;

const DIGITS = "零一二三四五六七八九";

/** Runs that stand in names and questions alike and tell nothing apart. */
const COMMON_RUNS =
  /^(多少|少钱|什么|怎么|有没|没有|可以|现在|价格|尺寸|规格|颜色|材质|面料|直播|链接|商品|产品|系列|设计|设计师|新款|款式|多用|多功能|套装|组合|天然|简约|北欧|日式|纯色|健康|加厚|秋冬|春夏|夏季|冬季|礼物|礼盒|纯棉|全棉|羊毛|真丝|实木|可调|调节|便携|大号|小号|单人|双人|儿童|成人|男士|女士|男式|女式|居家|家用|舒适|柔软)$/u;

/** Reads link numbers, then names, then words such as 这个 and 刚才那个; the product on screen otherwise. */
export function findProducts(question: string, world: KnownWorld): ProductReference {
  const text = normaliseForMatch(question);
  const links = linksIn(text);
  const named = findByName(stripLinks(text), world);
  if (links.length > 0) return byLinks(links, named, text, world);
  if (named.products.length > 0) return withScreen(named, text, world);
  if (HEARD_BEFORE.test(text)) return byHeard(text, world);
  if (namesUnknown(text, world)) return bySearch(text, world);
  if (world.onScreen !== null) return { how: "screen", products: [world.onScreen], rest: text };
  return { how: "none", products: [], rest: text };
}

/** Products that one spoken line names, the last named first. Used for "刚才那个". */
export function productsNamedIn(line: string, world: KnownWorld): KnownProduct[] {
  const text = normaliseForMatch(line);
  const links = linksIn(text).flatMap((link) => world.products.filter((product) => product.link === link));
  const named = findByName(stripLinks(text), world);
  return [...new Set([...links, ...(named.how === "name" ? named.products : [])])];
}

function byLinks(links: readonly number[], named: ProductReference, text: string, world: KnownWorld): ProductReference {
  const products = links.flatMap((link) => world.products.filter((product) => product.link === link));
  const rest = stripLinks(text);
  if (products.length === 0) return { how: "unknown-link", products: [], rest };
  const compared = /和|跟|与|还是|比|、/u.test(rest);
  const others = compared && named.how === "name" ? named.products : [];
  const screen = compared && THIS_ONE.test(rest) && world.onScreen !== null ? [world.onScreen] : [];
  return {
    how: "link",
    products: [...new Set([...screen, ...products, ...others])],
    rest: products.reduce(maskNames, rest),
  };
}

/** "这个和蚕丝被" asks about two products. */
function withScreen(named: ProductReference, text: string, world: KnownWorld): ProductReference {
  const screen = world.onScreen;
  const both =
    screen !== null && /(这个|这款|这件|这套|它)(和|跟|与|比)|(和|跟|与|比)(这个|这款|这件|这套|它)/u.test(text);
  if (named.how !== "name" || !both || named.products.some((product) => product.link === screen.link)) return named;
  return { ...named, products: [screen, ...named.products] };
}

function byHeard(text: string, world: KnownWorld): ProductReference {
  for (const line of world.heard.toReversed()) {
    const others = productsNamedIn(line, world).filter((product) => product.link !== world.onScreen?.link);
    if (others.length === 1) return { how: "heard", products: others, rest: text };
    if (others.length > 1) return { how: "unclear", products: others.slice(0, CANDIDATES_MAX), rest: text };
  }
  return { how: "unclear", products: [], rest: text };
}

/** Words after which a price or stock is asked of what stands before them. */
const ASKS_OF_SUBJECT = /多少|怎么卖|咋卖|价格|价钱|几(块|元|钱)|还?有货|还有(吗|没|么)|库存|剩|几号|哪个链接/u;

/** A name that no product bears: answering for the product on screen instead would quote a wrong price. */
function namesUnknown(text: string, world: KnownWorld): boolean {
  const shown = world.onScreen === null ? new Set<string>() : pairsOf(toPlain(JSON.stringify(world.onScreen)));
  const unknown = subjectWords(text).filter((run) => countShared(pairsOf(run), shown) / pairsOf(run).size < 0.5);
  return unknown.some(
    (run) => isGoods(run) || (ASKS_OF_SUBJECT.test(text.slice(text.indexOf(run) + run.length)) && !THIS_ONE.test(text)),
  );
}

/** What a search tool found for such a name. */
function bySearch(text: string, world: KnownWorld): ProductReference {
  const found = world.searched.flatMap(({ link }) => world.products.filter((product) => product.link === link));
  if (found.length === 1) return { how: "name", products: found, rest: text };
  if (found.length > 1) return { how: "unclear", products: found.slice(0, CANDIDATES_MAX), rest: text };
  return { how: "unknown-name", products: [], rest: text };
}

const LINK =
  /(?:第?(\d{1,3}|[一二三四五六七八九十两]{1,3})\s*(?:号|號)(?:链接|連結|链|宝贝|商品|款|品|连接)?)|(?:链接|連結|连接|#|no\.?|小黄车)(\d{1,3}|[一二三四五六七八九十]{1,3})|(\d{1,3})(?:链接|连接|#)/gu;

/** "15号能到吗" and "11月11号" are dates; "5号电池", "37号色" are goods. */
const NOT_A_LINK = /^(?:之?前|以前|左右|能到|可以到|会到|到货|到得|能收|收到|晚上|早上|下午|电池|色)/u;

function linkMatches(text: string): RegExpExecArray[] {
  return [...text.matchAll(LINK)].filter((match) => {
    const after = text.slice(match.index + match[0].length);
    const before = text.slice(0, match.index);
    const bare = match[0].endsWith("号") || match[0].endsWith("號");
    return !(bare && (NOT_A_LINK.test(after) || /月$|月份$/u.test(before)));
  });
}

function linksIn(text: string): number[] {
  const numbers = linkMatches(text).map((match) => toNumber(match[1] ?? match[2] ?? match[3] ?? ""));
  return [...new Set(numbers)];
}

function stripLinks(text: string): string {
  return linkMatches(text).reduceRight(
    (rest, match) => `${rest.slice(0, match.index)} ${rest.slice(match.index + match[0].length)}`,
    text,
  );
}

/** Chinese numerals up to 99 and digits. */
function toNumber(word: string): number {
  if (/^\d+$/u.test(word)) return Number(word);
  const [tens, ones] = word.replaceAll("两", "二").split("十");
  if (ones === undefined) return DIGITS.indexOf(word);
  return (tens === "" || tens === undefined ? 1 : DIGITS.indexOf(tens)) * 10 + (ones === "" ? 0 : DIGITS.indexOf(ones));
}

type Named = { readonly product: KnownProduct; readonly score: number; readonly run: string };

function findByName(text: string, world: KnownWorld): ProductReference {
  const plain = toPlain(text);
  const words = subjectWords(text);
  const scored = world.products
    .map((product) => scoreByName(plain, words, product))
    .filter((named): named is Named => named !== null)
    .toSorted((a, b) => b.score - a.score);
  const best = scored[0];
  if (best === undefined) return { how: "none", products: [], rest: text };
  const second = scored.find(({ run }) => !best.run.includes(run) && plain.replace(best.run, " ").includes(run));
  const picks = [best, ...(second === undefined ? [] : [second])].map(({ run, score }) =>
    narrow(
      scored.filter((named) => named.run === run && named.score >= score - 0.01).map(({ product }) => product),
      text,
      world,
    ),
  );
  const rest = picks.flat().reduce(maskNames, text);
  const isUnclear = picks.some((products) => products.length !== 1);
  const products = isUnclear ? (picks.find((list) => list.length > 1) ?? []) : picks.flat();
  return { how: isUnclear ? "unclear" : "name", products, rest };
}

/** Among products that fit a name equally, the one on screen is meant. */
function narrow(products: readonly KnownProduct[], text: string, world: KnownWorld): readonly KnownProduct[] {
  const shown = products.find((product) => product.link === world.onScreen?.link);
  if (shown !== undefined && !/别的|其他|另外|还有(没有)?别/u.test(text)) return [shown];
  return products;
}

/** How well a question names a product: the best of its name and aliases. */
function scoreByName(plain: string, words: readonly string[], product: KnownProduct): Named | null {
  const wholes = [product.name, ...(product.aliases ?? [])].map(toPlain);
  const ends = product.name.split(/\s+/u).map(toPlain);
  const named = [
    ...wholes.map((name) => scoreWhole(plain, name, 100)),
    ...ends.map((name) => scoreWhole(plain, name, 2)),
    ...[...wholes, ...ends].map((name) => scoreName(plain, words, name)),
  ]
    .filter((score) => score !== null)
    .toSorted((a, b) => b.score - a.score)[0];
  return named === undefined ? null : { ...named, product };
}

/** A whole name or alias scores by its length above everything else; a part of a name that spaces set off, as a part. */
function scoreWhole(
  plain: string,
  name: string,
  base: number,
): { readonly score: number; readonly run: string } | null {
  if (name.length < 2 || !plain.includes(name) || COMMON_RUNS.test(name)) return null;
  return { score: base + name.length * 2, run: name };
}

/**
 * A word of the question that the name holds, or that clips it; else the longest run that both share. Names are clipped
 * to their head, which stands last, so a run of two counts only there.
 */
function scoreName(
  plain: string,
  words: readonly string[],
  name: string,
): { readonly score: number; readonly run: string } | null {
  if (name.length < 2) return null;
  const held = words.find((candidate) => name.includes(candidate) && !COMMON_RUNS.test(candidate));
  if (held !== undefined) return { score: held.length * 2 + 2 + extraShared(plain, name, held), run: held };
  const clip = words.find((candidate) => isClipOf(candidate, name));
  if (clip !== undefined) return { score: clip.length * 2, run: clip };
  const run = longestRun(plain, name);
  const isEnd = name.endsWith(run);
  if (!/\p{L}{2}/u.test(run) || COMMON_RUNS.test(run) || (run.length === 2 && !isEnd)) return null;
  return { score: run.length * 2 + extraShared(plain, name, run) + (isEnd ? 0.5 : 0), run };
}

/** Second runs tell siblings apart: "刺绣的四件套" shares 四件套 with ten names and 刺绣 with one. */
function extraShared(plain: string, name: string, run: string): number {
  const other = longestRun(plain.replace(run, " "), name.replace(run, "\u0000"));
  return other.length >= 2 ? other.length : 0;
}

function maskNames(text: string, product: KnownProduct): string {
  return [product.name, ...(product.aliases ?? [])].reduce((rest, raw) => {
    const run = longestRun(rest, normaliseForMatch(raw));
    return run.length >= 3 || run === normaliseForMatch(raw) ? rest.replace(run, " ") : rest;
  }, text);
}
