/** A version's identity is its content: the same harness always gives the same bytes, and these the same version. */
import canonicalize from "canonicalize";
import type { HarnessBundle } from "../shared/contract/harness-bundle.ts";
import { harnessVersionSchema, type HarnessVersion } from "../shared/contract/ids.ts";
import { AppError } from "../shared/errors/app-error.ts";

/** Port: SHA-256 of bytes as 64 lower-case hex digits. */
export type Digest = (bytes: Uint8Array) => Promise<string>;

/**
 * Canonical JSON (RFC 8785) of a bundle with its defaults filled in.
 *
 * @throws AppError `harness_invalid` - a text holds half of a surrogate pair, which has no UTF-8 bytes.
 */
export function canonicalBundle(bundle: HarnessBundle): string {
  try {
    return canonicalize(bundle) ?? "null";
  } catch (cause) {
    throw new AppError("harness_invalid", "The bundle has no canonical form", { cause });
  }
}

/** The version that a canonical text is. */
export async function bundleVersion(text: string, digest: Digest): Promise<HarnessVersion> {
  return harnessVersionSchema.parse(await digest(new TextEncoder().encode(text)));
}
