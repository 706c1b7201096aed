/** Rows of the registry's tables as the registry's values. */
import type { VersionSummary } from "../../harness-kv/registry-store.ts";
import { harnessVersion } from "../../harness-kv/schema.ts";
import { harnessVersionSchema } from "../../shared/contract/ids.ts";
import { evidenceSchema, signatureSchema, type BundleSignature } from "../../shared/contract/release.ts";
import { parseJson } from "../../shared/core/json.ts";

/** Everything of a version but its bundle. */
export const SUMMARY_COLUMNS = {
  version: harnessVersion.version,
  name: harnessVersion.name,
  description: harnessVersion.description,
  bytes: harnessVersion.bytes,
  createdBy: harnessVersion.createdBy,
  createdAtMs: harnessVersion.createdAtMs,
  parent: harnessVersion.parent,
  notes: harnessVersion.notes,
  evidence: harnessVersion.evidence,
  signature: harnessVersion.signature,
  keyId: harnessVersion.keyId,
  revokedAtMs: harnessVersion.revokedAtMs,
};

export function toSummary(row: Omit<typeof harnessVersion.$inferSelect, "bundle">): VersionSummary {
  const { keyId: _, ...fields } = row;
  return {
    ...fields,
    version: harnessVersionSchema.parse(row.version),
    parent: harnessVersionSchema.nullable().parse(row.parent),
    // A version from before there was evidence has `{}`.
    evidence: evidenceSchema.parse(parseJson(row.evidence)),
    signature: toSignature(row),
  };
}

/** A signature that was damaged in the table counts as none. */
export function toSignature({
  keyId,
  signature,
}: {
  signature: string | null;
  keyId: string | null;
}): BundleSignature | null {
  return signatureSchema.safeParse({ keyId, signature }).data ?? null;
}
