import { describe, it } from "vitest";
import { isCardNumber, isIdNumber } from "../../../../shared/privacy/check-digits.ts";

describe("isIdNumber", () => {
  it("takes the example of GB 11643 and refuses any other check character", ({ expect }) => {
    const checks = Array.from("0123456789x").filter((check) => isIdNumber(`11010519491231002${check}`));
    expect(checks).toEqual(["x"]);
  });

  it.for(["110105194913310028", "11010519491231002", "910105194912310021", ""])("refuses %j", (text, { expect }) => {
    expect(isIdNumber(text)).toBe(false);
  });
});

describe("isCardNumber", () => {
  it("takes numbers with Luhn's sum and no neighbour of them", ({ expect }) => {
    const last = Array.from("0123456789").filter((digit) => isCardNumber(`411111111111111${digit}`));
    expect(last).toEqual(["1"]);
  });

  it.for(["4222222222222", "0000000000000000", "9111111111111111", "41111111111111110000"])(
    "refuses %s",
    (digits, { expect }) => {
      expect(isCardNumber(digits)).toBe(false);
    },
  );
});
