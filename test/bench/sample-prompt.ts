/** The product's own prompt for a room, for the yardstick to send: the same bytes on the wire, or nearly. */
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { readBundle } from "../../harness-kv/read-bundle.ts";
import { compileHarness } from "../../shared/agent/compiled-harness.ts";
import { buildPrefix } from "../../shared/agent/prompt/build-prefix.ts";
import { buildTurnPrompt } from "../../shared/agent/prompt/build-turn-prompt.ts";
import { evidenceBlock } from "../../shared/agent/evidence.ts";
import { toProductFact } from "../../shared/agent/facts/product-fact.ts";
import type { RoomConfig } from "../../shared/contract/room-config.ts";
import { VERSION } from "../helpers/harnesses.ts";
import { aLease, aSetup } from "../helpers/rooms.ts";

const BUNDLE = path.resolve(import.meta.dirname, "../../harness-kv/bundles/live-host");

export async function samplePrompt(config: RoomConfig) {
  const names = await readdir(BUNDLE, { recursive: true, withFileTypes: true });
  const files = await Promise.all(
    names
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const file = path.join(entry.parentPath, entry.name);
        return [path.relative(BUNDLE, file), await readFile(file, "utf8")] as const;
      }),
  );
  const { bundle } = readBundle(new Map(files));
  if (bundle === null) throw new Error("The sample harness does not read");
  const harness = compileHarness(bundle, VERSION);
  const prefix = buildPrefix(harness, aSetup({ config }));
  const [first] = config.products;
  const snapshot = { onScreenProductId: first?.id ?? null, skuOverrides: {}, heard: [] };
  const turn = buildTurnPrompt(harness, prefix, aLease({ snapshot }), { texts: ["1号链接多少钱"], contexts: [] });
  return {
    tools: harness.toolSpecs,
    prompt: [
      { role: "system", content: prefix.system },
      { role: "user", content: `${prefix.room}\n\n${turn.text}` },
    ],
    product: first === undefined ? "{}" : evidenceBlock("tool:get_product", [toProductFact(first, {})]),
  };
}
