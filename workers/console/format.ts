/** Figures as people read them. Digits keep one width per size, so that a column does not jump. */
import { parseJson } from "../../shared/core/json.ts";

/** `640 ms`, `1.24 s`, `12.3 s`, `2 min 05 s`. A negative or missing duration is a dash. */
export function formatMs(ms: number | null): string {
  if (ms === null || !Number.isFinite(ms) || ms < 0) return "–";
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / 1_000).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

/** `¥39`, `¥39.90`, `¥1,299`: cents only where there are any, and then both digits. */
export function formatCents(cents: number): string {
  const yuan = Math.floor(cents / 100).toLocaleString("en-US");
  const rest = cents % 100;
  return rest === 0 ? `¥${yuan}` : `¥${yuan}.${String(rest).padStart(2, "0")}`;
}

/** `57.2`, `57`: points have one decimal at most. */
export function formatPoints(points: number): string {
  return `${Math.round(points * 10) / 10}`;
}

/** `82%`. A share that nobody knows is a dash. */
export function formatShare(share: number | null): string {
  return share === null ? "–" : `${Math.round(share * 100)}%`;
}

/** `21:04:09` in the reader's time zone. */
export function formatClock(atMs: number): string {
  return new Date(atMs).toLocaleTimeString("en-GB", { hour12: false });
}

/** First seven digits of a content hash: enough to tell versions apart at a glance. */
export function shortVersion(version: string): string {
  return version.slice(0, 7);
}

/** JSON text laid out for reading; text that is no JSON stays as it is. */
export function layOutJson(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}
