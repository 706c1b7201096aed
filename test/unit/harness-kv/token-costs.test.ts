import { describe, it } from "vitest";
import { tokenCosts, tokensEveryTurn } from "../../../harness-kv/token-costs.ts";
import { aBundle } from "./bundle-files.ts";

describe("tokenCosts", () => {
  it("has a row for each text, in the order of the prompt", ({ expect }) => {
    const bundle = aBundle({
      skills: [{ name: "stock", description: "库存", body: "先查。", resources: { "a.md": "尺码" } }],
      tools: [
        {
          name: "check_stock",
          description: "查库存",
          inputSchema: { type: "object", additionalProperties: false },
          binding: { type: "builtin", builtin: "check_stock" },
        },
      ],
    });
    const costs = tokenCosts(bundle);
    expect(costs.map(({ part, name }) => `${part} ${name}`)).toEqual([
      "system identity",
      "merchant rules",
      "room shop",
      "turn turn",
      "catalogue stock",
      "tools check_stock",
      "skill stock",
    ]);
    expect(costs.at(-1)?.tokens).toBe(8);
    expect(tokensEveryTurn(costs)).toBe(costs.reduce((sum, { tokens }) => sum + tokens, 0) - 8);
  });

  it("counts a section without a file as nothing", ({ expect }) => {
    const costs = tokenCosts(aBundle({ sections: { system: ["toString"], turn: ["turn"] } }));
    expect(costs[0]).toEqual({ part: "system", name: "toString", tokens: 0 });
  });
});
