/** The stable part of a room's prompt: the same bytes for every turn until the harness or the configuration changes. */
import { utf8Bytes } from "../../core/text.ts";
import type { Coupon } from "../../contract/room-config.ts";
import type { RoomSetup } from "../../contract/turn-lease.ts";
import { fillSections, type CompiledHarness } from "../compiled-harness.ts";
import { evidenceBlock, evidenceLine } from "../evidence.ts";
import { toCouponFact, toProductFact, toShortProductFact } from "../facts/product-fact.ts";
import { isTimed } from "../facts/timed-coupons.ts";
import { indexProducts, type ProductIndex } from "../facts/product-index.ts";
import type { TemplateValues } from "./template.ts";

export type PromptPrefix = {
  /** The system message: harness sections first, so that all rooms of a harness share its leading bytes. */
  readonly system: string;
  /** Start of the first user message: the room's evidence. */
  readonly room: string;
  /** The same evidence, for hooks that compare a sentence with it. */
  readonly evidence: readonly string[];
  readonly products: ProductIndex;
  /** Offers that hold for a while: whether one does is told in each turn. */
  readonly timedCoupons: readonly Coupon[];
};

/** Everything in it depends on the harness version and the configuration revision alone: cache it by these two. */
export function buildPrefix(harness: CompiledHarness, setup: RoomSetup): PromptPrefix {
  const { bundle } = harness;
  const { config } = setup;
  const words: TemplateValues<"merchant"> = {
    "room.title": unfenced(config.title),
    "merchant.name": unfenced(config.merchant.name),
    "merchant.rules": config.rules.map((rule) => `- ${unfenced(rule)}`).join("\n"),
  };
  const merchant = fillSections(bundle, bundle.sections.merchant, words);
  const blocks: TemplateValues<"room"> = {
    "room.shop": evidenceBlock("shop", [{ title: config.title, merchant: config.merchant.name }]),
    "room.catalogue": catalogueBlock(setup, bundle.budgets.catalogueBytesMax),
    "room.faq": evidenceBlock(
      "faq",
      config.faq.map(({ question, similar, answer }) => ({ question, ...(similar.length > 0 && { similar }), answer })),
    ),
    "room.coupons": evidenceBlock("coupons", config.coupons.filter((coupon) => !isTimed(coupon)).map(toCouponFact)),
    "room.context": evidenceBlock(
      "context",
      setup.sessionContext.map((text) => ({ text })),
    ),
  };
  return {
    system: [harness.systemText, merchant].filter((text) => text !== "").join("\n\n"),
    room: fillSections(bundle, bundle.sections.room, blocks),
    evidence: Object.values(blocks).filter((text) => text !== ""),
    products: indexProducts(config.products),
    timedCoupons: config.coupons.filter(isTimed),
  };
}

/** In full while it fits, because a listed fact saves a model call; else by name and price, with details by tool. */
function catalogueBlock(setup: RoomSetup, bytesMax: number): string {
  const products = setup.config.products.toSorted((a, b) => a.link - b.link);
  const full = evidenceBlock(
    "catalogue",
    products.map((product) => toProductFact(product, {})),
  );
  return utf8Bytes(full) <= bytesMax ? full : evidenceBlock("catalogue", products.map(toShortProductFact));
}

/** Merchants' words that stand outside the fence are written like evidence inside, so that it cannot open or close one. */
function unfenced(rule: string): string {
  return evidenceLine(rule).slice(1, -1);
}
