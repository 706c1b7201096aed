import { describe, it } from "vitest";
import { cleanText } from "../../../../shared/contract/text.ts";

describe("cleanText", () => {
  it.for([
    ["价格😀", true],
    ["😀😀😀", true],
    ["😀😀😀😀", false],
    ["", false],
    [" \n", false],
    ["a\u0000", false],
    ["\ud83d", false],
  ] as const)("of 3 characters: %j is %s", ([text, taken], { expect }) => {
    expect(cleanText(3).safeParse(text).success).toBe(taken);
  });
});
