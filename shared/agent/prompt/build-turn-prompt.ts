/** The volatile end of a prompt: short, last, and all of it evidence but the harness's own words around it. */
import { normaliseForMatch } from "../../core/text.ts";
import type { Knowledge } from "../../contract/harness-bundle.ts";
import type { Product } from "../../contract/room-config.ts";
import type { HeardLine } from "../../contract/room-state.ts";
import type { LiveFacts, TurnLease } from "../../contract/turn-lease.ts";
import { fillSections, type CompiledHarness } from "../compiled-harness.ts";
import { evidenceBlock } from "../evidence.ts";
import { toCouponFact, toProductFact } from "../facts/product-fact.ts";
import { couponsAt } from "../facts/timed-coupons.ts";
import { searchProducts } from "../facts/product-index.ts";
import type { PromptPrefix } from "./build-prefix.ts";
import { strategyBlock } from "./strategy-block.ts";
import type { TemplateValues } from "./template.ts";
import { wordingsOf } from "./wordings.ts";

/** Characters (code points) of recent speech in a prompt, latest lines first to stay. */
const HEARD_CHARS_MAX = 400;

/**
 * Changed products that are listed with each SKU beside the facts of the question. The rest are listed too, one short line
 * each: a product that is left out would be spoken of, and checked, at the catalogue's old price.
 */
const CHANGES_MAX = 20;

const KNOWLEDGE_MAX = 3;

export type TurnPrompt = {
  /** Text after the room's evidence in the first user message. */
  readonly text: string;
  /** What hooks may compare with: facts, changes and knowledge, never the viewers' own words. */
  readonly evidence: readonly string[];
};

/** Inputs that hooks may have changed: the messages' texts in order, and what they added. */
export type TurnInputs = {
  readonly texts: readonly string[];
  readonly contexts: readonly string[];
  /** For offers that hold for a while, ms since the epoch. */
  readonly nowMs: number;
};

export function buildTurnPrompt(
  harness: CompiledHarness,
  prefix: PromptPrefix,
  lease: TurnLease,
  inputs: TurnInputs,
): TurnPrompt {
  const { snapshot } = lease;
  const onScreen = prefix.products.byId.get(snapshot.onScreenProductId ?? "");
  // "这个" of a viewer who asked before the screen changed is what was on it then.
  const asked = lease.askedOnScreenProductId === snapshot.onScreenProductId ? null : lease.askedOnScreenProductId;
  const meant = prefix.products.byId.get(asked ?? "");
  const facts = pickProducts(harness, prefix, meant ?? onScreen, inputs.texts);
  const changed = changedProducts(prefix, lease, facts);
  const coupons = evidenceBlock("coupons", couponsAt(prefix.timedCoupons, inputs.nowMs).map(toCouponFact));
  const state = evidenceBlock("state", [{ onScreen: onScreen === undefined ? null : nameOf(onScreen) }]);
  const blocks: TemplateValues<"turn"> = {
    "turn.strategy": strategyBlock(lease.strategy, lease),
    "turn.state": [state, coupons].filter((text) => text !== "").join("\n"),
    "turn.changes": evidenceBlock(
      "changes",
      changed.map((product, index) => changeOf(product, lease, index < CHANGES_MAX)),
    ),
    "turn.heard": evidenceBlock("heard", lastLines(snapshot.heard)),
    "turn.facts": evidenceBlock(
      "facts",
      facts.map((product) => toProductFact(product, snapshot.skuOverrides)),
    ),
    "turn.knowledge": evidenceBlock("knowledge", pickKnowledge(harness.bundle.knowledge, inputs.texts)),
    "turn.context": evidenceBlock(
      "context",
      inputs.contexts.map((text) => ({ text })),
    ),
    "turn.messages": evidenceBlock(
      "messages",
      inputs.texts.map((text, index) => ({
        ...viewerOf(lease, index),
        text,
        ...askersOf(lease, index),
        ...(meant !== undefined && { askedOnScreen: nameOf(meant) }),
      })),
    ),
  };
  const evidence = [coupons, blocks["turn.facts"], blocks["turn.changes"], blocks["turn.knowledge"]];
  return {
    text: fillSections(harness.bundle, harness.bundle.sections.turn, blocks),
    evidence: evidence.filter((text) => text !== ""),
  };
}

