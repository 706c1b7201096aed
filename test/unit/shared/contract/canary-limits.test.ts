import { describe, it } from "vitest";
import { canaryLimitsSchema } from "../../../../shared/contract/canary-limits.ts";

describe("canaryLimitsSchema", () => {
  it("needs nothing said, and takes one margin without the others", ({ expect }) => {
    const defaults = canaryLimitsSchema.parse({});
    expect(defaults).toEqual({
      alpha: 0.01,
      turnsMin: 20,
      roomsMin: 3,
      margins: { error: 0.02, fallback: 0.03, blocked: 0.05, slow: 0.05 },
      slowMs: 8_100,
    });
    const stricter = canaryLimitsSchema.parse({ margins: { error: 0 } });
    expect(stricter).toEqual({ ...defaults, margins: { ...defaults.margins, error: 0 } });
  });

  it.for([
    { alpha: 0.000_09 },
    { alpha: 0.11 },
    { turnsMin: 0 },
    { roomsMin: 0 },
    { roomsMin: 51 },
    { margins: { error: -0.01 } },
    { margins: { slow: 0.51 } },
    { margins: { errors: 0.1 } },
    { slowMs: 99 },
    { beta: 0.2 },
  ])("refuses %j", (limits, { expect }) => {
    expect(canaryLimitsSchema.safeParse(limits).success).toBe(false);
  });
});
