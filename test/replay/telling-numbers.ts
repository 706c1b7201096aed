/**
 * Prices and stocks that tell what they are of: each number that the script sets stands nowhere else in the room, neither
 * before nor after, nor as a sum, nor less a coupon. So whoever hears one knows which fact was told, and when it held.
 */
import { invariant } from "../../shared/core/assert.ts";
import type { Coupon, RoomConfig } from "../../shared/contract/room-config.ts";

/** Pieces of one order whose sum a host may tell. */
const QUANTITY_MAX = 3;
const TRIES_MAX = 400;
const STOCK_MIN = 101;
const STOCK_SPAN = 898;

/** Amounts that a host may tell of a price, in yuan: for some pieces, without and with each coupon that they reach. */
export function amountsOf(priceCents: number, coupons: readonly Pick<Coupon, "minCents" | "offCents">[]): number[] {
  const amounts = new Set<number>();
  for (let quantity = 1; quantity <= QUANTITY_MAX; quantity += 1) {
    const total = priceCents * quantity;
    amounts.add(total / 100);
    for (const { minCents, offCents } of coupons) if (total >= minCents) amounts.add((total - offCents) / 100);
  }
  return [...amounts];
}

/** Every number of a text, as written in digits. */
export function numbersIn(text: string): number[] {
  return (text.match(/\d+(?:\.\d+)?/gu) ?? []).map(Number);
}

/** All numbers that a room's own words hold, its configured prices as amounts included. */
export function numbersOf(config: RoomConfig, texts: readonly string[] = []): Set<number> {
  const skus = config.products.flatMap((product) => product.skus);
  const written = numbersIn(JSON.stringify(config));
  return new Set([
    ...written,
    // Cents, said in yuan.
    ...written.map((number) => number / 100),
    ...numbersIn(texts.join(" ")),
    ...skus.flatMap(({ priceCents }) => amountsOf(priceCents, config.coupons)),
  ]);
}

export class TellingNumbers {
  readonly #random: () => number;
  readonly #coupons: RoomConfig["coupons"];
  readonly #taken: Set<number>;

  constructor(config: RoomConfig, texts: readonly string[], random: () => number) {
    this.#random = random;
    this.#coupons = config.coupons;
    this.#taken = numbersOf(config, texts);
  }

  /** A price of 70 to 110 % of another, in whole yuan where one is free. */
  priceNear(priceCents: number): number {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const cents = priceCents * (0.7 + 0.4 * this.#random());
      const step = tries < TRIES_MAX / 4 ? 100 : 10;
      const price = Math.max(step, Math.round(cents / step) * step);
      if (this.#take(amountsOf(price, this.#coupons))) return price;
    }
    invariant(false, "a price is free near every price");
  }

  stock(): number {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const count = STOCK_MIN + Math.floor(this.#random() * STOCK_SPAN);
      if (this.#take([count])) return count;
    }
    invariant(false, "a stock is free");
  }

  #take(numbers: readonly number[]): boolean {
    if (numbers.some((number) => this.#taken.has(number))) return false;
    for (const number of numbers) this.#taken.add(number);
    return true;
  }
}
