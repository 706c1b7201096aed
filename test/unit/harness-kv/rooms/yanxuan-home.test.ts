import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { z } from "zod";
import { roomConfigSchema, type Product } from "../../../../shared/contract/room-config.ts";
import { parseJson } from "../../../../shared/core/json.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../../../harness-kv/rooms/yanxuan-home");
const file = (name: string) => readFileSync(path.join(FOLDER, name), "utf8");

/** A viewer's comment and the facts that a right answer rests on; SOURCE.md beside the data explains the fields. */
const commentSchema = z.strictObject({
  id: z.string().regex(/^c\d{3}$/),
  text: z.string().min(1).max(120),
  onScreen: z.string().nullable(),
  category: z.string(),
  answerable: z.boolean(),
  expect: z.enum(["unknown", "decline", "smalltalk"]).optional(),
  facts: z.strictObject({
    mustInclude: z.array(z.array(z.string().min(1)).min(1)),
    mustNotInclude: z.array(z.string().min(1)).optional(),
    productId: z.string().optional(),
    alsoProductIds: z.array(z.string()).optional(),
    fields: z.array(z.string()),
    computed: z
      .strictObject({ priceCents: z.int(), times: z.number(), offCents: z.int(), resultCents: z.int() })
      .optional(),
  }),
  note: z.string().min(1),
});
type Comment = z.infer<typeof commentSchema>;

const room = roomConfigSchema.parse(parseJson(file("room.json")));
const comments = file("comments.jsonl")
  .trimEnd()
  .split("\n")
  .map((line) => commentSchema.parse(parseJson(line)));
const answerable = comments.filter((comment) => comment.answerable);
const productsById = new Map(room.products.map((product) => [product.id, product]));

function productsOf(comment: Comment): Product[] {
  const ids = [comment.facts.productId ?? [], comment.facts.alsoProductIds ?? []].flat();
  return ids.flatMap((id) => productsById.get(id) ?? []);
}

/** The Arabic numbers of a text, with the money and length of speech made decimal: 19块9 and 1米8 are 19.9 and 1.8. */
function numbersOf(text: string): number[] {
  const decimal = text.replaceAll(/(\d+)(?:块|元|米)(\d)角?/g, "$1.$2");
  return [...decimal.matchAll(/\d+(?:\.\d+)?/g)].map(([digits]) => Number(digits));
}

/** Numbers of yuan that an answer may hold: prices of the product, the coupons it rests on, the sum given. */
function moneyOf(comment: Comment): number[] {
  const { fields, computed } = comment.facts;
  const prices = productsOf(comment).flatMap(({ skus, listPriceCents }) => [
    ...skus.map((sku) => sku.priceCents),
    ...(listPriceCents === undefined ? [] : [listPriceCents]),
  ]);
  const coupons = room.coupons.filter((coupon) => fields.includes(`coupons.${coupon.id}`));
  const cents = [...prices, ...coupons.flatMap(({ minCents, offCents }) => [minCents, offCents])];
  return [...cents, ...(computed === undefined ? [] : [computed.resultCents])].map((value) => value / 100);
}

/** What the fields that the answer rests on say, and how the product is called. */
function evidenceOf(comment: Comment): string {
  const { fields } = comment.facts;
  const named = (field: string, text: string) => (fields.includes(field) ? [text] : []);
  const products = productsOf(comment).flatMap((product) => [
    `${product.link}号 ${product.name} ${product.aliases.join(" ")}`,
    ...named("promotions", product.promotions.join("\n")),
    ...product.attributes.flatMap((attribute) => named(`attributes.${attribute.name}`, attribute.value)),
    ...product.skus.flatMap((sku) => [...sku.specs, ...named("skus.stock", String(sku.stock))]),
  ]);
  const faq = room.faq.flatMap((entry) => named(`faq.${entry.id}`, entry.answer));
  const coupons = room.coupons.flatMap((coupon) => named(`coupons.${coupon.id}`, coupon.condition ?? ""));
  return [...products, ...faq, ...coupons].join("\n");
}

