import { describe, it } from "vitest";
import { splitText } from "../../../../workers/room/room-storage.ts";

describe("splitText", () => {
  it.for([
    ["", 3, [""]],
    ["价格三", 3, ["价格三"]],
    ["价格三十", 3, ["价格三", "十"]],
    ["ab🎉c", 3, ["ab", "🎉c"]],
    ["🎉🎉", 2, ["🎉", "🎉"]],
  ] as const)("splits %o at %i into %o", ([text, charsMax, parts], { expect }) => {
    expect(splitText(text, charsMax)).toEqual(parts);
  });
});
