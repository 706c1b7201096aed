/** What one configuration of a room changes in another. Pure. */
import { isDeepStrictEqual } from "node:util";
import type { RoomConfig } from "../../../shared/contract/room-config.ts";

type Field = keyof RoomConfig;
type ListField = "rules" | "products" | "coupons" | "faq";

/** A list tells which entries are others: by id, and rules by their words. All empty: only the order is another. */
export type RoomChange =
  | { readonly field: Exclude<Field, ListField>; readonly before: unknown; readonly after: unknown }
  | {
      readonly field: ListField;
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
    };

const FIELDS = ["title", "merchant", "locale", "currency", "harness", "voice"] as const;
const LISTS = ["rules", "products", "coupons", "faq"] as const;

/** Both with their defaults filled in, or an absent field would look like another. */
export function diffRooms(before: RoomConfig, after: RoomConfig): RoomChange[] {
  const fields = FIELDS.filter((field) => !isDeepStrictEqual(before[field], after[field])).map((field): RoomChange => ({
    field,
    before: before[field] ?? null,
    after: after[field] ?? null,
  }));
  const lists = LISTS.filter((field) => !isDeepStrictEqual(before[field], after[field])).map((field): RoomChange => ({
    field,
    ...diffEntries(byId(before[field]), byId(after[field])),
  }));
  return [...fields, ...lists];
}

function byId(list: readonly (string | { readonly id: string })[]): ReadonlyMap<string, unknown> {
  return new Map(list.map((entry) => [typeof entry === "string" ? entry : entry.id, entry]));
}

function diffEntries(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>) {
  const kept = [...after.keys()].filter((id) => before.has(id));
  return {
    added: [...after.keys()].filter((id) => !before.has(id)),
    removed: [...before.keys()].filter((id) => !after.has(id)),
    changed: kept.filter((id) => !isDeepStrictEqual(before.get(id), after.get(id))),
  };
}
