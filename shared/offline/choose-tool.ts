/** Turns a need into a call of a tool that the request offers: by its name and its schema's properties, never by heart. */
import { z } from "zod";
import type { ChatTool } from "./reading/chat-request.ts";
import type { KnownProduct } from "./reading/read-request.ts";

export type ToolNeed =
  | { readonly kind: "product"; readonly product: KnownProduct }
  | { readonly kind: "stock"; readonly product: KnownProduct; readonly spec: string }
  | { readonly kind: "price"; readonly product: KnownProduct; readonly spec: string; readonly quantity: number }
  | { readonly kind: "compare"; readonly products: readonly KnownProduct[] }
  | { readonly kind: "search" | "faq"; readonly query: string }
  | { readonly kind: "promotions" }
  | { readonly kind: "human"; readonly reasons: readonly string[]; readonly message: string }
  | { readonly kind: "skill"; readonly name: string };

export type ToolCall = { readonly name: string; readonly argumentsText: string };

const TOOL_NAMES: Readonly<Record<ToolNeed["kind"], RegExp>> = {
  product: /^(get|query|show|fetch|lookup)_?(product|item|goods)s?$|(product|item|goods)_?(detail|info)/iu,
  stock: /stock|inventory/iu,
  price: /price|quote/iu,
  compare: /compar/iu,
  search: /search_?(product|item|goods)/iu,
  faq: /faq|help_?cent|polic/iu,
  promotions: /promotion|coupon|discount/iu,
  human: /human|hand_?over|escalat|ticket|transfer/iu,
  skill: /^load_skill$/u,
};

/** Tools that a need falls back to: a whole product has its price and stock too. */
const SUBSTITUTES: Readonly<Partial<Record<ToolNeed["kind"], ToolNeed["kind"]>>> = {
  stock: "product",
  compare: "search",
};

const propertySchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
});
type Property = z.infer<typeof propertySchema>;

/** The call that serves the need; `null` when no tool offered does, or one asks for what is not known. */
export function chooseTool(need: ToolNeed, tools: readonly ChatTool[]): ToolCall | null {
  const tool = tools.find((candidate) => TOOL_NAMES[need.kind].test(candidate.name));
  const substitute = SUBSTITUTES[need.kind];
  if (tool === undefined) {
    if (substitute === "product" && "product" in need)
      return chooseTool({ kind: "product", product: need.product }, tools);
    return null;
  }
  const args: Record<string, unknown> = {};
  for (const [name, raw] of Object.entries(tool.parameters.properties)) {
    const property = propertySchema.safeParse(raw).data ?? {};
    const value = valueFor(need, name, property);
    if (value !== undefined) args[name] = value;
    else if (tool.parameters.required.includes(name)) return null;
  }
  return { name: tool.name, argumentsText: JSON.stringify(args) };
}

function valueFor(need: ToolNeed, name: string, property: Property): unknown {
  const value = plainValueFor(need, name.toLowerCase(), property);
  if (value === undefined) return allows(property, "null") ? null : undefined;
  if (property.enum === undefined) return value;
  return property.enum.includes(value) ? value : undefined;
}

function plainValueFor(need: ToolNeed, name: string, property: Property): unknown {
  switch (need.kind) {
    case "product":
    case "stock":
    case "price":
      return productValueFor(need, name, property);
    case "compare":
      return /product|item|goods|ids|links/u.test(name)
        ? need.products.map((each) => referenceTo(each, name))
        : undefined;
    case "search":
    case "faq":
      return queryFor(need.query, name);
    case "skill":
      return name === "name" ? need.name : undefined;
    case "human":
      return humanValueFor(need, name, property);
    case "promotions":
      return undefined;
  }
}

function queryFor(query: string, name: string): string | undefined {
  return /query|keyword|question|text|^q$/u.test(name) ? Array.from(query).slice(0, 100).join("") : undefined;
}

function productValueFor(
  need: Extract<ToolNeed, { product: KnownProduct }>,
  name: string,
  property: Property,
): unknown {
  if (/spec|sku|variant|option/u.test(name)) return need.kind === "product" ? "" : need.spec;
  if (/product|item|goods|^id$|link/u.test(name)) return referenceTo(need.product, name, property);
  return need.kind === "price" && /quantity|count|qty|amount|num/u.test(name) ? need.quantity : undefined;
}

function humanValueFor(need: Extract<ToolNeed, { kind: "human" }>, name: string, property: Property): unknown {
  if (/reason|category|type/u.test(name)) {
    return property.enum === undefined
      ? need.reasons[0]
      : (need.reasons.find((reason) => property.enum?.includes(reason)) ?? property.enum.at(-1));
  }
  return /message|summary|content|description|note/u.test(name) ? need.message : undefined;
}

function referenceTo(product: KnownProduct, name: string, property: Property = {}): string | number {
  if (allows(property, "integer") || allows(property, "number")) return product.link;
  return /link/u.test(name) ? String(product.link) : (product.id ?? String(product.link));
}

function allows(property: Property, type: string): boolean {
  return property.type === type || (Array.isArray(property.type) && property.type.includes(type));
}
