import { BUNDLE_BYTES_MAX, harnessBundleSchema, type HarnessBundle } from "../shared/contract/harness-bundle.ts";
import type { HarnessVersion } from "../shared/contract/ids.ts";
import type { Clock } from "../shared/core/clock.ts";
import { fail, ok, type Result } from "../shared/core/result.ts";
import { utf8Bytes } from "../shared/core/text.ts";
import { bundleVersion, canonicalBundle } from "./canonical-bundle.ts";
import { hasErrors, schemaProblems, type Problem } from "./problem.ts";
import type { RegistryDeps } from "./registry-store.ts";

export type PushDeps = RegistryDeps & {
  readonly clock: Clock;
  /** `checkBundle` with what this deployment knows. */
  readonly check: (bundle: HarnessBundle) => readonly Problem[];
};

export type PushedHarness = {
  readonly version: HarnessVersion;
  readonly name: string;
  readonly bytes: number;
  /** False when the same content was pushed before: pushing twice is safe and gives the same version. */
  readonly created: boolean;
  /** Warnings only. */
  readonly problems: readonly Problem[];
};

export type PushRefusal = {
  readonly code: "harness_invalid" | "harness_too_large";
  readonly problems: readonly Problem[];
};

/**
 * Adds a version. Moves no channel: a version serves no room until someone moves a channel to it.
 *
 * The table is written before the cache, and both before any channel can name the version, so a pointer never names what
 * cannot be read. A push that dies between the two is repeated safely.
 *
 * @param bundle - The wire form as it came; it is checked here, whoever checked it before.
 */
export async function pushHarness(
  deps: PushDeps,
  bundle: unknown,
  createdBy: string,
): Promise<Result<PushedHarness, PushRefusal>> {
  const parsed = harnessBundleSchema.safeParse(bundle);
  if (!parsed.success) {
    return fail({ code: "harness_invalid", problems: schemaProblems("bundle", parsed.error, () => undefined) });
  }
  const { name, description } = parsed.data;
  const text = canonicalBundle(parsed.data);
  const bytes = utf8Bytes(text);
  const problems = deps.check(parsed.data);
  if (bytes > BUNDLE_BYTES_MAX) return fail({ code: "harness_too_large", problems });
  if (hasErrors(problems)) return fail({ code: "harness_invalid", problems });

  const version = await bundleVersion(text, deps.digest);
  const createdAtMs = deps.clock.nowMs();
  const created = await deps.versions.saveVersion({ version, name, description, bytes, createdBy, createdAtMs }, text);
  await deps.cache.put(version, text);
  return ok({ version, name, bytes, created, problems });
}
