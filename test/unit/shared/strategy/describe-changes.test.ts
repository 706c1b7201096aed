import { describe, it } from "vitest";
import { describeChanges } from "../../../../shared/strategy/describe-changes.ts";
import { roomPrefix } from "./strategies.ts";

const products = roomPrefix.products.products.map(({ product }) => product);
const changesOf = (overrides: Parameters<typeof describeChanges>[1], onScreen: string | null = null) =>
  describeChanges(products, overrides, onScreen).map(({ link, changes }) => [link, ...changes]);

describe("describeChanges", () => {
  it.for([
    [{ "p1-blue": { priceCents: 2_990 } }, [1, "降价"]],
    [{ "p1-blue": { priceCents: 4_990 } }, [1, "涨价"]],
    [{ "p2-24": { priceCents: 14_900 }, "p2-28": { priceCents: 19_900 } }, [2, "价格有变"]],
    [{ "p1-blue": { stock: 0 } }, [1, "卖完"]],
    [{ "p2-24": { stock: 0 } }, [2, "部分规格卖完"]],
    [{ "p3-blue": { stock: 5 } }, [3, "补货"]],
    [{ "p1-blue": { stock: 10 } }, [1, "库存不多"]],
    [{ "p1-blue": { priceCents: 2_990, stock: 0 } }, [1, "降价", "卖完"]],
  ] as const)("says of %j: %j", ([overrides, change], { expect }) => {
    expect(changesOf(overrides)).toEqual([change]);
  });

  it("says nothing of what is as configured, or has sold a little", ({ expect }) => {
    expect(changesOf({ "p1-blue": { priceCents: 3_990, stock: 11 }, "p2-24": { stock: 39 } })).toEqual([]);
  });

  it("puts the product on screen first, the others by link", ({ expect }) => {
    const overrides = { "p1-blue": { stock: 0 }, "p2-24": { priceCents: 1 }, "p3-blue": { stock: 9 } };
    expect(changesOf(overrides, "p3").map(([link]) => link)).toEqual([3, 1, 2]);
  });
});
