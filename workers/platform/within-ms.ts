import { systemTimer } from "./system-clock.ts";

/** What the work gives, or `late` when that takes longer than `limitMs`; the work itself goes on. Rejects as the work does. */
export async function withinMs<Value, Late>(limitMs: number, work: Promise<Value>, late: Late): Promise<Value | Late> {
  const { promise, resolve } = Promise.withResolvers<Late>();
  const cancel = systemTimer.after(limitMs, () => resolve(late));
  try {
    return await Promise.race([work, promise]);
  } finally {
    cancel();
  }
}
