import { BUNDLE_BYTES_MAX, harnessBundleSchema, type HarnessBundle } from "../shared/contract/harness-bundle.ts";
import type { HarnessVersion } from "../shared/contract/ids.ts";
import type { BundleSignature, Evidence } from "../shared/contract/release.ts";
import { fail, ok, type Result } from "../shared/core/result.ts";
import { utf8Bytes } from "../shared/core/text.ts";
import { AppError } from "../shared/errors/app-error.ts";
import { requireSignature } from "./bundle-signature.ts";
import { bundleVersion, canonicalBundle } from "./canonical-bundle.ts";
import { hasErrors, schemaProblems, type Problem } from "./problem.ts";
import { recordChange, type ChangeDeps } from "./record-change.ts";
import type { Actor } from "./registry-change.ts";
import type { RegistryDeps, StoredBundle } from "./registry-store.ts";

export type PushDeps = RegistryDeps &
  ChangeDeps & {
    /** `checkBundle` with what this deployment knows. */
    readonly check: (bundle: HarnessBundle) => readonly Problem[];
  };

export type HarnessPush = {
  /** The wire form as it came; it is checked here, whoever checked it before. */
  readonly bundle: unknown;
  readonly parent?: HarnessVersion | null;
  readonly notes?: string;
  readonly evidence?: Evidence;
  readonly signature?: BundleSignature | null;
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

const NO_EVIDENCE: Evidence = { clusterIds: [], caseIds: [], traceIds: [] };

/**
 * Adds a version. Moves no channel: a version serves no room until someone moves a channel to it.
 *
 * The table is written before the cache, and both before any channel can name the version, so a pointer never names what
 * cannot be read. A push that dies between the two is repeated safely: the version keeps what its first push said of it.
 *
 * @throws AppError `harness_unsigned`, `harness_signature_invalid` - the deployment asks for a signature.
 * @throws AppError `harness_not_found` - the parent is not a version of this harness.
 * @throws AppError `registry_unavailable` - the table may hold the version already; the same push again is safe.
 */
export async function pushHarness(
  deps: PushDeps,
  { bundle, parent = null, notes = "", evidence = NO_EVIDENCE, signature = null }: HarnessPush,
  by: Actor,
): Promise<Result<PushedHarness, PushRefusal>> {
  const parsed = harnessBundleSchema.safeParse(bundle);
  if (!parsed.success) {
    return fail({ code: "harness_invalid", problems: schemaProblems("bundle", parsed.error, () => undefined) });
  }
  const { name, description } = parsed.data;
  const bundleText = canonicalBundle(parsed.data);
  const bytes = utf8Bytes(bundleText);
  const problems = deps.check(parsed.data);
  if (bytes > BUNDLE_BYTES_MAX) return fail({ code: "harness_too_large", problems });
  if (hasErrors(problems)) return fail({ code: "harness_invalid", problems });

  const version = await bundleVersion(bundleText, deps.digest);
  await requireSignature(deps.keys, { name, version }, signature);
  if (parent !== null) await requireParent(deps, name, parent);
  const row = { version, name, description, bundleText, bytes, parent, notes, evidence, signature };
  const created = await recordChange(deps, { kind: "push", ...row }, by);
  // The table's signature, where the version was there before: the copy must say what the truth says.
  const stored = created ? { text: bundleText, signature } : await deps.tables.versionText(version);
  if (stored !== null) await putCopy(deps, version, stored);
  return ok({ version, name, bytes, created, problems });
}

async function requireParent({ tables }: PushDeps, name: string, parent: HarnessVersion): Promise<void> {
  if ((await tables.versionSummary(parent))?.name === name) return;
  throw new AppError("harness_not_found", "The parent is not a version of this harness", { details: { name, parent } });
}

/** Without its copy a version serves all the same, but each runner reads it from the table: the caller shall push again. */
async function putCopy({ cache }: PushDeps, version: HarnessVersion, bundle: StoredBundle): Promise<void> {
  try {
    await cache.put(version, bundle);
  } catch (cause) {
    const title = "The version is in the registry, but its copy is not; push it again";
    throw new AppError("registry_unavailable", title, { details: { version }, cause });
  }
}
