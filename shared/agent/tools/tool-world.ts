/** What builtin tools may read: the room as this turn sees it. They change nothing outside the turn's record. */
import type { Product, RoomConfig } from "../../contract/room-config.ts";
import type { RoomSnapshot } from "../../contract/room-state.ts";
import type { ProductFact } from "../../contract/fact.ts";
import { toProductFact } from "../facts/product-fact.ts";
import { resolveProduct, type ProductIndex } from "../facts/product-index.ts";

export type ToolWorld = {
  readonly turn: string;
  readonly config: RoomConfig;
  readonly snapshot: RoomSnapshot;
  readonly products: ProductIndex;
};

export type ToolArguments = Readonly<Record<string, unknown>>;

/** A builtin's answer: facts for the policy, or a business error that it can mend. */
export type BuiltinResult =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly message: string };

export type Builtin = (args: ToolArguments, world: ToolWorld) => BuiltinResult;

export function found(output: unknown): BuiltinResult {
  return { ok: true, output };
}

export function notFound(message: string): BuiltinResult {
  return { ok: false, message };
}

/** The product that `product` names, by link number, id or name; the one on screen where it is empty. */
export function productOf(args: ToolArguments, world: ToolWorld): Product | null {
  const reference = textOf(args, "product");
  if (reference === "") return world.products.byId.get(world.snapshot.onScreenProductId ?? "") ?? null;
  return resolveProduct(world.products, reference);
}

export function factOf(product: Product, world: ToolWorld): ProductFact {
  return toProductFact(product, world.snapshot.skuOverrides);
}

/** A text argument; absent and null read as empty. The schema has refused other types. */
export function textOf(args: ToolArguments, name: string): string {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  return typeof value === "string" ? value.trim() : "";
}

export function numberOf(args: ToolArguments, name: string): number | null {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  return typeof value === "number" ? value : null;
}
