/** Versions of bundles, as the registry would name them. */
import { createHash } from "node:crypto";
import { bundleVersion, canonicalBundle, type Digest } from "../../../harness-kv/canonical-bundle.ts";
import type { HarnessBundle } from "../../../shared/contract/harness-bundle.ts";
import type { HarnessVersion } from "../../../shared/contract/ids.ts";

export const sha256Hex: Digest = async (bytes) => createHash("sha256").update(bytes).digest("hex");

export function versionOf(bundle: HarnessBundle): Promise<HarnessVersion> {
  return bundleVersion(canonicalBundle(bundle), sha256Hex);
}
