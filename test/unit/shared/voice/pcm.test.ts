import { describe, it } from "vitest";
import { BYTES_PER_SECOND, concatBytes, toDurationMs } from "../../../../shared/voice/pcm.ts";

describe("toDurationMs", () => {
  it.for([
    [0, 0],
    [BYTES_PER_SECOND, 1_000],
    [48, 1],
    [48_000 * 3 + 24, 3_001],
  ] as const)("%i bytes play %i ms", ([bytes, ms], { expect }) => {
    expect(toDurationMs(bytes)).toBe(ms);
  });
});

describe("concatBytes", () => {
  it("keeps both in order, and shares nothing with them", ({ expect }) => {
    const first = Uint8Array.of(1, 2);
    const joined = concatBytes(first, Uint8Array.of(3));
    first[0] = 9;
    expect([...joined]).toEqual([1, 2, 3]);
  });
});
