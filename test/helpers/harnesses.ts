import { compileHarness, type CompiledHarness } from "../../shared/agent/compiled-harness.ts";
import {
  harnessBundleSchema,
  type HarnessBundle,
  type HarnessBundleInput,
} from "../../shared/contract/harness-bundle.ts";
import type { HarnessVersion } from "../../shared/contract/ids.ts";

export const VERSION = "0".repeat(64) as HarnessVersion;

/** A small harness that works: one section a scope, no hooks, one builtin tool. */
export function aBundle(fields: Partial<HarnessBundleInput> = {}): HarnessBundle {
  return harnessBundleSchema.parse({
    schema: "kaibo.harness/1",
    name: "live-host",
    description: "测试用",
    model: {},
    budgets: {},
    messages: {},
    lines: { fallback: ["这个我先记下来，稍后回复您。", "稍等，我请同事看一下。"] },
    sections: { system: ["identity"], merchant: ["rules"], room: ["room"], turn: ["turn"] },
    prompt: {
      identity: "你是直播间的主播。\n{{ skills }}",
      rules: "商家规则：\n{{ merchant.rules }}",
      room: "{{ room.catalogue }}\n{{ room.faq }}",
      turn: "{{ turn.state }}\n{{ turn.facts }}\n{{ turn.messages }}\n请回答。",
    },
    tools: [
      {
        name: "get_product",
        description: "查商品",
        inputSchema: {
          type: "object",
          properties: { product: { type: "string" } },
          required: ["product"],
          additionalProperties: false,
        },
        binding: { type: "builtin", builtin: "get_product" },
      },
    ],
    ...fields,
  });
}

export function aHarness(fields: Partial<HarnessBundleInput> = {}): CompiledHarness {
  return compileHarness(aBundle(fields), VERSION);
}
