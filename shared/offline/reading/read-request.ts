/** From a chat-completions request to what the reader knows: typed facts, the viewers' words, what happened in the turn. */
import { z } from "zod";
import {
  couponFactSchema,
  faqFactSchema,
  messageFactSchema,
  productFactSchema,
  stateFactSchema,
  type CouponFact,
  type FaqFact,
} from "../../contract/fact.ts";
import { parseEvidence, type Evidence } from "../../agent/evidence.ts";
import type { ChatRequest, ChatTool } from "./chat-request.ts";
import { readSystem, type SkillOffer, type TopicRule } from "./read-system.ts";

const partialProductSchema = productFactSchema.partial().extend({ link: z.int(), name: z.string() });
/** What is known of a product. `skus` is absent in the short form of a large catalogue. */
export type KnownProduct = z.infer<typeof partialProductSchema>;
export type KnownSku = NonNullable<KnownProduct["skus"]>[number];

/** A short line of `changes`: live values of a product that the catalogue names. */
const shortChangeSchema = z.looseObject({
  name: z.undefined().optional(),
  link: z.int(),
  priceFrom: z.number(),
  priceTo: z.number(),
  stock: z.int(),
});

const quotedSkuSchema = z.looseObject({
  specs: z.record(z.string(), z.string()).default({}),
  price: z.number().optional(),
  stock: z.int().optional(),
  total: z.number().optional(),
  totalWithCoupon: z.number().optional(),
  coupon: couponFactSchema.optional(),
  /** All coupons that the total reaches, each with the price after it. */
  coupons: z.array(couponFactSchema.extend({ totalWithCoupon: z.number() })).optional(),
});
/** A tool's answer about prices or stock. */
const quoteSchema = z.looseObject({
  link: z.int(),
  name: z.string(),
  quantity: z.int().optional(),
  skus: z.array(quotedSkuSchema).min(1),
});
export type Quote = z.infer<typeof quoteSchema>;

const productPromotionsSchema = z.looseObject({ link: z.int(), name: z.string(), promotions: z.array(z.string()) });
const toolRecordSchema = z.looseObject({
  error: z.string().optional(),
  products: z.array(z.unknown()).optional(),
  entries: z.array(z.unknown()).optional(),
  coupons: z.array(z.unknown()).optional(),
  accepted: z.boolean().optional(),
});
const textRecordSchema = z.looseObject({ text: z.string() });
const blockedRecordSchema = z.looseObject({
  blocked: z.string().default(""),
  reason: z.string().default(""),
  said: z.array(z.string()).default([]),
});

export type ToolUse = {
  readonly name: string;
  /** Null while no result is in the request. */
  readonly failed: boolean | null;
  /** The tool took the request over: a person was told. */
  readonly accepted: boolean;
};

/** A skill that was read in this turn: instructions of the harness. */
export type LoadedSkill = { readonly name: string; readonly body: string };

export type ViewerQuestion = {
  readonly viewer?: string | undefined;
  readonly text: string;
  /** How many asked this; absent for one. */
  readonly askers?: number | undefined;
};

export type Blocked = { readonly text: string; readonly reason: string };

export type KnownWorld = {
  readonly products: readonly KnownProduct[];
  readonly onScreen: KnownProduct | null;
  /** What "这个" means: what was on screen when the viewer asked. */
  readonly meant: KnownProduct | null;
  /** Products that tools listed in this turn. */
  readonly searched: readonly KnownProduct[];
  readonly faq: readonly FaqFact[];
  readonly coupons: readonly CouponFact[];
  /** Prose facts: knowledge and hooks' context. */
  readonly notes: readonly string[];
  /** Recent speech, latest last. */
  readonly heard: readonly string[];
  /** What the turn answers. */
  readonly questions: readonly ViewerQuestion[];
  readonly quotes: readonly Quote[];
  readonly toolUses: readonly ToolUse[];
  readonly skills: readonly SkillOffer[];
  readonly loadedSkills: readonly LoadedSkill[];
  readonly rules: readonly TopicRule[];
  readonly tools: readonly ChatTool[];
  /** Sentences that were heard in this turn already. */
  readonly said: readonly string[];
  readonly blocked: readonly Blocked[];
};

/** Sources whose product lines count, the weakest first: later lines replace what earlier ones said. */
const PRODUCT_SOURCES = ["catalogue", "changes", "facts"] as const;

