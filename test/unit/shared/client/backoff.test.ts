import { describe, it } from "vitest";
import { RETRY_FIRST_MS, RETRY_MAX_MS, retryDelayMs } from "../../../../shared/client/backoff.ts";

describe("retryDelayMs", () => {
  it.for([
    { name: "the first wait is the shortest", attempt: 1, random: 0, delayMs: RETRY_FIRST_MS },
    { name: "chance takes off up to half", attempt: 2, random: 1, delayMs: RETRY_FIRST_MS },
    { name: "no wait is longer than the longest", attempt: 99, random: 0, delayMs: RETRY_MAX_MS },
  ])("$name", ({ attempt, random, delayMs }, { expect }) => {
    expect(retryDelayMs(attempt, random)).toBe(delayMs);
  });
});
