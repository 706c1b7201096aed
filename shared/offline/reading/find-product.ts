/** Finds the products that a question is about. Where two fit equally it says so: a guess would quote a wrong price. */
import { normaliseForMatch } from "../../core/text.ts";
import { askedGroups } from "./find-attribute.ts";
import { scoreName, type NameScore } from "./score-name.ts";
import { confirmedWord, isGoods, subjectWords } from "./subject-words.ts";
import { countShared, longestRun, normaliseWords, pairsOf, toPlain } from "./text-overlap.ts";
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

/** A second product of a question is taken from a whole name or a run of three, not from less. */
const SECOND_SCORE_MIN = 6;

/** Candidates that an unclear answer names. */
const CANDIDATES_MAX = 3;

const HEARD_BEFORE = /刚才|刚刚|上一个|上一款|前面(那|说|讲)|之前(那|说|讲)|刚(说|讲|介绍)/u;
const THIS_ONE = /这个|这款|这件|这套|这条|这床|这|它|屏幕上|现在(这|讲|说|播)|当前|手上/u;

const DIGITS = "零一二三四五六七八九";

/** Reads link numbers, then names, then words such as 这个 and 刚才那个; the product on screen otherwise. */
export function findProducts(question: string, world: KnownWorld): ProductReference {
  const text = normaliseWords(question);
  const links = linksIn(text);
  const named = findByName(stripLinks(text), world);
  if (links.length > 0) return byLinks(links, named, text, world);
  if (named.products.length > 0) return withScreen(named, text, world);
  if (HEARD_BEFORE.test(text)) return byHeard(text, world);
  if (namesUnknown(text, world)) return bySearch(text, world);
  if (world.meant !== null) return { how: "screen", products: [world.meant], rest: text };
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
  const screen = compared && THIS_ONE.test(rest) && world.meant !== null ? [world.meant] : [];
  return {
    how: "link",
    products: [...new Set([...screen, ...products, ...others])],
    rest: products.reduce(maskNames, rest),
  };
}

/** "这个和蚕丝被" asks about two products. */
function withScreen(named: ProductReference, text: string, world: KnownWorld): ProductReference {
  const screen = world.meant;
  const both =
    screen !== null && /(这个|这款|这件|这套|它)(和|跟|与|比)|(和|跟|与|比)(这个|这款|这件|这套|它)/u.test(text);
  if (screen !== null && named.how === "name" && !both && isAboutScreen(text, named)) {
    return { how: "screen", products: [screen], rest: text };
  }
  if (named.how !== "name" || !both || named.products.some((product) => product.link === screen.link)) return named;
  return { ...named, products: [screen, ...named.products] };
}

/** "3米的沙发配这个够大吗": the sofa is the viewer's. "这个四件套" and "四件套这个" name what they point at. */
function isAboutScreen(text: string, { products }: ProductReference): boolean {
  const pointed = /(.{0,2})这(?:个|款|件|套|条|张|床)(.{0,8})/u.exec(text);
  if (pointed === null || JOINS.test(text)) return false;
  const [, before = "", after = ""] = pointed;
  const names = products
    .flatMap((product) => [product.name, ...(product.aliases ?? [])])
    .map(normaliseForMatch)
    .join("|");
  return !names.includes(before) && longestRun(after, names).length < 2;
}

function byHeard(text: string, world: KnownWorld): ProductReference {
  for (const line of world.heard.toReversed()) {
    const others = productsNamedIn(line, world).filter((product) => product.link !== world.meant?.link);
    if (others.length === 1) return { how: "heard", products: others, rest: text };
    if (others.length > 1) return { how: "unclear", products: others.slice(0, CANDIDATES_MAX), rest: text };
  }
  return { how: "unclear", products: [], rest: text };
}

/** Words after which a price or stock is asked of what stands before them. */
const PRICE_OF =
  /多少(钱|米|一|[啊呀呢?？]*$)|怎么卖|咋卖|价格|价钱|几(块|元|钱)|还?有货|还有(吗|没|么)|库存|剩|几号|哪个链接/u;

/** Without one of these, goods are spoken of and not asked for: "多喝水". */
const ASKS = /吗|么|嘛|没|多少|几|怎|咋|有|卖|什么|啥|哪|价|[?？]|求|推荐|介绍|能|可以|是不是|呢|货/u;

/** A name that no product bears: answering for the product on screen instead would quote a wrong price. */
function namesUnknown(text: string, world: KnownWorld): boolean {
  if (!ASKS.test(text)) return false;
  const shown = world.meant === null ? new Set<string>() : pairsOf(toPlain(JSON.stringify(world.meant)));
  const unknown = subjectWords(text).filter((run) => countShared(pairsOf(run), shown) / pairsOf(run).size < 0.5);
  const isAsked = (run: string) =>
    PRICE_OF.test(text.slice(text.indexOf(run) + run.length)) && !THIS_ONE.test(text) && !isProperty(run);
  return unknown.some((run) => isGoods(run) || isAsked(run));
}

/** 蓬松度, 误差, 月销: what is asked of goods, not goods. */
function isProperty(run: string): boolean {
  return askedGroups(run).length > 0 || /[度差率量销积数期感力性]$/u.test(run);
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

type Named = NameScore & { readonly product: KnownProduct };

/** Words that join two products in one question. */
const JOINS = /和|跟|与|还是|比|、|,|，|哪/u;

function findByName(text: string, world: KnownWorld): ProductReference {
  // "里面是纯羊毛吗" asks of what is on screen.
  const confirmed = world.meant === null ? undefined : confirmedWord(text);
  const words = subjectWords(text).filter((word) => confirmed === undefined || !confirmed.includes(word));
  const asked = { plain: toPlain(text), words, allowsCommon: world.meant === null };
  const scored = world.products
    .map((product): Named | null => {
      const score = scoreName(asked, product);
      return score === null ? null : { ...score, product };
    })
    .filter((named) => named !== null)
    .toSorted((a, b) => b.score - a.score);
  const best = scored[0];
  if (best === undefined) return { how: "none", products: [], rest: text };
  const without = asked.plain.replace(best.run, " ");
  const second = JOINS.test(text)
    ? scored.find(({ run, score }) => !best.run.includes(run) && without.includes(run) && score >= SECOND_SCORE_MIN)
    : undefined;
  const picks = [best, ...(second === undefined ? [] : [second])].map(({ run, score }) =>
    narrow(
      scored.filter((named) => named.run === run && named.score >= score - 0.01).map(({ product }) => product),
      text,
      world,
    ),
  );
  const rest = picks.flat().reduce(maskNames, text);
  const unclear = picks.find((products) => products.length > 1);
  if (unclear !== undefined) return { how: "unclear", products: unclear, rest };
  return { how: "name", products: [...new Set(picks.flat())], rest };
}

/** Among products that fit a name equally, the one on screen is meant. */
function narrow(products: readonly KnownProduct[], text: string, world: KnownWorld): readonly KnownProduct[] {
  const shown = products.find((product) => product.link === world.meant?.link);
  if (shown !== undefined && !/别的|其他|另外|还有(没有)?别/u.test(text)) return [shown];
  return products;
}

function maskNames(text: string, product: KnownProduct): string {
  return [product.name, ...(product.aliases ?? [])].reduce((rest, raw) => {
    const run = longestRun(rest, normaliseForMatch(raw));
    return run.length >= 3 || run === normaliseForMatch(raw) ? rest.replace(run, " ") : rest;
  }, text);
}
