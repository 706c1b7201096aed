/** When a canary is behind production, so that it is rolled back without being asked. */
import { z } from "zod";

/** What may go wrong with a turn, the gravest first. */
export const canaryMetricSchema = z
  .enum(["error", "fallback", "blocked", "slow"])
  .describe(
    "no runner lived, or the code threw; a line stood for the answer; a hook refused a sentence or the turn; it took too long",
  );
export type CanaryMetric = z.infer<typeof canaryMetricSchema>;

/** A share of turns that the canary may be worse by. */
const marginSchema = z.number().min(0).max(0.5);

export const canaryLimitsSchema = z.strictObject({
  /**
   * Chance that a canary which is no worse than its margins allow is rolled back all the same, however long it runs and
   * however often one looks. One in a hundred: such a canary costs another release, while ten times less costs about 30 %
   * more bad turns before each roll-back that is right.
   */
  alpha: z.number().min(0.0001).max(0.1).default(0.01),
  /** Canary turns before any verdict. The first ones of a version meet cold caches; the test itself would need no least number. */
  turnsMin: z.int().min(1).max(10_000).default(20),
  /**
   * Rooms of the canary that the bad event must have been seen in, so that the trouble of one room, which comes turn after turn,
   * is not taken for the version's. Three, because two may share a shop. A canary of fewer rooms needs a lower number.
   */
  roomsMin: z.int().min(1).max(50).default(3),
  margins: z
    .strictObject({
      /** Healthy versions are near 0 %; a lost region or deployment may cost a few turns of either side. */
      error: marginSchema.default(0.02),
      /** An endpoint's bad minute falls on whoever asks then. */
      fallback: marginSchema.default(0.03),
      /** A stricter guard may be what the version is for. */
      blocked: marginSchema.default(0.05),
      /** As many as the target of `slowMs`, a p95, lets be slow. */
      slow: marginSchema.default(0.05),
    })
    .prefault({}),
  /** A turn that takes longer, from acceptance to its end, is slow, ms. The product's target for a whole turn is p95 8.1 s. */
  slowMs: z.int().min(100).max(600_000).default(8_100),
});
export type CanaryLimits = z.infer<typeof canaryLimitsSchema>;
