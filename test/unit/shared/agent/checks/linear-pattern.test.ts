import fc from "fast-check";
import { describe, it } from "vitest";
import {
  compileLinearPattern,
  isLinearPattern,
  type LinearPattern,
} from "../../../../../shared/agent/checks/linear-pattern.ts";

function compile(source: string, flags: "" | "i" = ""): LinearPattern {
  const compiled = compileLinearPattern(source, flags);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.value;
}

const PATTERNS = [
  "a*",
  "a+b",
  "(a|ab)(c|bcd)(d*)",
  "[0-9]{12,}[0-9Xx]?",
  "\\d{2,4}",
  "(?:最|第)一",
  "^abc$",
  "a??b",
  "(a*)*b",
  "(a|a)*c",
  "\\bfoo\\b",
  "\\Bx",
  "[^a]+",
  "a{0,2}?b",
  ".+?c",
  "[一二三]+折",
  "\\p{Script=Han}{2}",
  "(a+)+$",
  "",
  "a|",
  "|b",
  "(?<name>a)b",
  "\\.",
  "[\\]a]+",
  "[😀-😂]",
  "(a?){3}b",
  "\\u4e00",
];

describe("compileLinearPattern", () => {
  it.for(PATTERNS)("finds what the language's own engine finds: %s", (source, { expect }) => {
    const parts = fc.constantFrom("a", "b", "c", "d", "1", "23", "x", "一", "折", " ", ".", "foo", "😀", "\n");
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (list) => {
        const text = list.join("");
        const expected = new RegExp(source, "u").exec(text);
        const found = compile(source).find(text);
        expect(found && [found.start, found.text]).toEqual(expected && [expected.index, expected[0]]);
        expect(compile(source).matchesAll(text)).toBe(new RegExp(`^(?:${source})$`, "u").test(text));
      }),
      { numRuns: 60 },
    );
  });

  it("takes steps in proportion to the text where a backtracking engine never ends", ({ expect }) => {
    expect(compile("(a+)+$").find(`${"a".repeat(8_000)}!`)).toBeNull();
    expect(compile("(a|aa)*b").find("a".repeat(8_000))).toBeNull();
  });

  it("ignores case only with the flag", ({ expect }) => {
    expect(compile("abc").find("ABC")).toBeNull();
    expect(compile("a[b]c", "i").find("ABC")?.text).toBe("ABC");
  });

  it.for(["[0-9]{200}[0-9]{200}[0-9]{200}", "((a{200}){200}){200}", "((((){200}){200}){200}){200}"])(
    "refuses a pattern of too many steps: %s",
    (source, { expect }) => {
      expect(compileLinearPattern(source)).toMatchObject({ ok: false, error: expect.stringContaining("too large") });
    },
  );
});

describe("isLinearPattern", () => {
  it("tells the subset from the rest", ({ expect }) => {
    expect(["(a+)+", "(?=a)", "(a)\\1"].map(isLinearPattern)).toEqual([true, false, false]);
  });
});
