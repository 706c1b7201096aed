import { describe, it } from "vitest";
import { ViewerRate } from "../../../../shared/intake/viewer-rate.ts";

const limits = { max: 2, windowMs: 1_000 };

describe("ViewerRate", () => {
  it("takes up to the limit within the window, each viewer alone", ({ expect }) => {
    const rate = new ViewerRate({ viewersMax: 10 });
    expect([0, 1, 2].map((nowMs) => rate.take("a", limits, nowMs))).toEqual([true, true, false]);
    expect(rate.take("b", limits, 3)).toBe(true);
  });

  it("slides: a message counts until the window is over", ({ expect }) => {
    const rate = new ViewerRate({ viewersMax: 10 });
    rate.take("a", limits, 0);
    rate.take("a", limits, 900);
    expect(rate.take("a", limits, 999)).toBe(false);
    expect(rate.take("a", limits, 1_000)).toBe(true);
    expect(rate.take("a", limits, 1_001)).toBe(false);
    expect(rate.take("a", limits, 1_900)).toBe(true);
  });

  it("does not count what it refused", ({ expect }) => {
    const rate = new ViewerRate({ viewersMax: 10 });
    rate.take("a", limits, 0);
    rate.take("a", limits, 0);
    for (let nowMs = 1; nowMs < 1_000; nowMs += 1) rate.take("a", limits, nowMs);
    expect(rate.take("a", limits, 1_000)).toBe(true);
  });

  it("follows limits that change", ({ expect }) => {
    const rate = new ViewerRate({ viewersMax: 10 });
    rate.take("a", limits, 0);
    expect(rate.take("a", { max: 1, windowMs: 1_000 }, 1)).toBe(false);
    expect(rate.take("a", { max: 1, windowMs: 1 }, 1)).toBe(true);
  });

  it("forgets the viewer who was quiet longest", ({ expect }) => {
    const rate = new ViewerRate({ viewersMax: 2 });
    const once = { max: 1, windowMs: 1_000 };
    rate.take("a", once, 0);
    rate.take("b", once, 0);
    rate.take("a", once, 1);
    rate.take("c", once, 2);
    expect(rate.take("a", once, 3)).toBe(false);
    expect(rate.take("b", once, 4)).toBe(true);
  });
});