/** Named products first, then the one that was on screen: "这个" needs it, and most questions are about it. */
function pickProducts(
  harness: CompiledHarness,
  prefix: PromptPrefix,
  onScreen: Product | undefined,
  texts: readonly string[],
): Product[] {
  const countMax = harness.bundle.budgets.factsMax;
  const named = searchProducts(prefix.products, texts.join("\n"), onScreen === undefined ? countMax : countMax - 1);
  return [...new Set([...named, ...(onScreen === undefined ? [] : [onScreen])])].slice(0, countMax);
}

/** All products whose live values differ from the catalogue and that `facts` does not show already. */
function changedProducts(prefix: PromptPrefix, lease: TurnLease, facts: readonly Product[]): Product[] {
  const { skuOverrides } = lease.snapshot;
  return prefix.products.products
    .map((entry) => entry.product)
    .filter((product) => !facts.includes(product) && product.skus.some((sku) => Object.hasOwn(skuOverrides, sku.id)));
}

/** What holds now of products that have changed since the prompt was built, as evidence for the policy and its guards. */
export function changesBlock(prefix: PromptPrefix, { snapshot }: LiveFacts, productIds: readonly string[]): string {
  const products = productIds.flatMap((id) => prefix.products.byId.get(id) ?? []);
  const onScreen = prefix.products.byId.get(snapshot.onScreenProductId ?? "");
  return evidenceBlock("changes", [
    { onScreen: onScreen === undefined ? null : nameOf(onScreen) },
    ...products.map((product) => ({
      ...nameOf(product),
      skus: toProductFact(product, snapshot.skuOverrides).skus ?? [],
    })),
  ]);
}

/** What holds now, in full or as the range of prices and the pieces of all SKUs together. */
function changeOf(product: Product, lease: TurnLease, isFull: boolean): object {
  const skus = toProductFact(product, lease.snapshot.skuOverrides).skus ?? [];
  if (isFull) return { ...nameOf(product), skus };
  const prices = skus.map((sku) => sku.price);
  return {
    link: product.link,
    id: product.id,
    priceFrom: Math.min(...prices),
    priceTo: Math.max(...prices),
    stock: skus.reduce((sum, sku) => sum + sku.stock, 0),
  };
}

/** Whole lines, but for a newest one that is too long alone: its end is kept, for that was heard last. */
function lastLines(heard: readonly HeardLine[]): { speaker: string; text: string }[] {
  const lines: { speaker: string; text: string }[] = [];
  let chars = 0;
  for (const { speaker, text } of heard.toReversed()) {
    const kept = lines.length === 0 ? [...text].slice(-HEARD_CHARS_MAX) : [...text];
    chars += kept.length;
    if (chars > HEARD_CHARS_MAX) break;
    lines.unshift({ speaker, text: kept.join("") });
  }
  return lines;
}

function pickKnowledge(knowledge: readonly Knowledge[], texts: readonly string[]): { text: string }[] {
  const question = normaliseForMatch(texts.join("\n"));
  return knowledge
    .filter(({ keywords }) => keywords.some((keyword) => question.includes(normaliseForMatch(keyword))))
    .slice(0, KNOWLEDGE_MAX)
    .map(({ text }) => ({ text }));
}

/** How many asked this, beside its first wording. */
function askersOf({ askers }: TurnLease, index: number): { askers?: number } {
  return askers > 1 && index === 0 ? { askers } : {};
}

function viewerOf(lease: TurnLease, index: number): { viewer?: string } {
  const name = wordingsOf(lease.messages)[index]?.viewer?.name;
  return name === undefined ? {} : { viewer: name };
}

function nameOf(product: Product): { link: number; id: string; name: string } {
  return { link: product.link, id: product.id, name: product.name };
}
