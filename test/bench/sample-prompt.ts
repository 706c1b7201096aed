/** The product's own prompt for a room, for the yardstick to send: the same bytes on the wire, or nearly. */
import { compileHarness } from "../../shared/agent/compiled-harness.ts";
import { buildPrefix } from "../../shared/agent/prompt/build-prefix.ts";
import { buildTurnPrompt } from "../../shared/agent/prompt/build-turn-prompt.ts";
import { evidenceBlock } from "../../shared/agent/evidence.ts";
import { toProductFact } from "../../shared/agent/facts/product-fact.ts";
import type { RoomConfig } from "../../shared/contract/room-config.ts";
import { VERSION } from "../helpers/harnesses.ts";
import { aLease, aSetup } from "../helpers/rooms.ts";
import { readSampleBundle } from "../helpers/sample-harness.ts";

export async function samplePrompt(config: RoomConfig) {
  const harness = compileHarness(await readSampleBundle(), VERSION);
  const prefix = buildPrefix(harness, aSetup({ config }));
  const [first] = config.products;
  const snapshot = { onScreenProductId: first?.id ?? null, skuOverrides: {}, heard: [] };
  const turn = buildTurnPrompt(harness, prefix, aLease({ snapshot }), {
    texts: ["1号链接多少钱"],
    contexts: [],
    nowMs: 0,
  });
  return {
    tools: harness.toolSpecs,
    prompt: [
      { role: "system", content: prefix.system },
      { role: "user", content: `${prefix.room}\n\n${turn.text}` },
    ],
    product: first === undefined ? "{}" : evidenceBlock("tool:get_product", [toProductFact(first, {})]),
  };
}
