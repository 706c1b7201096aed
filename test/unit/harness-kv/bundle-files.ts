import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { readBundle } from "../../../harness-kv/read-bundle.ts";
import {
  harnessBundleSchema,
  type HarnessBundle,
  type HarnessBundleInput,
} from "../../../shared/contract/harness-bundle.ts";

/** Settings of a small harness that has nothing wrong with it. */
export const SETTINGS = {
  schema: "kaibo.harness/1",
  name: "small",
  description: "最小的主播",
  model: {},
  budgets: {},
  messages: {},
  lines: { fallback: ["这个我没查到。"] },
  sections: { system: ["identity"], merchant: ["rules"], room: ["shop"], turn: ["turn"] },
};

const TURN = "{{ turn.state }}\n{{ turn.changes }}\n{{ turn.facts }}\n{{ turn.knowledge }}\n{{ turn.messages }}";

/** The source form of that harness; `changes` replaces files, and null takes one away. */
export function bundleFiles(changes: Readonly<Record<string, string | null>> = {}): Map<string, string> {
  const files: Record<string, string | null> = {
    "harness.json": JSON.stringify(SETTINGS),
    "prompt/identity.md": "你是主播。\n{{ skills }}",
    "prompt/rules.md": "{{ merchant.rules }}",
    "prompt/shop.md": "{{ room.catalogue }}\n{{ room.faq }}",
    "prompt/turn.md": TURN,
    ...changes,
  };
  return new Map(Object.entries(files).flatMap(([name, text]) => (text === null ? [] : [[name, text]])));
}

/** The wire form of that harness with some fields replaced. */
export function aBundle(changes: Partial<HarnessBundleInput> = {}): HarnessBundle {
  const { bundle } = readBundle(bundleFiles());
  return harnessBundleSchema.parse({ ...bundle, ...changes });
}

/** Every file of a folder as text by relative path. */
export function readFolder(folder: string): Map<string, string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(folder, file).replaceAll(path.sep, "/"), decoder.decode(readFileSync(file))];
    }),
  );
}
