import { describe, it } from "vitest";
import { AppError, isAppError, toAppError } from "../../../../shared/errors/app-error.ts";

describe("isAppError", () => {
  it("goes by the code, so that an error rebuilt by RPC still counts", ({ expect }) => {
    const rebuilt = Object.assign(new Error("x"), { code: "room_not_found", details: {} });
    expect([isAppError(rebuilt), isAppError(new Error("x")), isAppError({ code: "room_not_found" })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("does not take an inherited name for a code", ({ expect }) => {
    expect(isAppError(Object.assign(new Error("x"), { code: "constructor" }))).toBe(false);
  });
});

describe("toAppError", () => {
  it("keeps a known error, and hides an unknown one's text in the cause", ({ expect }) => {
    const known = new AppError("room_not_found", "No such room");
    expect(toAppError(known)).toBe(known);
    const unknown = toAppError(new Error("secret"));
    expect([unknown.code, unknown.message, (unknown.cause as Error).message]).toEqual([
      "internal",
      "Unexpected failure",
      "secret",
    ]);
  });
});
