/** Every change of the registry, as data: what the tables take, and what the audit log says of it. */
import type { CanaryLimits } from "../shared/contract/canary-limits.ts";
import type { HarnessChannel, HarnessVersion } from "../shared/contract/ids.ts";
import type { Evidence, BundleSignature, GateCondition, PinScope } from "../shared/contract/release.ts";
import type { AuditEntry } from "./audit-chain.ts";
import type { Canary } from "./canary-share.ts";

/** Whose work a change is. */
export type Actor = {
  readonly name: string;
  /** The audience of the token that allowed it; `rollout`: the product itself, by rules that governors set. */
  readonly audience: "operator" | "governor" | "rollout";
};

export type NewVersion = {
  readonly version: HarnessVersion;
  readonly name: string;
  readonly description: string;
  readonly bundleText: string;
  /** UTF-8 bytes of `bundleText`. */
  readonly bytes: number;
  readonly parent: HarnessVersion | null;
  readonly notes: string;
  readonly evidence: Evidence;
  readonly signature: BundleSignature | null;
};

/** A channel of a harness, for one merchant or for all (`*`). */
export type ChannelScope = { readonly name: string; readonly channel: HarnessChannel; readonly merchant: string };

export type ChannelMove = ChannelScope & {
  /** The version that the channel serves now, as the caller believes; null for a channel that does not exist yet. */
  readonly expected: HarnessVersion | null;
  readonly to: HarnessVersion;
};

/** A move that waits for its time, for a second person, or for both. */
export type PlannedMove = ChannelMove & {
  readonly id: string;
  /** Null: as soon as it may. */
  readonly dueAtMs: number | null;
  readonly note: string;
};

type PlanRef = { readonly name: string; readonly id: string };
type PinRef = { readonly name: string; readonly scope: PinScope; readonly id: string };
type MerchantScope = { readonly name: string; readonly merchant: string };

/** Each is a compare-and-swap: it happens as a whole, with its audit row, or not at all. */
export type RegistryChange =
  /** Not, when the version is there already. */
  | ({ readonly kind: "push" } & NewVersion)
  /** Not, when the channel does not serve `expected`, the target may not serve, or the harness is frozen. */
  | ({ readonly kind: "move"; readonly plan?: string } & ChannelMove)
  /** As a move, to what the channel served before; a freeze does not stop it. */
  | ({ readonly kind: "roll-back" } & ChannelMove & { readonly expected: HarnessVersion })
  | ({ readonly kind: "pin" } & PinRef & { readonly version: HarnessVersion; readonly note: string })
  | ({ readonly kind: "unpin" } & PinRef)
  /** Not, when it is frozen already. */
  | ({ readonly kind: "freeze" } & MerchantScope & { readonly reason: string })
  /** Not, when someone else than `onlyBy` has frozen it. */
  | ({ readonly kind: "unfreeze" } & MerchantScope & { readonly onlyBy: string | null })
  /** Not, when the version may not serve, or the harness is frozen. */
  | ({ readonly kind: "set-canary"; readonly name: string } & Canary)
  /** Not, when the canary is another than `salt` by now; absent: whichever it is. */
  | ({ readonly kind: "end-canary"; readonly salt?: string; readonly reason?: string } & MerchantScope)
  /** Not, when the version may not serve. */
  | ({ readonly kind: "plan" } & PlannedMove)
  /** Not, when it is not waiting, or was planned by the same person. */
  | ({ readonly kind: "approve-plan" } & PlanRef)
  /** Not, when it is not waiting. */
  | ({ readonly kind: "withdraw-plan" } & PlanRef)
  /** It was due and could not be done. Not, when it is not waiting. */
  | ({ readonly kind: "refuse-plan"; readonly reason: string } & PlanRef)
  | { readonly kind: "set-canary-limits"; readonly name: string; readonly limits: CanaryLimits }
  /** Null: none. Not, when the version may not serve. */
  | { readonly kind: "set-backup"; readonly name: string; readonly version: HarnessVersion | null }
  /** A room was given the backup because what it should run could not be loaded. Not, when the backup is another by now. */
  | {
      readonly kind: "use-backup";
      readonly name: string;
      readonly version: HarnessVersion;
      readonly room: string;
      readonly reason: string;
    }
  /** Takes the version out of pins and canaries, and channels that serve it back to what they served before. */
  | { readonly kind: "revoke"; readonly name: string; readonly version: HarnessVersion; readonly reason: string }
  | {
      readonly kind: "judge";
      readonly name: string;
      readonly version: HarnessVersion;
      readonly condition: GateCondition;
      readonly ok: boolean;
      readonly details: Readonly<Record<string, string | number | boolean>>;
    };

/** The change as the log has it: its kind, and all of it but the bundle, whose version is its hash. */
export function toAuditEntry(change: RegistryChange, { name, audience }: Actor, atMs: number): AuditEntry {
  const { kind, ...fields } = change;
  const subject = Object.fromEntries(Object.entries(fields).filter(([field]) => field !== "bundleText"));
  return { atMs, actor: name, audience, action: kind, subject };
}