/** Reads a whole request. Records that do not fit their source's shape are left out, as lines that are no JSON are. */
export function readRequest(request: ChatRequest): KnownWorld {
  const contents = { system: [] as string[], user: [] as string[], tool: [] as string[] };
  const toolNames = new Map<string, string>();
  const said: string[] = [];
  for (const message of request.messages) {
    if (message.role === "assistant") {
      if (typeof message.content === "string") said.push(message.content);
      for (const call of message.tool_calls ?? []) toolNames.set(call.id, call.function.name);
    } else contents[message.role].push(message.content);
  }
  const blocks = contents.user.flatMap(parseEvidence);
  const toolBlocks = contents.tool.flatMap(parseEvidence);
  const hooks = ofSource(blocks, /^hook:/u, blockedRecordSchema);
  const toolRecords = toolBlocks.flatMap((block) => block.records);
  const products = mergeProducts(blocks, toolRecords);
  const { skills, rules } = readSystem(contents.system);
  const questions = ofSource(blocks, /^messages$/u, messageFactSchema);
  return {
    products,
    ...readScreen(blocks, questions, products),
    searched: parseAll(
      toolRecords.flatMap((record) => toolRecordSchema.safeParse(record).data?.products ?? []),
      partialProductSchema,
    ),
    faq: [...fromTools(toolRecords, "entries", faqFactSchema), ...ofSource(blocks, /^faq$/u, faqFactSchema)],
    coupons: uniqueByName([
      ...fromTools(toolRecords, "coupons", couponFactSchema),
      ...ofSource(blocks, /^coupons$/u, couponFactSchema),
    ]),
    notes: ofSource(blocks, /^(knowledge|context)$/u, textRecordSchema).map((record) => record.text),
    heard: ofSource(blocks, /^heard$/u, textRecordSchema).map((record) => record.text),
    questions,
    quotes: parseAll(toolRecords, quoteSchema),
    toolUses: readToolUses(toolNames, toolBlocks),
    skills,
    loadedSkills: contents.tool.flatMap(readLoadedSkills),
    rules,
    tools: request.tool_choice === "none" ? [] : (request.tools ?? []).map((tool) => tool.function),
    said: [...said, ...hooks.flatMap((hook) => hook.said)],
    blocked: hooks.filter((hook) => hook.blocked !== "").map(({ blocked, reason }) => ({ text: blocked, reason })),
  };
}

/** What the screen shows, and what it showed when the question was asked. */
function readScreen(
  blocks: readonly Evidence[],
  questions: KnownWorld["questions"] &
    readonly { readonly askedOnScreen?: { link: number; name: string } | undefined }[],
  products: readonly KnownProduct[],
): Pick<KnownWorld, "onScreen" | "meant"> {
  const known = (shown: KnownProduct | null) => products.find(({ link }) => link === shown?.link) ?? shown;
  const onScreen = ofSource(blocks, /^state$/u, stateFactSchema).at(-1)?.onScreen ?? null;
  return { onScreen: known(onScreen), meant: known(questions[0]?.askedOnScreen ?? onScreen) };
}

function mergeProducts(blocks: readonly Evidence[], toolRecords: readonly unknown[]): KnownProduct[] {
  const merged = new Map<number, KnownProduct>();
  const listed = toolRecords.flatMap((record) => [
    record,
    ...(toolRecordSchema.safeParse(record).data?.products ?? []),
  ]);
  const lines = [
    ...PRODUCT_SOURCES.flatMap((source) => blocks.filter((block) => block.source === source)).flatMap(
      (block) => block.records,
    ),
    ...parseAll(listed, productPromotionsSchema),
    ...parseAll(listed, productFactSchema),
  ];
  for (const line of lines) {
    const change = shortChangeSchema.safeParse(line).data;
    const known = change === undefined ? undefined : merged.get(change.link);
    const product = partialProductSchema.safeParse(known === undefined ? line : { ...change, name: known.name }).data;
    if (product !== undefined) merged.set(product.link, mergeProduct(merged.get(product.link), product));
  }
  return [...merged.values()];
}

/** SKUs and a range of prices say the same thing in two forms: the later one replaces the other. */
function mergeProduct(known: KnownProduct | undefined, later: KnownProduct): KnownProduct {
  const { skus, priceFrom, priceTo, stock, ...rest } = { ...known, ...later };
  if (later.skus !== undefined) return { ...rest, skus };
  if (later.priceFrom !== undefined || skus === undefined) return { ...rest, priceFrom, priceTo, stock };
  return { ...rest, skus };
}

function ofSource<T>(blocks: readonly Evidence[], source: RegExp, schema: z.ZodType<T>): T[] {
  return parseAll(
    blocks.filter((block) => source.test(block.source)).flatMap((block) => block.records),
    schema,
  );
}

function parseAll<T>(records: readonly unknown[], schema: z.ZodType<T>): T[] {
  return records.flatMap((record) => {
    const parsed = schema.safeParse(record);
    return parsed.success ? [parsed.data] : [];
  });
}

function fromTools<T>(records: readonly unknown[], field: "entries" | "coupons", schema: z.ZodType<T>): T[] {
  return parseAll(
    parseAll(records, toolRecordSchema).flatMap((record) => record[field] ?? []),
    schema,
  );
}

function uniqueByName(coupons: readonly CouponFact[]): CouponFact[] {
  return [...new Map(coupons.map((coupon) => [`${coupon.name}/${coupon.min}/${coupon.off}`, coupon])).values()];
}

/** Results are matched to calls by tool name: each result's block names its tool. */
function readToolUses(toolNames: ReadonlyMap<string, string>, toolBlocks: readonly Evidence[]): ToolUse[] {
  return [...toolNames.values()].map((name) => {
    const block = toolBlocks.findLast((candidate) => candidate.source === `tool:${name}`);
    const records = parseAll(block?.records ?? [], toolRecordSchema);
    return {
      name,
      failed: block === undefined ? null : records.some((record) => record.error !== undefined),
      accepted: records.some((record) => record.accepted === true),
    };
  });
}

/** Evidence cannot hold a `<`, so no viewer, product or tool can pass for a skill. */
function readLoadedSkills(content: string): LoadedSkill[] {
  const skills = content.matchAll(/<skill_content name="([^"]{1,64})">\n([\s\S]*?)\n<\/skill_content>/gu);
  return [...skills].map(([, name = "", body = ""]) => ({ name, body }));
}
