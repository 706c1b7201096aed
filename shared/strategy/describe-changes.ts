/** What has changed in a room's prices and stock, in words without a figure: figures change again while a summary stands. */
import type { Product } from "../contract/room-config.ts";
import type { SkuOverrides } from "../contract/room-state.ts";

export type ProductChange = {
  readonly link: number;
  readonly name: string;
  /** 降价, 部分规格卖完. One or two. */
  readonly changes: readonly string[];
};

/** Pieces of all SKUs together from which on a product counts as nearly gone. */
const FEW_PIECES_MAX = 10;

/** The products whose live values differ from the configuration in a way that matters: the one on screen first, then by link. */
export function describeChanges(
  products: readonly Product[],
  overrides: SkuOverrides,
  onScreenProductId: string | null,
): ProductChange[] {
  const orderOf = ({ id }: Product) => (id === onScreenProductId ? 0 : 1);
  return products
    .toSorted((a, b) => orderOf(a) - orderOf(b) || a.link - b.link)
    .map((product) => ({
      link: product.link,
      name: product.name,
      changes: [priceChange(product, overrides), stockChange(product, overrides)].filter((change) => change !== null),
    }))
    .filter(({ changes }) => changes.length > 0);
}

function priceChange({ skus }: Product, overrides: SkuOverrides): string | null {
  const steps = skus.map(({ id, priceCents }) => Math.sign((overrides[id]?.priceCents ?? priceCents) - priceCents));
  const [isLower, isHigher] = [steps.includes(-1), steps.includes(1)];
  if (isLower && isHigher) return "价格有变";
  if (isLower) return "降价";
  return isHigher ? "涨价" : null;
}

function stockChange({ skus }: Product, overrides: SkuOverrides): string | null {
  const live = skus.map(({ id, stock }) => ({ before: stock, now: overrides[id]?.stock ?? stock }));
  if (live.every(({ before, now }) => before === now)) return null;
  const before = live.reduce((sum, stock) => sum + stock.before, 0);
  const now = live.reduce((sum, stock) => sum + stock.now, 0);
  if (now === 0) return "卖完";
  if (before === 0) return "补货";
  if (live.some((stock) => stock.before > 0 && stock.now === 0)) return "部分规格卖完";
  return now < before && now <= FEW_PIECES_MAX ? "库存不多" : null;
}
