/** Admission without the endpoint's object: each isolate lets few turns pass, so that all of them together stay bearable. */
import type { Admission, AdmissionRequest } from "../../shared/contract/admission.ts";
import { SLOT_GRACE_MS } from "../../shared/inference/endpoint-gate.ts";

/** A deployment runs more than one isolate; each takes this share of what the endpoint may carry. */
const ISOLATE_SHARE = 0.25;

export class LocalLimit {
  /** By endpoint and key: when the slot ends by itself, for a turn whose runner was stopped never gives it back. */
  readonly #held = new Map<string, Map<string, number>>();

  admit(
    endpoint: string,
    { key, limits, deadlineAtMs }: Pick<AdmissionRequest, "key" | "limits" | "deadlineAtMs">,
    nowMs: number,
  ): Admission {
    const limit = Math.max(1, Math.floor(limits.slots * limits.utilizationCeiling * ISOLATE_SHARE));
    const slots = this.#held.get(endpoint) ?? new Map<string, number>();
    for (const [held, endsAtMs] of slots) if (endsAtMs <= nowMs) slots.delete(held);
    if (!slots.has(key) && slots.size >= limit) return { admitted: false, reason: "busy", expectedWaitMs: 0 };
    this.#held.set(endpoint, slots.set(key, deadlineAtMs + SLOT_GRACE_MS));
    return { admitted: true, waitedMs: 0 };
  }

  /** False when the key holds no slot here. */
  release(endpoint: string, key: string): boolean {
    const slots = this.#held.get(endpoint);
    if (slots?.delete(key) !== true) return false;
    if (slots.size === 0) this.#held.delete(endpoint);
    return true;
  }
}
