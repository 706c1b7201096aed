import type { Coupon } from "../../contract/room-config.ts";
import { toCouponFact } from "../facts/product-fact.ts";
import { selectSkus } from "./select-skus.ts";
import { factOf, found, notFound, numberOf, productOf, textOf, type Builtin } from "./tool-world.ts";

/** Pieces that one question may ask for; a larger number is a mistake or a joke. */
const QUANTITY_MAX = 999;

/**
 * Prices in yuan of the named product and specification, the total for `quantity` pieces, and the total with each coupon
 * that it reaches, the largest first. Coupons do not add up: the shop lets an order use one, and who may use it is in its
 * condition, which nobody here can check.
 */
export const getPrice: Builtin = (args, world) => {
  const product = productOf(args, world);
  if (product === null) return notFound("直播间没有这个商品，可以先用 search_products 查");
  const fact = factOf(product, world);
  const skus = selectSkus(fact, textOf(args, "spec"));
  if (skus.length === 0) return notFound("没有这个规格");
  const quantity = Math.min(QUANTITY_MAX, Math.max(1, Math.trunc(numberOf(args, "quantity") ?? 1)));
  return found({
    link: fact.link,
    name: fact.name,
    quantity,
    ...(fact.listPrice !== undefined && { listPrice: fact.listPrice }),
    skus: skus.map(({ specs, price }) => ({ specs, price, ...totalOf(price, quantity, world.config.coupons) })),
    ...(fact.promotions !== undefined && { promotions: fact.promotions }),
  });
};

function totalOf(priceYuan: number, quantity: number, coupons: readonly Coupon[]) {
  const totalCents = Math.round(priceYuan * 100) * quantity;
  const reached = coupons
    .filter((coupon) => totalCents >= coupon.minCents)
    .toSorted((a, b) => b.offCents - a.offCents)
    .map((coupon) => ({ ...toCouponFact(coupon), totalWithCoupon: (totalCents - coupon.offCents) / 100 }));
  return { total: totalCents / 100, ...(reached.length > 0 && { coupons: reached }) };
}
