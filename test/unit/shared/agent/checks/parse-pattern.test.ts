import { describe, it } from "vitest";
import { parsePattern, PatternRefusal } from "../../../../../shared/agent/checks/parse-pattern.ts";

describe("parsePattern", () => {
  it("reads repeats, groups and choices into a tree", ({ expect }) => {
    expect(parsePattern("a{2,3}?|(?:b)")).toEqual({
      type: "choice",
      nodes: [
        {
          type: "sequence",
          nodes: [{ type: "repeat", node: { type: "char", source: "a" }, min: 2, max: 3, lazy: true }],
        },
        { type: "sequence", nodes: [{ type: "sequence", nodes: [{ type: "char", source: "b" }] }] },
      ],
    });
  });

  it.for<[source: string, why: string]>([
    ["(?=a)", "look-around"],
    ["(?<!a)b", "look-around"],
    ["(?i)a", "look-around and inline flags"],
    ["(a)\\1", "back-references"],
    ["(?<n>a)\\k<n>", "back-references"],
    ["a{201}", "above 200"],
    ["a{2,1}", "ends before it starts"],
    ["a{", "`{` must be a count"],
    ["(", "not closed"],
    ["a)", "closes nothing"],
    ["[a", "not closed"],
    ["[z-a]", "no character class"],
    ["*a", "stands alone"],
    ["a**", "two quantifiers"],
    ["^*", "assertion"],
    ["\\", "ends the pattern"],
    ["\\q", "no character class or escape"],
  ])("refuses %s and says why", ([source, why], { expect }) => {
    expect(() => parsePattern(source)).toThrow(PatternRefusal);
    expect(() => parsePattern(source)).toThrow(why);
  });

  it("takes the last count that fits", ({ expect }) => {
    expect(parsePattern("a{200}")).toMatchObject({ nodes: [{ min: 200, max: 200 }] });
  });
});
