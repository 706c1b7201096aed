/** Offers that hold for a while: what is always true stands in the stable prompt, what holds now in its end. */
import type { Coupon } from "../../contract/room-config.ts";

/** Whether an offer begins or ends at some time. */
export function isTimed({ startsAtMs, endsAtMs }: Coupon): boolean {
  return startsAtMs !== undefined || endsAtMs !== undefined;
}

/** The offers that hold at a moment, ms since the epoch: from the start on, and no more at the end. */
export function couponsAt(coupons: readonly Coupon[], nowMs: number): Coupon[] {
  return coupons.filter(
    ({ startsAtMs = Number.NEGATIVE_INFINITY, endsAtMs = Number.POSITIVE_INFINITY }) =>
      startsAtMs <= nowMs && nowMs < endsAtMs,
  );
}