/** How a host says that there is none, or some: words that no field holds, true if the product has such a SKU. */
function saysStockOf(spelling: string, comment: Comment): boolean {
  const stocks = productsOf(comment).flatMap((product) => product.skus.map((sku) => sku.stock));
  if (!comment.facts.fields.includes("skus.stock")) return false;
  if (spelling === "售罄") return stocks.includes(0);
  return spelling === "有货" && stocks.some((stock) => stock > 0);
}

/** Whether one fact follows from the data: a word of it is there, or all numbers of one of its spellings are. */
function isGrounded(alternatives: readonly string[], comment: Comment): boolean {
  const evidence = evidenceOf(comment);
  const numbers = new Set([...numbersOf(evidence), ...moneyOf(comment)]);
  return alternatives.some((spelling) => {
    if (evidence.includes(spelling) || saysStockOf(spelling, comment)) return true;
    const said = numbersOf(spelling);
    return said.length > 0 && said.every((number) => numbers.has(number));
  });
}

function countBy(key: (comment: Comment) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const comment of comments) counts[key(comment)] = (counts[key(comment)] ?? 0) + 1;
  return counts;
}

describe("the room yanxuan-home", () => {
  it("is a room of 36 to 40 links, numbered from 1 without a gap", ({ expect }) => {
    expect(room.products.length).toBeGreaterThanOrEqual(36);
    expect(room.products.length).toBeLessThanOrEqual(40);
    expect(room.products.map((product) => product.link)).toEqual(room.products.map((_, index) => index + 1));
  });

  it("has products sold out in part, products at several prices, and products with a struck-out price", ({
    expect,
  }) => {
    const skus = room.products.map((product) => product.skus);
    expect(skus.filter((each) => each.some((sku) => sku.stock === 0)).length).toBeGreaterThanOrEqual(5);
    expect(skus.filter((each) => new Set(each.map((sku) => sku.priceCents)).size > 1).length).toBeGreaterThanOrEqual(8);
    for (const { name, listPriceCents, skus: each } of room.products) {
      if (listPriceCents === undefined) continue;
      expect(Math.max(...each.map((sku) => sku.priceCents)), name).toBeLessThan(listPriceCents);
    }
  });

  it("names no brand that the texts came from or compare with", ({ expect }) => {
    expect(file("room.json")).not.toMatch(/严选|网易|MUJI|制造商|供应商/i);
  });

  it("gives each question of the shop 2 to 6 other phrasings, and none of them twice", ({ expect }) => {
    for (const entry of room.faq) {
      expect(entry.similar.length, entry.id).toBeGreaterThanOrEqual(2);
      expect(entry.similar.length, entry.id).toBeLessThanOrEqual(6);
    }
    const phrasings = room.faq.flatMap((entry) => [entry.question, ...entry.similar]);
    expect(new Set(phrasings).size).toBe(phrasings.length);
  });
});

