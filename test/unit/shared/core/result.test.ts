import { describe, it } from "vitest";
import { fail, ok } from "../../../../shared/core/result.ts";

describe("Result", () => {
  it("is plain data that survives a structured clone", ({ expect }) => {
    expect(structuredClone([ok(1), fail("room_not_found")])).toEqual([
      { ok: true, value: 1 },
      { ok: false, error: "room_not_found" },
    ]);
  });
});
