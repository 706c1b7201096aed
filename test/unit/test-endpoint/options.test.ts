import { describe, it } from "vitest";
import { changeOptions, parseFlags } from "../../endpoint/options.ts";

describe("options", () => {
  it("reads flags, and the same names at run time", ({ expect }) => {
    const read = parseFlags(["--kind", "sglang", "--max-running", "8", "--no-usage", "--speed", "2.5", "--json"]);
    expect(read).toMatchObject({
      ok: true,
      value: { asJson: true, options: { kind: "sglang", maxRunning: 8, noUsage: true, speed: 2.5, blockTokens: 16 } },
    });
    if (!read.ok) return;
    expect(changeOptions(read.value.options, { "max-running": 4, speed: 1 })).toMatchObject({
      ok: true,
      value: { kind: "sglang", maxRunning: 4, speed: 1, noUsage: true },
    });
    expect(changeOptions(read.value.options, { port: 1 }).ok).toBe(false);
  });

  it.for([[["--bogus"]], [["--speed", "fast"]], [["--kind", "tgi"]], [["--max-running", "0"]]])(
    "refuses %s",
    ([flags], { expect }) => {
      expect(parseFlags(flags ?? []).ok).toBe(false);
    },
  );
});
