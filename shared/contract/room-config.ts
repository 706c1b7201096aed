/** What a live room sells and what its merchant demands: set by the live room's client, read by every turn. */
import { z } from "zod";
import { harnessChannelSchema, harnessNameSchema, harnessVersionSchema } from "./ids.ts";
import { cleanText } from "./text.ts";

/** Cents of the room's currency (分 for CNY). Never a fraction: a price is compared to the digit. */
export const priceCentsSchema = z.int().min(0).max(100_000_000_00);

export const stockSchema = z.int().min(0).max(100_000_000);

const productIdSchema = z.string().regex(/^[\w.-]{1,64}$/, "1 to 64 of A-Z a-z 0-9 _ . -");

/** One thing that can be bought: a combination of specifications, in the order of the product's `specNames`. */
const skuSchema = z.strictObject({
  id: z.string().regex(/^[\w.-]{1,64}$/),
  specs: z.array(cleanText(60)).min(1).max(8),
  priceCents: priceCentsSchema,
  stock: stockSchema,
});

export const productSchema = z.strictObject({
  id: productIdSchema,
  /** The number that viewers call it by: "3号链接". Unique in the room. */
  link: z.int().min(1).max(999),
  name: cleanText(120),
  /** Other names that viewers use. */
  aliases: z.array(cleanText(60)).max(20).default([]),
  brief: cleanText(300).optional(),
  category: z.array(cleanText(40)).max(6).default([]),
  brand: cleanText(60).optional(),
  /** Measure word: 件, 盒, 双. */
  unit: cleanText(10).default("件"),
  /** Price before the live room's, shown struck out. */
  listPriceCents: priceCentsSchema.optional(),
  /** Names of the SKU's specifications in order: 颜色, 尺码. */
  specNames: z.array(cleanText(20)).min(1).max(8),
  skus: z.array(skuSchema).min(1).max(100),
  attributes: z
    .array(z.strictObject({ name: cleanText(40), value: cleanText(1_000) }))
    .max(60)
    .default([]),
  /** Offers on this product alone, as the merchant words them. */
  promotions: z.array(cleanText(200)).max(10).default([]),
});
export type Product = z.infer<typeof productSchema>;

/** Room-wide offer that can be computed: `off` when the order reaches `min`. */
export const couponSchema = z
  .strictObject({
    id: z.string().regex(/^[\w.-]{1,64}$/),
    name: cleanText(60),
    minCents: priceCentsSchema,
    offCents: priceCentsSchema,
    /** Who may use it and how to get it: "新用户", "关注后领取". */
    condition: cleanText(120).optional(),
    /** It holds from then on, ms since the epoch; absent: always. */
    startsAtMs: z.int().min(0).optional(),
    /** It holds no more from then on. */
    endsAtMs: z.int().min(0).optional(),
  })
  .refine(({ startsAtMs = 0, endsAtMs = Infinity }) => startsAtMs < endsAtMs, "it must begin before it ends");
export type Coupon = z.infer<typeof couponSchema>;

const faqSchema = z.strictObject({
  id: z.string().regex(/^[\w.-]{1,64}$/),
  question: cleanText(200),
  /** Other ways to ask the same. */
  similar: z.array(cleanText(200)).max(20).default([]),
  answer: cleanText(1_000),
});

/** How the room sounds, where it is not as the deployment says. */
export const roomVoiceSchema = z.strictObject({
  /** As the speech server names it. */
  name: cleanText(100).optional(),
  /** 1 is the voice's own. Limits: OpenAI's audio/speech, which other servers keep. */
  speed: z.number().min(0.25).max(4).optional(),
});
export type RoomVoice = z.infer<typeof roomVoiceSchema>;

export const roomConfigSchema = z
  .strictObject({
    title: cleanText(100),
    merchant: z.strictObject({
      id: z.string().regex(/^[\w.-]{1,64}$/),
      name: cleanText(60),
    }),
    locale: z.enum(["zh-CN", "en"]).default("zh-CN"),
    currency: z.literal("CNY").default("CNY"),
    /** Which harness serves the room: a channel that moves, or one version that does not. Never both. */
    harness: z.union([
      z.strictObject({ name: harnessNameSchema, channel: harnessChannelSchema }),
      z.strictObject({ name: harnessNameSchema, version: harnessVersionSchema }),
    ]),
    /** The merchant's own rules for the host, one a line: instructions, below the harness's constraints. */
    rules: z.array(cleanText(300)).max(50).default([]),
    products: z.array(productSchema).max(300),
    coupons: z.array(couponSchema).max(50).default([]),
    faq: z.array(faqSchema).max(200).default([]),
    voice: roomVoiceSchema.optional(),
  })
  .superRefine((config, context) => {
    for (const [field, keys] of Object.entries({
      "products.id": config.products.map((product) => product.id),
      "products.link": config.products.map((product) => product.link),
      "products.skus.id": config.products.flatMap((product) => product.skus.map((sku) => sku.id)),
      "faq.id": config.faq.map((entry) => entry.id),
      "coupons.id": config.coupons.map((coupon) => coupon.id),
    })) {
      if (new Set<unknown>(keys).size !== keys.length) {
        context.addIssue({ code: "custom", path: field.split("."), message: `${field} must be unique in the room` });
      }
    }
    for (const product of config.products) {
      if (product.skus.some((sku) => sku.specs.length !== product.specNames.length)) {
        context.addIssue({
          code: "custom",
          path: ["products"],
          message: `${product.id}: specs do not match specNames`,
        });
      }
    }
  });
export type RoomConfig = z.infer<typeof roomConfigSchema>;
