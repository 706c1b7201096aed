/** One question with everything that answering it needs: the products meant, what is wanted, what it is about. */
import type { ToolNeed } from "../choose-tool.ts";
import { classifyQuestion, type QuestionReading } from "./classify-question.ts";
import { askedGroups } from "./find-attribute.ts";
import { findProducts, type ProductReference } from "./find-product.ts";
import type { Topic } from "./follow-rules.ts";
import { topicsOf } from "./match-faq.ts";
import type { KnownProduct, KnownWorld } from "./read-request.ts";
import { subjectWords } from "./subject-words.ts";
import { countShared, pairsOf, toPlain } from "./text-overlap.ts";

/** A product and how the question referred to it. */
export type Subject = { readonly product: KnownProduct; readonly name: string };

export type Asked = {
  readonly world: KnownWorld;
  /** As the viewer wrote it, without orders to the host. */
  readonly whole: string;
  /** Without link numbers and product names. */
  readonly rest: string;
  readonly reference: ProductReference;
  readonly reading: QuestionReading;
  readonly topics: readonly Topic[];
  readonly subjects: readonly Subject[];
};

/** A piece of an answer. `isKnown` false: it only admits that nothing is known. */
export type Part = {
  readonly lines: readonly string[];
  readonly needs?: readonly ToolNeed[];
  readonly isKnown?: boolean;
};

/**
 * Reads a question.
 *
 * @param inherited - The product of the viewer's sentence before, used where this one names none.
 */
export function readQuestion(world: KnownWorld, whole: string, inherited: ProductReference | null): Asked {
  const found = findProducts(whole, world);
  const isBare = found.how === "screen" || found.how === "none";
  const reference = isBare && inherited !== null ? { ...inherited, rest: found.rest } : found;
  const reading = settleAmount(classifyQuestion(reference.rest), reference);
  // "买完降价了退差价吗" is about the shop's ways, not about prices to come.
  const isGuard = topicsOf(found.rest).includes("price-guard");
  const topics: Topic[] = reading.intents.filter((intent) => !(isGuard && intent === "price-future"));
  if (topicsOf(reference.rest).includes("arrival")) topics.push("arrival");
  if (/(退款|退钱|钱).{0,6}(多久|几天|什么时候|啥时候|到账)|赔/u.test(whole)) topics.push("return");
  const products = reference.how === "unclear" ? [] : comparedProducts(world, reference, reading);
  return {
    world,
    whole,
    rest: reference.rest,
    reference,
    reading,
    topics,
    subjects: products.map((product) =>
      toSubject(product, products.length === 1 && product.link === world.onScreen?.link),
    ),
  };
}

/** "玛瑙红多少" asks for a price; "月销多少" asks for something that only the facts may know. */
function settleAmount(reading: QuestionReading, { rest, products }: ProductReference): QuestionReading {
  if (!reading.intents.includes("amount")) return reading;
  const known = pairsOf(toPlain(JSON.stringify(products.map(({ name, aliases, skus }) => [name, aliases, skus]))));
  const isNamed = subjectWords(rest).every((word) => countShared(pairsOf(word), known) > 0);
  const isPrice = isNamed && askedGroups(rest).length === 0;
  const others = reading.intents.filter((intent) => intent !== "amount");
  return { ...reading, intents: isPrice ? ["price", ...others] : others };
}

/** "和蚕丝被比哪个好" names one of two: the other is on screen. */
function comparedProducts(
  world: KnownWorld,
  reference: ProductReference,
  reading: QuestionReading,
): readonly KnownProduct[] {
  const { products, how } = reference;
  const screen = world.meant;
  if (!reading.intents.includes("compare") || how === "screen" || products.length !== 1 || screen === null)
    return products;
  return products[0]?.link === screen.link ? products : [screen, ...products];
}

/** "这款" for what everyone sees, the link and the name for everything else. */
export function toSubject(product: KnownProduct, isOnScreen: boolean): Subject {
  return { product, name: isOnScreen ? "这款" : `${product.link}号链接的${product.name}` };
}
