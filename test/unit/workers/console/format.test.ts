import { describe, it } from "vitest";
import {
  formatCents,
  formatMs,
  formatPoints,
  formatShare,
  layOutJson,
  shortVersion,
} from "../../../../workers/console/format.ts";

describe("formatMs", () => {
  it.for([
    [null, "–"],
    [-1, "–"],
    [Number.NaN, "–"],
    [0, "0 ms"],
    [999, "999 ms"],
    [999.6, "1.00 s"],
    [1_240, "1.24 s"],
    [9_994, "9.99 s"],
    [9_995, "10.0 s"],
    [59_949, "59.9 s"],
    [59_960, "1 min 00 s"],
    [125_400, "2 min 05 s"],
  ] as const)("%s ms reads %s", ([ms, text], { expect }) => {
    expect(formatMs(ms)).toBe(text);
  });
});

describe("formatCents", () => {
  it.for([
    [0, "¥0"],
    [5, "¥0.05"],
    [3_990, "¥39.90"],
    [129_900, "¥1,299"],
  ] as const)("%s cents read %s", ([cents, text], { expect }) => {
    expect(formatCents(cents)).toBe(text);
  });
});

describe("formatPoints", () => {
  it.for([
    [57, "57"],
    [57.25, "57.3"],
    [-20, "-20"],
    [0.1 + 0.2, "0.3"],
  ] as const)("%s points read %s", ([points, text], { expect }) => {
    expect(formatPoints(points)).toBe(text);
  });
});

describe("formatShare", () => {
  it.for([
    [null, "–"],
    [0, "0%"],
    [0.826, "83%"],
    [1, "100%"],
  ] as const)("%s reads %s", ([share, text], { expect }) => {
    expect(formatShare(share)).toBe(text);
  });
});

describe("layOutJson", () => {
  it("lays out JSON and leaves other text alone", ({ expect }) => {
    expect(layOutJson('{"价":1}')).toBe('{\n  "价": 1\n}');
    expect(layOutJson('{"价":')).toBe('{"价":');
  });
});

describe("shortVersion", () => {
  it("is the first seven digits", ({ expect }) => {
    expect(shortVersion("0123456789abcdef")).toBe("0123456");
  });
});
