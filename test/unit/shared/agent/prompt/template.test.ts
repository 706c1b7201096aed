import { describe, it } from "vitest";
import { fillTemplate, listPlaceholders } from "../../../../../shared/agent/prompt/template.ts";

describe("fillTemplate", () => {
  it.for([
    { name: "with spaces", template: "你好，{{ shop }}！", filled: "你好，小店！" },
    { name: "without spaces", template: "你好，{{shop}}！", filled: "你好，小店！" },
    { name: "with a tab", template: "你好，{{\tshop }}！", filled: "你好，小店！" },
    { name: "twice", template: "{{shop}}{{ shop }}", filled: "小店小店" },
    { name: "with a dotted name", template: "{{ room.title }}", filled: "周三上新" },
    { name: "with a Chinese name", template: "{{商品名}}", filled: "蓝牙耳机" },
    { name: "with a Japanese name", template: "{{名前}}", filled: "花子" },
  ])("fills a placeholder $name", ({ template, filled }, { expect }) => {
    const values = { shop: "小店", "room.title": "周三上新", 商品名: "蓝牙耳机", 名前: "花子" };
    expect(fillTemplate(template, values)).toBe(filled);
  });

  it.for(["{{ shop }}", "{{system_prompt}}", "{#优惠}", "{% if x %}", "$&$1$`", '"<b>9.9折</b>"&quot;'])(
    "puts the value %s in as it is, and never reads it as a template",
    (value, { expect }) => {
      expect(fillTemplate("[{{ shop }}]", { shop: value })).toBe(`[${value}]`);
    },
  );

  it("leaves single braces and JSON examples alone", ({ expect }) => {
    const template = '{"a":{"b":1}} {# 优惠 #} {% raw %} }}';
    expect(fillTemplate(template, {})).toBe(template);
  });

  it.for(["{{ missing }}", "{{ toString }}", "{{ __proto__ }}", "{{ constructor }}"])(
    "refuses %s, which the values do not own",
    (template, { expect }) => {
      expect(() => fillTemplate(template, { shop: "小店" })).toThrow(
        expect.objectContaining({ code: "harness_invalid" }),
      );
    },
  );

  it.for(["{{ shop | upper }}", "{{}}", "{{ shop", "{{ shop }", "{{ a b }}", "{{\nshop }}", "{{{ shop }}}"])(
    "refuses the broken placeholder %j instead of leaving it in the prompt",
    (template, { expect }) => {
      expect(() => fillTemplate(template, { shop: "小店" })).toThrow(
        expect.objectContaining({ code: "harness_invalid" }),
      );
    },
  );
});

describe("listPlaceholders", () => {
  it("names every placeholder with its line, broken ones as null", ({ expect }) => {
    expect(listPlaceholders("{{ a.b }}\n\n{{ 商品 }} {{ x y }}\n{{a}}")).toEqual([
      { name: "a.b", line: 1 },
      { name: "商品", line: 3 },
      { name: null, line: 3 },
      { name: "a", line: 4 },
    ]);
  });
});
