/** Waits between attempts: the first, and the longest, ms. Each wait is up to twice the one before. */
export const RETRY_FIRST_MS = 500;
export const RETRY_MAX_MS = 15_000;

/** Wait before attempt number `attempt` (from 1), ms: doubles, with up to half taken off by chance (`random`, 0 to 1). */
export function retryDelayMs(attempt: number, random: number): number {
  const fullMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** (attempt - 1));
  return Math.round(fullMs * (1 - random / 2));
}
