import type { Coupon, Product } from "../../contract/room-config.ts";
import type { CouponFact, ProductFact } from "../../contract/fact.ts";
import type { SkuOverrides } from "../../contract/room-state.ts";

/** A product as a fact, with the room's live prices and stock over its configured ones. */
export function toProductFact(product: Product, overrides: SkuOverrides): ProductFact {
  return {
    link: product.link,
    id: product.id,
    name: product.name,
    ...(product.aliases.length > 0 && { aliases: product.aliases }),
    ...(product.brief !== undefined && { brief: product.brief }),
    ...(product.brand !== undefined && { brand: product.brand }),
    ...(product.category.length > 0 && { category: product.category }),
    unit: product.unit,
    ...(product.listPriceCents !== undefined && { listPrice: toYuan(product.listPriceCents) }),
    skus: product.skus.map((sku) => ({
      id: sku.id,
      specs: Object.fromEntries(product.specNames.map((name, index) => [name, sku.specs[index] ?? ""])),
      price: toYuan(overrides[sku.id]?.priceCents ?? sku.priceCents),
      stock: overrides[sku.id]?.stock ?? sku.stock,
    })),
    ...(product.attributes.length > 0 && {
      attributes: Object.fromEntries(product.attributes.map(({ name, value }) => [name, value])),
    }),
    ...(product.promotions.length > 0 && { promotions: product.promotions }),
  };
}

/** The short form for a catalogue that is too large to list in full: name and price range; details come by tool. */
export function toShortProductFact(product: Product): ProductFact {
  const prices = product.skus.map((sku) => sku.priceCents);
  return {
    link: product.link,
    id: product.id,
    name: product.name,
    unit: product.unit,
    priceFrom: toYuan(Math.min(...prices)),
    priceTo: toYuan(Math.max(...prices)),
  };
}

export function toCouponFact(coupon: Coupon): CouponFact {
  return {
    name: coupon.name,
    min: toYuan(coupon.minCents),
    off: toYuan(coupon.offCents),
    ...(coupon.condition !== undefined && { condition: coupon.condition }),
  };
}

/** Cents as yuan. Exact: both are below 2^53, and JSON writes the shortest decimal that reads back. */
export function toYuan(cents: number): number {
  return cents / 100;
}
