/** The audit log's chain: each row's hash covers the row before it, so that no row can be changed, dropped or put in unseen. */
import canonicalize from "canonicalize";
import type { AuditRow } from "../shared/contract/release.ts";
import type { Digest } from "./canonical-bundle.ts";

/** What stands before the first row. */
export const GENESIS_HASH = "0".repeat(64);

export type AuditHead = Pick<AuditRow, "seq" | "hash">;

/** Before any row. */
export const EMPTY_CHAIN: AuditHead = { seq: 0, hash: GENESIS_HASH };

/** Who did what to what, and when. */
export type AuditEntry = Pick<AuditRow, "atMs" | "actor" | "audience" | "action" | "subject">;

/** The row that follows `head`. */
export async function nextAuditRow(head: AuditHead, entry: AuditEntry, digest: Digest): Promise<AuditRow> {
  const { atMs, actor, audience, action, subject } = entry;
  const row = { seq: head.seq + 1, atMs, actor, audience, action, subject, prevHash: head.hash };
  return { ...row, hash: await hashOf(row, digest) };
}

/** The last row that was found good, and the number of the first that is not; `null` when all are. */
export type Verified = { readonly head: AuditHead; readonly brokenSeq: number | null };

/**
 * Checks a page of rows against what came before it. The next page goes on from the head that this one gives.
 *
 * A log that was cut short at its end verifies: compare the last head with one that was written down elsewhere.
 */
export async function verifyAuditPage(head: AuditHead, rows: readonly AuditRow[], digest: Digest): Promise<Verified> {
  let last = head;
  for (const row of rows) {
    const follows = row.seq === last.seq + 1 && row.prevHash === last.hash;
    if (!follows || row.hash !== (await hashOf(row, digest))) return { head: last, brokenSeq: last.seq + 1 };
    last = { seq: row.seq, hash: row.hash };
  }
  return { head: last, brokenSeq: null };
}

/** SHA-256 of the canonical JSON (RFC 8785) of everything but the hash itself. */
function hashOf(row: Omit<AuditRow, "hash">, digest: Digest): Promise<string> {
  const { seq, atMs, actor, audience, action, subject, prevHash } = row;
  const text = canonicalize({ seq, atMs, actor, audience, action, subject, prevHash }) ?? "null";
  return digest(new TextEncoder().encode(text));
}
