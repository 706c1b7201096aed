import { describe, it } from "vitest";
import { language } from "../../../../../shared/agent/checks/language.ts";
import { aSentence } from "../hooks/hook-inputs.ts";

const find = (text: string, options: Partial<Parameters<typeof language>[0]> = {}) =>
  language({ language: "zh", otherShareMax: 0.6, ...options })(aSentence(text), text);

describe("language", () => {
  it.for([
    "This is a great towel",
    "これはとてもいいタオルです",
    "이 수건은 정말 좋아요",
    "Ｈｅｌｌｏ my dear friends",
  ])("finds %j in a Chinese room", (text, { expect }) => {
    expect(find(text)).not.toBeNull();
  });

  it.for(["有货", "Type-C接口的", "OK", "XL L M码都有货", "UPF50+防晒", "39.9元", "iPhone 15 Pro Max都能用", ""])(
    "passes %j in a Chinese room",
    (text, { expect }) => {
      expect(find(text)).toBeNull();
    },
  );

  it("counts a run of Latin letters once", ({ expect }) => {
    expect(find("polyester viscose 混纺", { otherShareMax: 0.5 })).toBeNull();
    expect(find("polyester viscose 混纺", { otherShareMax: 0.49 })).not.toBeNull();
  });

  it("finds Chinese in an English room", ({ expect }) => {
    expect(find("这款是纯棉的", { language: "en" })).not.toBeNull();
    expect(find("This towel is pure cotton", { language: "en" })).toBeNull();
  });
});
