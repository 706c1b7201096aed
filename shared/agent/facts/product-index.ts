/** Finds products by what viewers call them: link numbers, names, clipped names. Built once per configuration. */
import { charPairs, normaliseForMatch } from "../../core/text.ts";
import type { Product } from "../../contract/room-config.ts";

type IndexedProduct = {
  readonly product: Product;
  readonly names: readonly string[];
  readonly grams: ReadonlySet<string>;
};

export type ProductIndex = {
  /** In how many products' names a pair of characters stands: 华夫 in two says less than 煎锅 in one. */
  readonly pairCounts: ReadonlyMap<string, number>;
  readonly products: readonly IndexedProduct[];
  readonly byId: ReadonlyMap<string, Product>;
  readonly byLink: ReadonlyMap<number, Product>;
};

/** A product counts as named from one shared pair that no more than three products have, or several commoner ones. */
const SCORE_MIN = 0.33;

/** Products that score less than this share of the best one are left out: their common pairs came along by chance. */
const SHARE_OF_BEST_MIN = 0.4;

export function indexProducts(products: readonly Product[]): ProductIndex {
  const indexed = products.map((product) => {
    const names = [product.name, ...product.aliases].map(normaliseForMatch);
    return { product, names, grams: new Set(names.flatMap(charPairs)) };
  });
  const pairCounts = new Map<string, number>();
  for (const { grams } of indexed) for (const pair of grams) pairCounts.set(pair, (pairCounts.get(pair) ?? 0) + 1);
  return {
    products: indexed,
    pairCounts,
    byId: new Map(products.map((product) => [product.id, product])),
    byLink: new Map(products.map((product) => [product.link, product])),
  };
}

/** The product that a tool argument names: a link number ("3", "3号链接"), an id, or a name that fits best. */
export function resolveProduct(index: ProductIndex, reference: string): Product | null {
  const byId = index.byId.get(reference.trim());
  if (byId !== undefined) return byId;
  const link = /^\D{0,3}(\d{1,3})\s*(?:号|號|链接|#)?.{0,2}$/u.exec(reference.trim())?.[1];
  const byLink = link === undefined ? undefined : index.byLink.get(Number(link));
  return byLink ?? searchProducts(index, reference, 1)[0] ?? null;
}

/** Products that a text names, best first: link numbers before names, longer shared names before shorter. */
export function searchProducts(index: ProductIndex, text: string, countMax: number): Product[] {
  const query = normaliseForMatch(text);
  const found = new Set<Product>(linksIn(query).flatMap((link) => index.byLink.get(link) ?? []));
  const pairs = new Set(charPairs(query));
  const scored = index.products
    .map((entry) => ({ product: entry.product, score: scoreOf(entry, index.pairCounts, { query, pairs }) }))
    .toSorted((a, b) => b.score - a.score || a.product.link - b.product.link);
  const scoreMin = Math.max(SCORE_MIN, (scored[0]?.score ?? 0) * SHARE_OF_BEST_MIN);
  for (const { product, score } of scored) if (score >= scoreMin) found.add(product);
  return [...found].slice(0, countMax);
}

/** Link numbers in a text: 3号, 3号链接, 链接3, 三号链接 (to ten), #3. */
function linksIn(query: string): number[] {
  const digits = [...query.matchAll(/(\d{1,3})(?:号|號|#)|(?:链接|連結|#|no\.?)(\d{1,3})/gu)];
  const words = [...query.matchAll(/([一二三四五六七八九十])(?:号|號)/gu)];
  return [
    ...digits.map((match) => Number(match[1] ?? match[2])),
    ...words.map((match) => "一二三四五六七八九十".indexOf(match[1] ?? "") + 1),
  ];
}

/** Shared pairs, each counting less the more products have it; a whole name that stands in the text counts on top. */
function scoreOf(
  entry: IndexedProduct,
  pairCounts: ReadonlyMap<string, number>,
  { query, pairs }: { query: string; pairs: ReadonlySet<string> },
): number {
  let score = entry.names.some((name) => name.length >= 2 && query.includes(name)) ? 1 : 0;
  for (const pair of pairs) if (entry.grams.has(pair)) score += 1 / (pairCounts.get(pair) ?? 1);
  return score;
}
