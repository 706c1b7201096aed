import { describe, it, vi } from "vitest";
import { reportFailure } from "../../../../workers/platform/report-failure.ts";

describe("reportFailure", () => {
  it("logs where, the code, and the frames, and never the message", ({ expect }) => {
    const lines: string[] = [];
    const spy = vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
    reportFailure("turn-start", "internal", new TypeError("phone 138\n1234 of a viewer"));
    reportFailure("turn-finish", "record_too_large", null);
    spy.mockRestore();
    const [first, second] = lines.map((line) => JSON.parse(line) as { frames: string[] });
    expect(first).toMatchObject({ level: "error", where: "turn-start", code: "internal", name: "TypeError" });
    expect(first?.frames.length).toBeGreaterThan(0);
    expect(lines.join("")).not.toMatch(/138|1234/u);
    expect(second).toMatchObject({ code: "record_too_large", frames: [] });
  });
});
