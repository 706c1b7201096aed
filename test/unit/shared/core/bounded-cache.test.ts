import { describe, it } from "vitest";
import { BoundedCache } from "../../../../shared/core/bounded-cache.ts";

describe("BoundedCache", () => {
  it("forgets the least recently used entry when one more comes", ({ expect }) => {
    const cache = new BoundedCache<string, number>(2);
    cache.set("a", 1);
    cache.set("b", 2);
    cache.get("a");
    cache.set("c", 3);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([1, undefined, 3]);
  });

  it("keeps one value a key", ({ expect }) => {
    const cache = new BoundedCache<string, number>(2);
    cache.set("a", 1);
    cache.set("a", 2);
    cache.set("b", 3);
    expect([cache.get("a"), cache.get("b")]).toEqual([2, 3]);
  });

  it("deletes", ({ expect }) => {
    const cache = new BoundedCache<string, number>(2);
    cache.set("a", 1);
    cache.delete("a");
    expect(cache.get("a")).toBeUndefined();
  });

  it("forgets as many as it takes to stay within the weight, down to nothing", ({ expect }) => {
    const cache = new BoundedCache<string, string>(10, { weightMax: 5, weightOf: (value) => value.length });
    cache.set("a", "12");
    cache.set("b", "123");
    cache.set("c", "1");
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([undefined, "123", "1"]);
    cache.set("d", "123456");
    expect([cache.get("b"), cache.get("c"), cache.get("d")]).toEqual([undefined, undefined, undefined]);
    cache.set("b", "12345");
    expect(cache.get("b")).toBe("12345");
  });
});
