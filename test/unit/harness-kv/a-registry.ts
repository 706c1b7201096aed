import { createHash } from "node:crypto";
import type { RegistryDeps, VersionSummary } from "../../../harness-kv/registry-store.ts";
import type { HarnessVersion } from "../../../shared/contract/ids.ts";

/** A registry in memory that records the order of its writes. */
export type FakeRegistry = RegistryDeps & {
  readonly rows: Map<HarnessVersion, { readonly summary: VersionSummary; text: string }>;
  readonly cached: Map<string, string>;
  readonly channels: Map<string, HarnessVersion>;
  readonly writes: string[];
};

export async function digest(bytes: Uint8Array): Promise<string> {
  return createHash("sha256").update(bytes).digest("hex");
}

export function aRegistry(): FakeRegistry {
  const rows: FakeRegistry["rows"] = new Map();
  const cached: FakeRegistry["cached"] = new Map();
  const channels: FakeRegistry["channels"] = new Map();
  const writes: string[] = [];
  return {
    rows,
    cached,
    channels,
    writes,
    digest,
    versions: {
      saveVersion: async (summary, text) => {
        writes.push("table");
        if (rows.has(summary.version)) return false;
        rows.set(summary.version, { summary, text });
        return true;
      },
      versionText: async (version) => rows.get(version)?.text ?? null,
      versionName: async (version) => rows.get(version)?.summary.name ?? null,
      channelVersion: async (name, channel) => channels.get(`${name}:${channel}`) ?? null,
      moveChannel: async ({ name, channel, expected, to }) => {
        if ((channels.get(`${name}:${channel}`) ?? null) !== expected) return false;
        channels.set(`${name}:${channel}`, to);
        return true;
      },
      listVersions: async (name) => [...rows.values()].map((row) => row.summary).filter((row) => row.name === name),
    },
    cache: {
      get: async (version) => cached.get(version) ?? null,
      put: async (version, text) => {
        writes.push("cache");
        cached.set(version, text);
      },
      putChannel: async (name, channel, version) => {
        cached.set(`${name}:${channel}`, version);
      },
    },
  };
}
