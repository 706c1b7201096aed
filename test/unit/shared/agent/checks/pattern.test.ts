import { describe, it } from "vitest";
import { pattern } from "../../../../../shared/agent/checks/pattern.ts";
import { aSentence } from "../hooks/hook-inputs.ts";

describe("pattern", () => {
  const longNumber = pattern({ pattern: "[0-9]{12,}[0-9Xx]?", flags: "" });

  it.for(["订单201411240801001234X", "订单２０１４１１２４０８０１", "订单2014\u200b11240801"])(
    "finds it in %j",
    (text, { expect }) => {
      expect(longNumber(aSentence(text), text)).not.toBeNull();
    },
  );

  it("passes what does not match", ({ expect }) => {
    expect(longNumber(aSentence(""), "订单尾号1234，39.9元")).toBeNull();
  });

  it("refuses to compile a pattern outside the linear subset", ({ expect }) => {
    expect(() => pattern({ pattern: "(?=a)", flags: "" })).toThrow(
      expect.objectContaining({ code: "harness_invalid" }),
    );
  });
});
