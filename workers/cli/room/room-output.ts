/** What `kaibo room` prints for people. Pure. Names stand last in their lines: Chinese letters are two columns wide. */
import type { z } from "zod";
import type { roomListSchema } from "../../../shared/contract/http-api.ts";
import type { Product, RoomConfig } from "../../../shared/contract/room-config.ts";
import type { RoomPatch } from "../../../shared/contract/room-state.ts";
import type { RoomView } from "../../../shared/contract/room-view.ts";
import type { RoomChange } from "./diff-room.ts";
import { oneLine, shortVersion, timeOf } from "../format-cells.ts";
import { formatTable } from "../format-table.ts";
import type { Paint } from "../harness/harness-output.ts";

export type RoomList = z.infer<typeof roomListSchema>;

/** What became of `room set`; `before`: `null` for a new room. */
export type RoomSet = {
  readonly room: string;
  readonly revision: number;
  readonly harness: HarnessRef;
  readonly before: { readonly revision: number; readonly harness: HarnessRef } | null;
  readonly changes: readonly RoomChange[];
};

export type HarnessRef = { readonly name: string; readonly version: string };

/** Entries of a list, or open turns, that are named; more are counted. */
const NAMED_MAX = 5;

/** Characters of one value in a change; more is for reading the file. */
const VALUE_CHARS_MAX = 80;

/** A line each, and what to type for the rooms that were left out. */
export function formatRooms({ rooms, nextCursor }: RoomList, paint: Paint): string {
  if (rooms.length === 0) return "There is no room.\nA first one: npx kaibo room set <room> <file.json>\n";
  const rows = rooms.map(({ id, merchantId, harness, updatedAtMs, title }) => [
    id,
    `${harness.name}@${harness.channel ?? "one version"}`,
    merchantId,
    timeOf(updatedAtMs),
    title,
  ]);
  const more = nextCursor === null ? "" : paint("dim", "There are more: --limit N") + "\n";
  return formatTable([["room", "harness", "merchant", "configured", "title"], ...rows]) + more;
}

/**
 * The room, and the SKUs of the product on screen with their live prices and stocks.
 *
 * @param hasProducts - Those of every product instead.
 */
export function formatRoom(view: RoomView, { hasProducts, paint }: { hasProducts: boolean; paint: Paint }): string {
  const { room, config, snapshot } = view;
  const shown = config.products.find(({ id }) => id === snapshot.onScreenProductId);
  const products = hasProducts ? config.products : shown === undefined ? [] : [shown];
  const heard = snapshot.heard.map(({ speaker, text }) => `  ${speaker}: ${oneLine(text)}\n`).join("");
  return [
    `${paint("bold", room)}: ${config.title}\n${formatPairs(pairsOf(view, shown))}`,
    ...(products.length === 0 ? [] : [formatProducts(products, view)]),
    ...(heard === "" ? [] : [`${paint("bold", "Heard lately")}\n${heard}`]),
  ].join("\n");
}

function pairsOf({ config, revision, harness, snapshot, openTurns, ...view }: RoomView, shown: Product | undefined) {
  const { products, rules, coupons, faq, merchant, voice } = config;
  const skus = products.reduce((sum, product) => sum + product.skus.length, 0);
  const served = "channel" in config.harness ? `channel ${config.harness.channel}` : "this version only";
  const live = Object.keys(snapshot.skuOverrides).length;
  const pairs: [name: string, value: string][] = [
    ["merchant", `${merchant.id} ${merchant.name}`],
    ["harness", `${formatHarness(harness)}, ${served}`],
    ["revision", `${revision}; the log stands at frame ${view.seq}`],
    ["on screen", shown === undefined ? "nothing" : formatProduct(shown)],
    ["sells", `${products.length} products, ${skus} SKUs, ${live} of them with a live price or stock`],
    ["knows", `${rules.length} rules, ${coupons.length} coupons, ${faq.length} answers`],
    ["open turns", openTurns.length === 0 ? "none" : formatNamed(openTurns)],
    ["rows written", `${view.rowsWritten} since its object woke`],
  ];
  const { trial, refused } = view.release;
  if (trial !== null) pairs.push(["trial", `${trial.arm} of ${trial.id}`]);
  if (refused !== null) {
    const { version, code, atMs } = refused;
    pairs.push(["could not take", `${shortVersion(version)}: ${code}, ${timeOf(atMs)}`]);
  }
  if (voice !== undefined) pairs.push(["voice", `${voice.name ?? "the deployment's"}, speed ${voice.speed ?? 1}`]);
  return pairs;
}

