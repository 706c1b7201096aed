/** Finds products by what viewers call them: link numbers, names, clipped names. Built once per configuration. */
import { normaliseForMatch } from "../../core/text.ts";
import type { Product } from "../../contract/room-config.ts";

type IndexedProduct = { readonly product: Product; readonly names: readonly string[]; readonly grams: ReadonlySet<string> };

export type ProductIndex = {
  readonly products: readonly IndexedProduct[];
  readonly byId: ReadonlyMap<string, Product>;
  readonly byLink: ReadonlyMap<number, Product>;
};

/** Shares of a name's character pairs below this are chance: 毛巾 and 浴巾 share none, 羊毛被 and 羊毛毯 share one of two. */
const SCORE_MIN = 0.34;

export function indexProducts(products: readonly Product[]): ProductIndex {
  return {
    products: products.map((product) => {
      const names = [product.name, ...product.aliases].map(normaliseForMatch);
      return { product, names, grams: new Set(names.flatMap(pairsOf)) };
    }),
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
  const pairs = new Set(pairsOf(query));
  const scored = index.products
    .map((entry) => ({ product: entry.product, score: scoreOf(entry, query, pairs) }))
    .filter(({ score }) => score >= SCORE_MIN)
    .toSorted((a, b) => b.score - a.score || a.product.link - b.product.link);
  for (const { product } of scored) found.add(product);
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

/** 2 when a whole name stands in the text, else the share of the text's or the name's pairs that both have. */
function scoreOf(entry: IndexedProduct, query: string, pairs: ReadonlySet<string>): number {
  const whole = entry.names.filter((name) => name.length >= 2 && query.includes(name));
  if (whole.length > 0) return 2 + Math.max(...whole.map((name) => name.length)) / 100;
  if (pairs.size === 0) return 0;
  let shared = 0;
  for (const pair of pairs) if (entry.grams.has(pair)) shared += 1;
  return shared / Math.max(2, Math.min(pairs.size, 8));
}

function pairsOf(text: string): string[] {
  const chars = [...text];
  return chars.slice(1).map((char, index) => `${chars[index]}${char}`);
}
