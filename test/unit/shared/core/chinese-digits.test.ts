import { describe, it } from "vitest";
import { digitValueOf } from "../../../../shared/core/chinese-digits.ts";

describe("digitValueOf", () => {
  it("reads digits as in a phone number", ({ expect }) => {
    expect(Array.from("幺三八零〇两玖", digitValueOf)).toEqual([1, 3, 8, 0, 0, 2, 9]);
  });

  it.for(["1", "十", "好", ""])("gives undefined for %j", (char, { expect }) => {
    expect(digitValueOf(char)).toBeUndefined();
  });
});
