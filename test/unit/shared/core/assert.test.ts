import { describe, it } from "vitest";
import { assertNever, invariant } from "../../../../shared/core/assert.ts";

describe("invariant", () => {
  it("stops on a broken one, naming it, and passes a held one", ({ expect }) => {
    expect(() => invariant(false, "seq grows")).toThrow("Invariant broken: seq grows");
    expect(() => invariant(true, "seq grows")).not.toThrow();
  });
});

describe("assertNever", () => {
  it("names the value that no case took", ({ expect }) => {
    expect(() => assertNever("x" as never)).toThrow('"x"');
  });
});
