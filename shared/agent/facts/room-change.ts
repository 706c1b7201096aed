/** What changed in a room between two looks at it, as far as a sentence could have said it. */
import type { Coupon, Product, RoomConfig } from "../../contract/room-config.ts";
import type { RoomSnapshot, SkuOverrides } from "../../contract/room-state.ts";

export type SkuFacts = { readonly priceCents: number; readonly stock: number };

export type SkuChange = {
  readonly productId: string;
  /** Name and aliases. */
  readonly productNames: readonly string[];
  readonly link: number;
  readonly skuId: string;
  readonly specs: readonly string[];
  readonly before: SkuFacts;
  readonly after: SkuFacts;
};

/** What changed in the room since the answer was begun, in words of facts. */
export type RoomChange = {
  /** `undefined`: the same as before; `null`: none now. */
  readonly onScreenProductId: string | null | undefined;
  /** Name and aliases of what came on screen; empty when nothing did. */
  readonly onScreenNames: readonly string[];
  /** All SKUs of the products of which one changed: what still holds for another one is no stale claim. */
  readonly skus: readonly SkuChange[];
  /** The products of which no SKU changed. */
  readonly others: readonly { readonly link: number; readonly names: readonly string[] }[];
  /** Prices are told with the coupon taken off, too. */
  readonly coupons: readonly Pick<Coupon, "minCents" | "offCents">[];
};

/** The change from one snapshot to a later one of the same configuration; `null`: nothing that a sentence could claim. */
export function roomChanges(before: RoomSnapshot, after: RoomSnapshot, config: RoomConfig): RoomChange | null {
  const isSameScreen = before.onScreenProductId === after.onScreenProductId;
  const byProduct = config.products.map((product) => ({
    product,
    skus: skuChanges(product, before.skuOverrides, after.skuOverrides),
  }));
  const [changed, others] = [byProduct.filter(hasChange), byProduct.filter((entry) => !hasChange(entry))];
  if (isSameScreen && changed.length === 0) return null;
  const shown = isSameScreen ? undefined : config.products.find(({ id }) => id === after.onScreenProductId);
  return {
    onScreenProductId: isSameScreen ? undefined : after.onScreenProductId,
    onScreenNames: shown === undefined ? [] : namesOf(shown),
    skus: changed.flatMap(({ skus }) => skus),
    others: others.map(({ product }) => ({ link: product.link, names: namesOf(product) })),
    coupons: config.coupons.map(({ minCents, offCents }) => ({ minCents, offCents })),
  };
}

function hasChange({ skus }: { readonly skus: readonly SkuChange[] }): boolean {
  return skus.some(({ before, after }) => before.priceCents !== after.priceCents || before.stock !== after.stock);
}

function skuChanges(product: Product, before: SkuOverrides, after: SkuOverrides): SkuChange[] {
  return product.skus.map((sku) => ({
    productId: product.id,
    productNames: namesOf(product),
    link: product.link,
    skuId: sku.id,
    specs: sku.specs,
    before: factsOf(sku, before),
    after: factsOf(sku, after),
  }));
}

function factsOf(sku: Product["skus"][number], overrides: SkuOverrides): SkuFacts {
  const live = overrides[sku.id];
  return { priceCents: live?.priceCents ?? sku.priceCents, stock: live?.stock ?? sku.stock };
}

function namesOf({ name, aliases }: Product): readonly string[] {
  return [name, ...aliases];
}
