import { describe, it } from "vitest";
import { CliError, formatError, systemCode } from "../../../../workers/cli/cli-error.ts";

describe("formatError", () => {
  it("says what happened, why, and what to type next", ({ expect }) => {
    const error = new CliError("Port 8787 is busy.", { why: "Another program listens.", next: "PORT=8788 npm start" });
    expect(formatError(error)).toBe(
      "kaibo: Port 8787 is busy.\n  Why:  Another program listens.\n  Next: PORT=8788 npm start\n",
    );
    expect(error.exitCode).toBe(1);
  });

  it.for([new TypeError("x is not a function"), "text"])(
    "has the same three lines for a surprise",
    (thrown, { expect }) => {
      expect(formatError(thrown)).toMatch(/^kaibo: .+\n {2}Why: {2}[^]+\n {2}Next: .+\n$/);
    },
  );
});

describe("systemCode", () => {
  it("reads the code of a system error and of nothing else", ({ expect }) => {
    expect(systemCode(Object.assign(new Error("in use"), { code: "EADDRINUSE" }))).toBe("EADDRINUSE");
    expect(systemCode(Object.assign(new Error("odd"), { code: 98 }))).toBe("");
    expect(systemCode("EADDRINUSE")).toBe("");
  });
});
