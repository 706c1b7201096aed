import { normaliseForMatch } from "../../core/text.ts";
import type { ProductFact } from "../../contract/fact.ts";

type SkuFact = NonNullable<ProductFact["skus"]>[number];

/** The SKUs that a wording of specifications names: "蓝色 大号" needs both. Empty wording means all of them. */
export function selectSkus(fact: ProductFact, wording: string): SkuFact[] {
  const skus = fact.skus ?? [];
  const wanted = wording
    .split(/[\s,，、;；/]+/u)
    .map(normaliseForMatch)
    .filter((word) => word !== "");
  return skus.filter((sku) => {
    const values = Object.values(sku.specs).map(normaliseForMatch);
    return wanted.every((word) => values.some((value) => value.includes(word) || word.includes(value)));
  });
}
