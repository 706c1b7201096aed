import { describe, it } from "vitest";
import { readModelNumber, readQuantity } from "../../../../shared/speech/spoken-quantity.ts";

describe("readQuantity", () => {
  it.for([
    ["¥39.9/件", 0, "三十九块九", "/件"],
    ["39-59元起", 0, "三十九到五十九元", "起"],
    ["满88-10元", 1, "八十八减十元", ""],
    ["578 人", 0, "五百七十八", "人"],
    ["50ml*2瓶", 0, "五十毫升", "*2瓶"],
    ["9-18:00", 0, "九", "-18:00"],
    ["1.5元素", 0, "一点五", "元素"],
    ["3.5w件", 0, "三点五万", "件"],
  ] as const)("%s at %i is said %s", ([text, at, spoken, rest], { expect }) => {
    const span = readQuantity(text, at);
    expect(span?.spoken).toBe(spoken);
    expect(text.slice(span?.end)).toBe(rest);
  });

  it.for(["元", "1.2.3", "", "¥"])("%j starts with none", (text, { expect }) => {
    expect(readQuantity(text, 0)).toBeNull();
  });
});

describe("readModelNumber", () => {
  it.for([
    ["15", "十五"],
    ["2.0", "二点零"],
    ["18401-2010", "一八四零一杠二零一零"],
    ["07", "零七"],
    ["1.2.3", "一点二点三"],
  ] as const)("%s → %s", ([code, spoken], { expect }) => {
    expect(readModelNumber(code)).toBe(spoken);
  });
});
