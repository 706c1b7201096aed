import { describe, it } from "vitest";
import { PrefixCache } from "../../endpoint/prefix-cache.ts";
import { toTokenBlocks, toTokenPieces } from "../../endpoint/tokens.ts";

describe("PrefixCache", () => {
  it("finds blocks from the first on, up to the first that is missing", ({ expect }) => {
    const cache = new PrefixCache(10);
    cache.insert([1, 2, 4]);
    expect(cache.match([1, 2, 3, 4])).toBe(2);
    expect(cache.match([2, 1])).toBe(2);
    expect(cache.match([3, 1])).toBe(0);
    expect(cache.match([1, 2, 4], 1)).toBe(1);
  });

  it("forgets the least recently used, and ends before the beginnings that others share", ({ expect }) => {
    const cache = new PrefixCache(4);
    cache.insert([1, 2, 3]);
    cache.insert([1, 7, 8]);
    expect(cache.size).toBe(4);
    expect(cache.match([1, 7, 8])).toBe(3);
    expect(cache.match([1, 2, 3])).toBe(2);
  });

  it("shrinks when it is given less room", ({ expect }) => {
    const cache = new PrefixCache(4);
    cache.insert([1, 2, 3]);
    cache.resize(1);
    expect(cache.match([1, 2, 3])).toBe(1);
  });
});

describe("toTokenBlocks", () => {
  it("gives a text that goes on the same blocks as its beginning", ({ expect }) => {
    const begin = '{"role":"system","content":"直播间的主播，只说资料里有的话。"}';
    const short = toTokenBlocks(begin, 4, "");
    const long = toTokenBlocks(`${begin}今天的价格是39元。`, 4, "");
    expect(short.keys.length).toBe(Math.floor(short.tokens / 4));
    expect(long.keys.slice(0, short.keys.length)).toEqual(short.keys);
  });

  it("gives every block after a difference, or under another salt, another key", ({ expect }) => {
    const one = toTokenBlocks(`甲${"价".repeat(100)}`, 4, "");
    const other = toTokenBlocks(`乙${"价".repeat(100)}`, 4, "");
    const salted = toTokenBlocks(`甲${"价".repeat(100)}`, 4, "s");
    expect(new Set([...one.keys, ...other.keys, ...salted.keys]).size).toBe(3 * one.keys.length);
  });

  it("counts 0.7 tokens a Chinese character and 0.3 an ASCII one", ({ expect }) => {
    expect(toTokenBlocks("价".repeat(100), 16, "").tokens).toBe(70);
    expect(toTokenBlocks("a".repeat(100), 16, "").tokens).toBe(30);
  });
});

describe("toTokenPieces", () => {
  it("loses nothing, and no piece goes past the end of a sentence", ({ expect }) => {
    const text = "这款39.9元。还有300件！要吗？ok👍";
    const pieces = toTokenPieces(text);
    expect(pieces.join("")).toBe(text);
    expect(pieces.filter((piece) => /[。！？]./u.test(piece))).toEqual([]);
  });
});
