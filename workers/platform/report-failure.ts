/** Puts a failure that nobody is left to answer into the platform's log, as one line of JSON. */
export function reportFailure(where: string, code: string, thrown: unknown): void {
  const error = thrown instanceof Error ? thrown : null;
  // The first lines of a stack are the message, and a message may quote data: only names and frames are kept.
  const frames = (error?.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  const line = { level: "error", where, code, name: error?.name ?? typeof thrown, frames };
  // oxlint-disable-next-line no-console -- the platform's log is the only place for it
  console.error(JSON.stringify(line));
}

/** Puts the begin or end of an alarm into the platform's log, as one line of JSON. */
export function reportAlarm(endpoint: string, alarm: { code: string; isOn: boolean; message: string }): void {
  const line = { level: alarm.isOn ? "warn" : "info", where: "endpoint-alarm", endpoint, ...alarm };
  // oxlint-disable-next-line no-console -- the platform's log is the only place for it
  console.warn(JSON.stringify(line));
}
