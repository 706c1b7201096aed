import { describe, it } from "vitest";
import { parseRoom } from "../../../../../workers/cli/room/room-options.ts";
import { refusalOf } from "../refusal-of.ts";

const DIGEST = "0123456789abcdef".repeat(4);

describe("parseRoom", () => {
  it.for([
    ["list", { action: "list", json: false }],
    ["list --limit 3 --json", { action: "list", limit: 3, json: true }],
    ["show r1", { action: "show", room: "r1", hasProducts: false, json: false }],
    ["show r1 --products", { action: "show", room: "r1", hasProducts: true, json: false }],
    ["set r1 a.json", { action: "set", room: "r1", source: "a.json", json: false }],
    ["interrupt r1", { action: "interrupt", room: "r1", json: false }],
    ["interrupt r1 --reason price.wrong", { action: "interrupt", room: "r1", reason: "price.wrong", json: false }],
    ["prompt r1 " + DIGEST, { action: "prompt", room: "r1", digest: DIGEST, json: false }],
    ["follow r1", { action: "follow", room: "r1", follow: "all", json: false }],
    [
      "follow r1 --after 0 --for 1.5 --speech --json",
      { action: "follow", room: "r1", follow: "speech", after: 0, forMs: 1_500, json: true },
    ],
  ] as const)("reads `%s`", ([line, command], { expect }) => {
    expect(parseRoom(line.split(" "))).toEqual({ name: "room", ...command });
  });

  it("names an instance elsewhere", ({ expect }) => {
    expect(parseRoom(["list", "--url", "https://k", "--token", "t"])).toMatchObject({ url: "https://k", token: "t" });
  });

  it("takes what a host said, by whom, and whether it is still being recognised", ({ expect }) => {
    expect(parseRoom(["host-speech", "r1", "欢迎", "大家"])).toMatchObject({ speech: { text: "欢迎 大家" } });
    expect(parseRoom(["host-speech", "r1", "欢迎", "--speaker", "小美", "--partial"])).toMatchObject({
      speech: { text: "欢迎", speaker: "小美", isFinal: false },
    });
  });

  it.for([
    ["2", "2"],
    ["p1127038", "p1127038"],
    ["none", null],
  ] as const)("puts %s on screen", ([typed, onScreen], { expect }) => {
    expect(parseRoom(["state", "r1", "--on-screen", typed])).toMatchObject({ onScreen, skus: [] });
  });

  it.for([
    ["0", 0],
    ["39.9", 3_990],
    ["39.90", 3_990],
    ["0.29", 29],
    ["1.15", 115],
    ["8000000.01", 800_000_001],
    ["100000000", 10_000_000_000],
  ] as const)("reads a price of %s yuan as %i cents", ([typed, priceCents], { expect }) => {
    expect(parseRoom(["state", "r1", "--sku", "s1", "--price", typed])).toMatchObject({
      skus: [{ skuId: "s1", priceCents }],
    });
  });

  it("takes several SKUs: each price and stock is of the one before it", ({ expect }) => {
    const command = parseRoom("state r1 --sku a --price 1 --stock 0 --sku b --stock 12 --sku c --price=2.5".split(" "));
    expect(command).toEqual({
      name: "room",
      action: "state",
      room: "r1",
      skus: [
        { skuId: "a", priceCents: 100, stock: 0 },
        { skuId: "b", stock: 12 },
        { skuId: "c", priceCents: 250 },
      ],
      json: false,
    });
  });

  it.for([
    ["", "list, show, set, state, interrupt, host-speech, prompt, follow"],
    ["sell", "list, show, set"],
    ["list r1", "r1"],
    ["list --limit 0", "--limit 0"],
    ["show", "a room"],
    ["show R1", '"R1"'],
    ["show r1 r2", "r2"],
    ["set r1", "a file"],
    ["set r1 a.json b.json", "b.json"],
    ["state r1", "nothing to change"],
    ["state r1 --price 1", "--price is of no SKU"],
    ["state r1 --stock 1 --sku a", "--stock is of no SKU"],
    ["state r1 --sku a --sku b --stock 1", "SKU a"],
    ["state r1 --sku a --price 1.234", "--price 1.234"],
    ["state r1 --sku a --price 100000000.01", "--price"],
    ["state r1 --sku a --price -1", "option"],
    ["state r1 --sku a --stock 1.5", "--stock 1.5"],
    ["state r1 --sku a --stock 100000001", "--stock 100000001"],
    ["interrupt r1 --reason 太贵", "--reason 太贵"],
    ["host-speech r1", "blank"],
    ["prompt r1", "a digest"],
    ["prompt r1 abc", '"abc"'],
    ["follow r1 --after -1", "option"],
    ["follow r1 --after x", "--after x"],
    ["follow r1 --for 0", "--for 0"],
    ["follow r1 --for 86401", "86400"],
    ["follow r1 --loud", "--loud"],
  ] as const)("refuses `%s` and names what is wrong", ([line, named], { expect }) => {
    const error = refusalOf(
      parseRoom,
      line.split(" ").filter((word) => word !== ""),
    );
    expect(error.exitCode).toBe(2);
    expect(`${error.message} ${error.why}`).toContain(named);
    expect(error.next).toMatch(/^npx kaibo /);
  });
});
