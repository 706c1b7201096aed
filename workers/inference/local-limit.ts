/** Admission without the endpoint's object: each isolate lets few turns pass, so that all of them together stay bearable. */
import type { Admission, AdmissionLimits } from "../../shared/contract/admission.ts";

/** A deployment runs more than one isolate; each takes this share of what the endpoint may carry. */
const ISOLATE_SHARE = 0.25;

export class LocalLimit {
  readonly #held = new Map<string, Set<string>>();

  admit(endpoint: string, key: string, { slots, utilizationCeiling }: AdmissionLimits): Admission {
    const limit = Math.max(1, Math.floor(slots * utilizationCeiling * ISOLATE_SHARE));
    const keys = this.#held.get(endpoint) ?? new Set();
    if (!keys.has(key) && keys.size >= limit) return { admitted: false, reason: "busy", expectedWaitMs: 0 };
    this.#held.set(endpoint, keys.add(key));
    return { admitted: true, waitedMs: 0 };
  }

  /** False when the key holds no slot here. */
  release(endpoint: string, key: string): boolean {
    const keys = this.#held.get(endpoint);
    if (keys?.delete(key) !== true) return false;
    if (keys.size === 0) this.#held.delete(endpoint);
    return true;
  }
}
