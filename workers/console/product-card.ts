/** What the page shows of a product: configuration and live values in one. */
import type { Product } from "../../shared/contract/room-config.ts";
import type { SkuOverrides } from "../../shared/contract/room-state.ts";
import { normaliseForMatch } from "../../shared/core/text.ts";

export type ProductCard = {
  readonly id: string;
  readonly link: number;
  readonly name: string;
  readonly unit: string;
  /** Cheapest and dearest specification now, in cents. */
  readonly priceFromCents: number;
  readonly priceToCents: number;
  /** Struck out; `null` when it is no higher than what is asked now. */
  readonly listPriceCents: number | null;
  readonly stock: number;
};

/** A product with the room's live prices and stock in place. */
export function toProductCard(product: Product, overrides: SkuOverrides): ProductCard {
  const prices = product.skus.map((sku) => overrides[sku.id]?.priceCents ?? sku.priceCents);
  const priceToCents = Math.max(...prices);
  const { listPriceCents = 0 } = product;
  return {
    id: product.id,
    link: product.link,
    name: product.name,
    unit: product.unit,
    priceFromCents: Math.min(...prices),
    priceToCents,
    listPriceCents: listPriceCents > priceToCents ? listPriceCents : null,
    stock: product.skus.reduce((sum, sku) => sum + (overrides[sku.id]?.stock ?? sku.stock), 0),
  };
}

/** Products whose name, other name, brand, category or link number has every word of the query, by link number. */
export function findProducts(products: readonly Product[], query: string): readonly Product[] {
  const words = query.trim().split(/\s+/u).map(normaliseForMatch);
  return products
    .filter((product) => {
      const texts = [product.name, product.brand ?? "", `${product.link}`, `${product.link}号链接`];
      const haystack = normaliseForMatch([...texts, ...product.aliases, ...product.category].join("\u0001"));
      return words.every((word) => haystack.includes(word));
    })
    .toSorted((a, b) => a.link - b.link);
}

/** Questions to try, in the room's language, about what is on screen or else the first product. */
export function sampleQuestions(
  locale: "zh-CN" | "en",
  products: readonly Product[],
  onScreenProductId: string | null,
): readonly string[] {
  const first = products.find((product) => product.id === onScreenProductId) ?? products[0];
  const link = first?.link ?? 1;
  const other = products.find((product) => product !== first)?.link ?? link;
  return locale === "zh-CN"
    ? [`${link}号链接多少钱？`, "这款还有货吗？", "几天发货？", "有什么优惠？", `${other}号和${link}号哪个更划算？`]
    : [`How much is link ${link}?`, "Is it still in stock?", "When does it ship?", "Any coupons?"];
}
