import { describe, it } from "vitest";
import { toSourceText } from "../../../harness-kv/source-text.ts";

describe("toSourceText", () => {
  it.for([
    ["\ufeff一\r\n二\r三\n", "一\n二\n三\n"],
    ["a\ufeffb", "a\ufeffb"],
    ["", ""],
  ] as const)("reads %j as %j", ([text, read], { expect }) => {
    expect(toSourceText(text)).toBe(read);
  });
});
