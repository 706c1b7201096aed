/** Builders of rooms and leases. A test names only the field that it is about. */
import type { TurnLease, RoomSetup } from "../../shared/contract/turn-lease.ts";
import { productSchema, roomConfigSchema, type Product, type RoomConfig } from "../../shared/contract/room-config.ts";

export function aProduct(fields: Partial<Record<keyof Product, unknown>> = {}): Product {
  const base = {
    id: "p1",
    link: 1,
    name: "纯棉毛巾",
    specNames: ["颜色"],
    skus: [{ id: "p1-blue", specs: ["蓝"], priceCents: 3990, stock: 12 }],
  };
  return productSchema.parse({ ...base, ...fields });
}

export function aRoomConfig(fields: Partial<Record<keyof RoomConfig, unknown>> = {}): RoomConfig {
  return roomConfigSchema.parse({
    title: "测试直播间",
    merchant: { id: "m1", name: "好物小店" },
    harness: { name: "live-host", channel: "production" },
    products: [aProduct()],
    ...fields,
  });
}

export function aSetup(fields: Partial<RoomSetup> = {}): RoomSetup {
  return {
    revision: 1,
    config: aRoomConfig(),
    harness: { name: "live-host", version: "0".repeat(64) },
    sessionContext: [],
    ...fields,
  };
}

export function aLease(fields: Partial<TurnLease> = {}): TurnLease {
  return {
    room: "room-1",
    merchant: "m1",
    turn: "t1",
    attempt: 1,
    priority: 4,
    deadlineAtMs: 8_000,
    acceptedAtMs: 0,
    messages: [{ id: "m1", text: "1号链接多少钱" }],
    askers: 1,
    askedOnScreenProductId: null,
    sayAtMs: null,
    strategy: null,
    spoken: [],
    harness: { name: "live-host", version: "0".repeat(64) },
    configRevision: 1,
    releaseSeq: 0,
    snapshot: { onScreenProductId: null, skuOverrides: {}, heard: [] },
    stateSeq: 0,
    knownPrefixDigest: null,
    ...fields,
  };
}