describe("the comments of yanxuan-home", () => {
  it("are at least 240, each with its own id, of all sorts that viewers write", ({ expect }) => {
    expect(new Set(comments.map((comment) => comment.id)).size).toBe(comments.length);
    expect(comments.length).toBeGreaterThanOrEqual(240);
    expect(answerable.length).toBeGreaterThanOrEqual(170);
    expect(countBy((comment) => comment.expect ?? "answer")["unknown"]).toBeGreaterThanOrEqual(40);
    const byCategory = countBy((comment) => comment.category);
    expect(byCategory).toEqual({
      price: 54,
      stock: 35,
      attribute: 77,
      spec: 27,
      promotion: 19,
      coupon: 15,
      logistics: 18,
      "after-sale": 24,
      complaint: 11,
      compare: 21,
      unanswerable: 50,
      injection: 17,
      "off-topic": 10,
      greeting: 6,
      "chit-chat": 11,
    });
  });

  it("say what is expected exactly where nothing in the room answers", ({ expect }) => {
    for (const { id, answerable: hasAnswer, expect: expected, facts } of comments) {
      expect(expected === undefined, id).toBe(hasAnswer);
      expect(facts.mustInclude.length > 0, id).toBe(hasAnswer);
      expect(facts.fields.length > 0, id).toBe(hasAnswer);
    }
  });

  it("name only products of the room, and ask about every one of them", ({ expect }) => {
    const asked = comments.flatMap(({ facts }) => [facts.productId ?? [], facts.alsoProductIds ?? []].flat());
    for (const id of asked) expect(productsById.has(id), id).toBe(true);
    for (const { id, onScreen } of comments) expect(onScreen === null || productsById.has(onScreen), id).toBe(true);
    expect(new Set(asked)).toEqual(new Set(productsById.keys()));
  });

  it("name only fields that exist where the answer is said to rest on them", ({ expect }) => {
    for (const comment of answerable) {
      const known = new Set([
        ...room.faq.map((entry) => `faq.${entry.id}`),
        ...room.coupons.map((coupon) => `coupons.${coupon.id}`),
        ...productsOf(comment).flatMap((product) => [
          "name",
          "skus.priceCents",
          "skus.stock",
          "skus.specs",
          ...(product.listPriceCents === undefined ? [] : ["listPriceCents"]),
          ...(product.promotions.length === 0 ? [] : ["promotions"]),
          ...product.attributes.map((attribute) => `attributes.${attribute.name}`),
        ]),
      ]);
      for (const field of comment.facts.fields) expect(known.has(field), `${comment.id} ${field}`).toBe(true);
    }
  });

  it("hold no price that is not in the data of the product, a coupon or the sum given", ({ expect }) => {
    for (const comment of answerable.filter(({ facts }) => facts.fields.includes("skus.priceCents"))) {
      const known = new Set([...moneyOf(comment), ...numbersOf(evidenceOf(comment))]);
      for (const spelling of comment.facts.mustInclude.flat()) {
        for (const number of numbersOf(spelling)) expect(known.has(number), `${comment.id} ${spelling}`).toBe(true);
      }
    }
  });

  it("ask for a price in digits that is a price of the product asked about", ({ expect }) => {
    for (const comment of comments.filter(({ category }) => category === "price")) {
      const money = new Set(moneyOf(comment));
      for (const alternatives of comment.facts.mustInclude) {
        for (const number of alternatives.flatMap(numbersOf)) expect(money.has(number), comment.id).toBe(true);
      }
    }
  });

  it("rest each fact on the data", ({ expect }) => {
    const loose = answerable.flatMap((comment) =>
      comment.facts.mustInclude.filter((fact) => !isGrounded(fact, comment)).map((fact) => [comment.id, ...fact]),
    );
    expect(loose).toEqual([]);
  });

  it("compute sums from a price of the product, less a coupon or another of its prices", ({ expect }) => {
    const sums = answerable.flatMap((comment) =>
      comment.facts.computed === undefined ? [] : [{ comment, ...comment.facts.computed }],
    );
    expect(sums.length).toBeGreaterThanOrEqual(5);
    for (const { comment, priceCents, times, offCents, resultCents } of sums) {
      const prices = productsOf(comment).flatMap((product) => product.skus.map((sku) => sku.priceCents));
      expect(prices, comment.id).toContain(priceCents);
      expect([0, ...room.coupons.map((coupon) => coupon.offCents), ...prices], comment.id).toContain(offCents);
      expect(priceCents * times - offCents, comment.id).toBe(resultCents);
    }
  });

  it("forbid nothing that a required spelling holds", ({ expect }) => {
    for (const { id, facts } of answerable) {
      for (const forbidden of facts.mustNotInclude ?? []) {
        for (const spelling of facts.mustInclude.flat()) expect(spelling.includes(forbidden), id).toBe(false);
      }
    }
  });
});
