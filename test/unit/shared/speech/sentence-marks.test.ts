import { describe, it } from "vitest";
import {
  BRACKETS,
  CLOSERS,
  QUOTE_ENDS,
  isAbbreviation,
  isAsciiGraph,
  isAsciiLetter,
  isDigit,
  isHanNumeral,
  isIdeograph,
  isModifier,
  isSpace,
} from "../../../../shared/speech/sentence-marks.ts";

const KINDS = { isDigit, isAsciiLetter, isAsciiGraph, isSpace, isIdeograph, isHanNumeral, isModifier };

describe("character kinds", () => {
  it.for([
    ["7", ["isDigit", "isAsciiGraph"]],
    ["a", ["isAsciiLetter", "isAsciiGraph"]],
    ["/", ["isAsciiGraph"]],
    [" ", ["isSpace"]],
    ["\u3000", ["isSpace"]],
    ["面", ["isIdeograph"]],
    ["が", ["isIdeograph"]],
    ["三", ["isIdeograph", "isHanNumeral"]],
    ["\u{1f3fd}", ["isModifier"]],
    ["\u200d", ["isModifier"]],
    ["，", []],
    ["🎉", []],
    ["\ud83d", []],
    [undefined, []],
  ] as const)("%j is %j", ([char, kinds], { expect }) => {
    const found = Object.entries(KINDS).filter(([, isKind]) => isKind(char));
    expect(found.map(([name]) => name).toSorted()).toEqual([...kinds].toSorted());
  });
});

describe("isAbbreviation", () => {
  it.for(["Dr", "e.g", "ETC", "J"])("%s. ends no sentence", (word, { expect }) => {
    expect(isAbbreviation(word)).toBe(true);
  });

  it.for(["good", "no", ""])("%j. may end one", (word, { expect }) => {
    expect(isAbbreviation(word)).toBe(false);
  });
});

describe("marks", () => {
  it("every quote end but the straight one closes a bracket", ({ expect }) => {
    expect([...QUOTE_ENDS].filter((mark) => !CLOSERS.has(mark))).toEqual(['"']);
    expect(BRACKETS.size).toBe(CLOSERS.size);
  });
});
