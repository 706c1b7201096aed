import { describe, it } from "vitest";
import { findingOf } from "../../../../../shared/agent/checks/finding.ts";

describe("findingOf", () => {
  it("cuts a long quote and keeps its text well-formed", ({ expect }) => {
    const { found } = findingOf("😀".repeat(100));
    expect(found.length).toBeLessThanOrEqual(62);
    expect(found.isWellFormed()).toBe(true);
  });

  it("has no correction unless given one", ({ expect }) => {
    expect(findingOf("最好")).toEqual({ found: "最好" });
    expect(findingOf("最好", "很好")).toEqual({ found: "最好", corrected: "很好" });
  });
});
