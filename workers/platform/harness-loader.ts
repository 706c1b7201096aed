/** Compiled harnesses by version, kept in the isolate: a version never changes, so it is read and compiled once. */
import { loadBundle } from "../../harness-kv/resolve-harness.ts";
import { compileHarness, type CompiledHarness } from "../../shared/agent/compiled-harness.ts";
import { harnessVersionSchema } from "../../shared/contract/ids.ts";
import { BoundedCache } from "../../shared/core/bounded-cache.ts";
import { registryOf } from "./registry.ts";

/** Versions that one isolate keeps ready: production, canary and their predecessors, with room to spare. */
const VERSIONS_MAX = 16;

const compiled = new BoundedCache<string, Promise<CompiledHarness>>(VERSIONS_MAX);

/**
 * @throws AppError `harness_not_found`, `harness_corrupt`, `harness_unsigned`, `harness_signature_invalid`, `harness_invalid`. A
 *   failure is not kept: the next call tries again.
 */
export function loadHarness(env: Env, version: string): Promise<CompiledHarness> {
  const known = compiled.get(version);
  if (known !== undefined) return known;
  const loading = load(env, version);
  compiled.set(version, loading);
  loading.catch(() => compiled.delete(version));
  return loading;
}

async function load(env: Env, version: string): Promise<CompiledHarness> {
  const id = harnessVersionSchema.parse(version);
  return compileHarness(await loadBundle(registryOf(env), id), id);
}
