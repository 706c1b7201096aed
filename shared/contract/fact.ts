/** Facts as the policy reads them: lines of evidence blocks and results of builtin tools. Prices in yuan, as people say them. */
import { z } from "zod";

/** A product with the values that hold now. One line of `catalogue` and `facts`. Loose: readers take what they know. */
export const productFactSchema = z.looseObject({
  link: z.int(),
  id: z.string(),
  name: z.string(),
  aliases: z.array(z.string()).optional(),
  brief: z.string().optional(),
  brand: z.string().optional(),
  category: z.array(z.string()).optional(),
  unit: z.string(),
  /** Yuan before the live room's price. */
  listPrice: z.number().optional(),
  /** Absent in the short form of a large catalogue, which has `priceFrom` and `priceTo` instead. */
  skus: z
    .array(
      z.looseObject({
        id: z.string(),
        /** Specification name to value: `{"颜色":"蓝","尺码":"M"}`. */
        specs: z.record(z.string(), z.string()),
        price: z.number(),
        stock: z.int(),
      }),
    )
    .optional(),
  priceFrom: z.number().optional(),
  priceTo: z.number().optional(),
  /** Pieces of all SKUs together, in a short line of `changes`. */
  stock: z.int().optional(),
  attributes: z.record(z.string(), z.string()).optional(),
  promotions: z.array(z.string()).optional(),
});
export type ProductFact = z.infer<typeof productFactSchema>;

/** One line of `faq`. */
export const faqFactSchema = z.looseObject({
  question: z.string(),
  similar: z.array(z.string()).optional(),
  answer: z.string(),
});
export type FaqFact = z.infer<typeof faqFactSchema>;

/** One line of `coupons`, in yuan. */
export const couponFactSchema = z.looseObject({
  name: z.string(),
  min: z.number(),
  off: z.number(),
  condition: z.string().optional(),
});
export type CouponFact = z.infer<typeof couponFactSchema>;

/** One line of `state`: what the screen shows now. */
export const stateFactSchema = z.looseObject({
  onScreen: z.looseObject({ link: z.int(), id: z.string(), name: z.string() }).nullable(),
});

/** One line of `messages`: what the turn answers. */
export const messageFactSchema = z.looseObject({
  viewer: z.string().optional(),
  text: z.string(),
  /** How many asked this; absent for one. */
  askers: z.int().optional(),
  /** What the screen showed when it was asked; absent where it shows that now. */
  askedOnScreen: z.looseObject({ link: z.int(), id: z.string(), name: z.string() }).optional(),
});