/** A row for each SKU. What is live stands behind what is configured. */
function formatProducts(products: readonly Product[], { snapshot }: RoomView): string {
  const rows = products.flatMap(({ link, id, name, skus }) =>
    skus.map((sku) => {
      const live = snapshot.skuOverrides[sku.id];
      const price = changeOf(formatYuan(sku.priceCents), formatYuan(live?.priceCents ?? sku.priceCents));
      const stock = changeOf(`${sku.stock}`, `${live?.stock ?? sku.stock}`);
      return [`${link}`, id, sku.id, price, stock, `${name} ${sku.specs.join(" ")}`];
    }),
  );
  return formatTable([["link", "product", "sku", "yuan", "stock", "name"], ...rows]);
}

/** What became of `set`: revision and harness, then what is another in the configuration. */
export function formatSet({ room, revision, harness, before, changes }: RoomSet, paint: Paint): string {
  if (before === null) return `${room} was made: revision ${revision}, ${formatHarness(harness)}\n`;
  const versions = changeOf(formatHarness(before.harness), formatHarness(harness));
  if (before.revision === revision)
    return `${room} has this configuration already: revision ${revision}, ${versions}\n`;
  const head = `${paint("bold", room)}: revision ${before.revision} → ${revision}, ${versions}\n`;
  return head + changes.map((change) => `  ${formatChange(change, paint)}\n`).join("");
}

function formatChange(change: RoomChange, paint: Paint): string {
  if ("before" in change) {
    return `${change.field}: ${paint("red", valueText(change.before))} → ${paint("green", valueText(change.after))}`;
  }
  const parts = [
    ...(change.added.length === 0 ? [] : [paint("green", `added ${formatNamed(change.added)}`)]),
    ...(change.removed.length === 0 ? [] : [paint("red", `removed ${formatNamed(change.removed)}`)]),
    ...(change.changed.length === 0 ? [] : [`changed ${formatNamed(change.changed)}`]),
  ];
  return `${change.field}: ${parts.join("; ") || "another order"}`;
}

/** What a change of the live state does, by the room as it was read before. */
export function formatPatch(patch: RoomPatch, { config, snapshot }: Pick<RoomView, "config" | "snapshot">): string {
  const lines: string[] = [];
  if (patch.onScreenProductId !== undefined) {
    const before = snapshot.onScreenProductId;
    lines.push(`on screen: ${changeOf(nameProduct(config, before), nameProduct(config, patch.onScreenProductId))}`);
  }
  for (const { skuId, priceCents, stock } of patch.skus ?? []) {
    const configured = config.products.flatMap(({ skus }) => skus).find(({ id }) => id === skuId);
    const before = { ...configured, ...snapshot.skuOverrides[skuId] };
    if (priceCents !== undefined) {
      lines.push(`${skuId}: ${changeOf(formatYuan(before.priceCents ?? 0), formatYuan(priceCents))} yuan`);
    }
    if (stock !== undefined) lines.push(`${skuId}: stock ${changeOf(`${before.stock ?? 0}`, `${stock}`)}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

function nameProduct({ products }: RoomConfig, productId: string | null): string {
  if (productId === null) return "nothing";
  const product = products.find(({ id }) => id === productId);
  return product === undefined ? productId : formatProduct(product);
}

function formatProduct({ link, id, name }: Product): string {
  return `link ${link}, ${id} ${name}`;
}

export function formatHarness({ name, version }: HarnessRef): string {
  return `${name}@${shortVersion(version)}`;
}

export function formatYuan(cents: number): string {
  return (cents / 100).toFixed(2);
}

function changeOf(before: string, after: string): string {
  return before === after ? after : `${before} → ${after}`;
}

function formatNamed(names: readonly string[]): string {
  const more = names.length > NAMED_MAX ? ", …" : "";
  return `${names.length} (${names.slice(0, NAMED_MAX).join(", ")}${more})`;
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= VALUE_CHARS_MAX ? text : `${text.slice(0, VALUE_CHARS_MAX)}…`;
}

function formatPairs(pairs: readonly (readonly [name: string, value: string])[]): string {
  return formatTable(pairs.map(([name, value]) => [`  ${name}`, value]));
}
