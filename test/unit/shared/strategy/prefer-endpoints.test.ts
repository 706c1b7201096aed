import { describe, it } from "vitest";
import { preferEndpoints } from "../../../../shared/strategy/prefer-endpoints.ts";

const endpoints = [
  { name: "fast", tier: "main" },
  { name: "hosted", tier: "fallback" },
  { name: "large", tier: "main" },
];
const names = (wish: Parameters<typeof preferEndpoints>[1]) => preferEndpoints(endpoints, wish).map(({ name }) => name);

describe("preferEndpoints", () => {
  it("gives the endpoint of the wished name, before those of the tier", ({ expect }) => {
    expect(names({ endpoint: "large", tier: "fallback" })).toEqual(["large"]);
    expect(names({ endpoint: "gone", tier: "fallback" })).toEqual(["hosted"]);
  });

  it("gives all of them, in their order, where no wish can be met", ({ expect }) => {
    expect(names({ endpoint: "gone" })).toEqual(["fast", "hosted", "large"]);
    expect(names(undefined)).toEqual(["fast", "hosted", "large"]);
  });
});
