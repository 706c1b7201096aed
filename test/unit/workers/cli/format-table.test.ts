import { describe, it } from "vitest";
import { formatTable } from "../../../../workers/cli/format-table.ts";

describe("formatTable", () => {
  it("makes columns as wide as their widest cell, without spaces at the end", ({ expect }) => {
    expect(
      formatTable([
        ["a", "bb", "c"],
        ["aaaa", "", "cc"],
        ["a", "b", ""],
      ]),
    ).toBe("a     bb  c\naaaa      cc\na     b\n");
  });
});
