import { describe, it } from "vitest";
import { parseJson } from "../../../../shared/core/json.ts";

describe("parseJson", () => {
  it("gives the value, or undefined for text that is no JSON", ({ expect }) => {
    expect([parseJson('{"价":1}'), parseJson("{"), parseJson("")]).toEqual([{ 价: 1 }, undefined, undefined]);
  });
});
