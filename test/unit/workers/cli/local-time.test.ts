import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { localTimeOf, readSpan, readTime, spanOf } from "../../../../workers/cli/local-time.ts";

describe("in Shanghai", () => {
  beforeEach(() => void vi.stubEnv("TZ", "Asia/Shanghai"));
  afterEach(() => void vi.unstubAllEnvs());

  it.for([
    ["2026-12-03 20:00", Date.UTC(2026, 11, 3, 12)],
    ["2026-12-03T20:00:30", Date.UTC(2026, 11, 3, 12, 0, 30)],
    ["2026-12-03 20:00Z", Date.UTC(2026, 11, 3, 20)],
    ["2026-12-03 20:00-05:30", Date.UTC(2026, 11, 4, 1, 30)],
    ["2028-02-29 00:00", Date.UTC(2028, 1, 28, 16)],
  ] as const)("reads %s", ([text, atMs], { expect }) => {
    expect(readTime(text)).toBe(atMs);
  });

  it.for([
    ["20:00"],
    ["2026-12-03"],
    ["2026-02-30 20:00"],
    ["2026-12-03 24:00"],
    ["2026-12-03 20:00+99:00"],
    ["heute"],
  ])("reads no time in %s", ([text = ""], { expect }) => {
    expect(readTime(text)).toBeNull();
  });

  it("shows the time with its zone", ({ expect }) => {
    expect(localTimeOf(Date.UTC(2026, 11, 3, 17, 5, 9))).toBe("2026-12-04 01:05:09 +08:00");
  });
});

describe("in St. John's, west of Greenwich by hours and a half, with summer time", () => {
  beforeEach(() => void vi.stubEnv("TZ", "America/St_Johns"));
  afterEach(() => void vi.unstubAllEnvs());

  it("shows the zone as it is then, and reads what it shows", ({ expect }) => {
    const winterMs = Date.UTC(2026, 11, 3, 12);
    expect(localTimeOf(winterMs)).toBe("2026-12-03 08:30:00 -03:30");
    expect(localTimeOf(Date.UTC(2026, 6, 3, 12))).toBe("2026-07-03 09:30:00 -02:30");
    expect(readTime("2026-12-03 08:30")).toBe(winterMs);
  });

  it("reads no time in the hour that spring leaves out", ({ expect }) => {
    expect(readTime("2026-03-08 02:30")).toBeNull();
    expect(readTime("2026-03-08 03:30")).toBe(Date.UTC(2026, 2, 8, 6));
  });
});

describe("spans", () => {
  it.for([
    ["90s", 90_000],
    ["20m", 1_200_000],
    ["2h", 7_200_000],
    ["3d", 259_200_000],
    ["0h", 0],
    ["1w", null],
    ["h", null],
    ["1.5h", null],
    ["-1h", null],
  ] as const)("reads %s", ([text, spanMs], { expect }) => {
    expect(readSpan(text)).toBe(spanMs);
  });

  it.for([
    [0, "0 s"],
    [400, "0 s"],
    [59_600, "1 min"],
    [7_500_000, "2 h 5 min"],
    [7_200_000 + 9_000, "2 h"],
    [90_061_000, "1 d 1 h"],
    [61_000, "1 min 1 s"],
  ] as const)("tells %s ms by the two largest units", ([ms, text], { expect }) => {
    expect(spanOf(ms)).toBe(text);
  });
});
