/** Times as people type and read them: in the zone of this machine, unless they name another. Pure but for that zone. */

const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;

/** Units that a span is told in, the largest first. */
const SPANS = [
  ["d", UNITS_MS.d],
  ["h", UNITS_MS.h],
  ["min", UNITS_MS.m],
  ["s", UNITS_MS.s],
] as const;

const TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d)?(Z|[+-]\d\d:\d\d)?$/;

/**
 * `2026-12-03 20:00`, with or without seconds and a zone (`Z`, `+08:00`).
 *
 * @returns Unix time, ms; `null` for what is no time, as 30 February and the hour that a zone leaves out in spring.
 */
export function readTime(text: string): number | null {
  const [, day, minute, second = ":00", zone] = TIME.exec(text) ?? [];
  if (day === undefined || minute === undefined) return null;
  const typed = `${day}T${minute}${second}`;
  // Shown again in UTC it is what was typed, or it was no time: dates move what overflows on to the next day.
  const utcMs = Date.parse(`${typed}Z`);
  if (Number.isNaN(utcMs) || new Date(utcMs).toISOString().slice(0, typed.length) !== typed) return null;
  if (zone !== undefined) return orNull(Date.parse(typed + zone));
  const localMs = Date.parse(typed);
  return localTimeOf(localMs).startsWith(typed.replace("T", " ")) ? localMs : null;
}

/** `90s`, `20m`, `2h`, `1d`, ms; `null` for anything else. */
export function readSpan(text: string): number | null {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const [, unitMs] = Object.entries(UNITS_MS).find(([name]) => name === unit) ?? [];
  return unitMs === undefined ? null : Number(count) * unitMs;
}

/** `2026-12-03 20:00:00 +08:00`: this machine's time, and its zone then. */
export function localTimeOf(atMs: number): string {
  // East of Greenwich the platform's offset is negative.
  const offsetMin = -new Date(atMs).getTimezoneOffset();
  const local = new Date(atMs + offsetMin * UNITS_MS.m).toISOString();
  const zone = `${twoDigits(Math.floor(Math.abs(offsetMin) / 60))}:${twoDigits(Math.abs(offsetMin) % 60)}`;
  return `${local.slice(0, 10)} ${local.slice(11, 19)} ${offsetMin < 0 ? "-" : "+"}${zone}`;
}

/** `2 h 5 min`: the two largest units, rounded to the second. */
export function spanOf(ms: number): string {
  let restMs = Math.round(ms / UNITS_MS.s) * UNITS_MS.s;
  const parts: string[] = [];
  const first = SPANS.findIndex(([, unitMs]) => unitMs <= restMs);
  for (const [unit, unitMs] of SPANS.slice(first, first + 2)) {
    const count = Math.floor(restMs / unitMs);
    restMs -= count * unitMs;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return first === -1 ? "0 s" : parts.join(" ");
}

function orNull(atMs: number): number | null {
  return Number.isNaN(atMs) ? null : atMs;
}

function twoDigits(count: number): string {
  return `${count}`.padStart(2, "0");
}
