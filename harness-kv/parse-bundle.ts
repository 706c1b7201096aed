import { harnessBundleSchema, type HarnessBundle } from "../shared/contract/harness-bundle.ts";
import type { HarnessVersion } from "../shared/contract/ids.ts";
import { parseJson } from "../shared/core/json.ts";
import { AppError } from "../shared/errors/app-error.ts";
import { bundleVersion, type Digest } from "./canonical-bundle.ts";

/**
 * Reads a stored bundle. The bytes are compared with the version before anything in them is looked at.
 *
 * @throws AppError `harness_corrupt` - the text does not hash to the version, or is no bundle.
 */
export async function parseBundle(text: string, version: HarnessVersion, digest: Digest): Promise<HarnessBundle> {
  if ((await bundleVersion(text, digest)) !== version) {
    throw new AppError("harness_corrupt", "The bundle does not match its version", { details: { version } });
  }
  const parsed = harnessBundleSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new AppError("harness_corrupt", "The bundle does not parse", { details: { version }, cause: parsed.error });
}
