import { describe, it } from "vitest";
import type { RoomChange } from "../../../../../workers/cli/room/diff-room.ts";
import { formatPatch, formatRoom, formatRooms, formatSet } from "../../../../../workers/cli/room/room-output.ts";
import { HARNESS } from "../../../../helpers/frames.ts";
import { aRoomView } from "./a-room-view.ts";

const paint = (_: string, text: string) => text;

describe("formatRooms", () => {
  it("has a line for each room, and the title last", ({ expect }) => {
    const room = { id: "r1", title: "家纺专场", merchantId: "m1", updatedAtMs: Date.UTC(2026, 11, 3, 5) };
    const list = {
      rooms: [
        { ...room, harness: { name: "live-host", channel: "production" } },
        { ...room, id: "room-2", harness: { name: "live-host", channel: null } },
      ],
      nextCursor: "room-2",
    };
    expect(formatRooms(list, paint)).toBe(
      "room    harness                merchant  configured            title\n" +
        "r1      live-host@production   m1        2026-12-03T05:00:00Z  家纺专场\n" +
        "room-2  live-host@one version  m1        2026-12-03T05:00:00Z  家纺专场\n" +
        "There are more: --limit N\n",
    );
  });

  it("says how to make the first one", ({ expect }) => {
    expect(formatRooms({ rooms: [], nextCursor: null }, paint)).toContain("npx kaibo room set");
  });
});

describe("formatRoom", () => {
  it("says what the room is, and what the product on screen costs now", ({ expect }) => {
    expect(formatRoom(aRoomView(), { hasProducts: false, paint })).toBe(
      [
        "r1: 测试直播间",
        "  merchant      m1 好物小店",
        "  harness       live-host@aaaaaaaa, channel production",
        "  revision      3; the log stands at frame 120",
        "  on screen     link 1, p1 纯棉毛巾",
        "  sells         2 products, 2 SKUs, 1 of them with a live price or stock",
        "  knows         1 rules, 0 coupons, 0 answers",
        "  open turns    none",
        "  rows written  40 since its object woke",
        "",
        "link  product  sku      yuan           stock  name",
        "1     p1       p1-blue  49.90 → 39.90  12     纯棉毛巾 蓝",
        "",
      ].join("\n"),
    );
  });

  it("says which trial the room takes part in, and which version it could not take", ({ expect }) => {
    const refused = { version: "b".repeat(64), code: "harness_corrupt", atMs: Date.UTC(2026, 11, 3, 5) };
    const release = { seq: 4, trial: { id: "c".repeat(8), arm: "canary" as const }, refused };
    const text = formatRoom(aRoomView({ release }), { hasProducts: false, paint });
    expect(text).toMatch(/\n {2}trial +canary of cccccccc\n/);
    expect(text).toMatch(/\n {2}could not take +bbbbbbbb: harness_corrupt, 2026-12-03T05:00:00Z\n/);
  });

  it("shows every product when asked to, who waits, and what was heard on one line each", ({ expect }) => {
    const heard = [{ speaker: "小美", text: "欢迎\n大家", atMs: 1 }];
    const snapshot = { onScreenProductId: null, skuOverrides: {}, heard };
    const openTurns = ["t1", "t2", "t3", "t4", "t5", "t6"];
    const text = formatRoom(aRoomView({ snapshot, openTurns }), { hasProducts: true, paint });
    expect(text).toContain("on screen     nothing\n");
    expect(text).toContain("open turns    6 (t1, t2, t3, t4, t5, …)\n");
    expect(text).toMatch(/\n7 +p2 +p2-grey +89\.00 +3 +浴巾 灰\n/);
    expect(text).toContain("Heard lately\n  小美: 欢迎 大家\n");
  });
});

describe("formatSet", () => {
  const saved = { room: "r1", revision: 4, harness: { ...HARNESS, version: "b".repeat(64) } };

  it("says what was made", ({ expect }) => {
    const text = formatSet({ ...saved, revision: 1, before: null, changes: [] }, paint);
    expect(text).toBe("r1 was made: revision 1, live-host@bbbbbbbb\n");
  });

  it("says what is another: revision, harness, fields and entries", ({ expect }) => {
    const changes: RoomChange[] = [
      { field: "title", before: "旧", after: "新" },
      { field: "products", added: ["p3"], removed: [], changed: ["p1", "p2"] },
      { field: "rules", added: [], removed: [], changed: [] },
    ];
    expect(formatSet({ ...saved, before: { revision: 3, harness: HARNESS }, changes }, paint)).toBe(
      "r1: revision 3 → 4, live-host@aaaaaaaa → live-host@bbbbbbbb\n" +
        '  title: "旧" → "新"\n' +
        "  products: added 1 (p3); changed 2 (p1, p2)\n" +
        "  rules: another order\n",
    );
  });

  it("says that nothing is another", ({ expect }) => {
    const same = { ...saved, before: { revision: 4, harness: saved.harness }, changes: [] };
    expect(formatSet(same, paint)).toBe("r1 has this configuration already: revision 4, live-host@bbbbbbbb\n");
  });
});

describe("formatPatch", () => {
  it("says what was there and what is there now, live values before configured ones", ({ expect }) => {
    const patch = {
      onScreenProductId: "p2",
      skus: [
        { skuId: "p1-blue", priceCents: 2_990, stock: 5 },
        { skuId: "p2-grey", priceCents: 8_900 },
      ],
    };
    expect(formatPatch(patch, aRoomView())).toBe(
      "on screen: link 1, p1 纯棉毛巾 → link 7, p2 浴巾\n" +
        "p1-blue: 39.90 → 29.90 yuan\n" +
        "p1-blue: stock 12 → 5\n" +
        "p2-grey: 89.00 yuan\n",
    );
    expect(formatPatch({ onScreenProductId: null }, aRoomView())).toBe("on screen: link 1, p1 纯棉毛巾 → nothing\n");
  });
});
