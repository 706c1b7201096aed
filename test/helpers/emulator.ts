/** The endpoint emulator of `test/endpoint/` as a process of its own. For tests and plain scripts. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import type { EmulatorStats } from "../endpoint/emulator.ts";
import type { FaultInput } from "../endpoint/faults.ts";

const MAIN = path.resolve(import.meta.dirname, "../endpoint/main.ts");

/** Longest wait for its first line, and for its end before it is killed, ms. */
const START_MS_MAX = 20_000;
const STOP_MS_MAX = 3_000;

export type RunningEmulator = {
  /** Base URL, with `/v1`. */
  readonly url: string;
  readonly origin: string;
  readonly pid: number;
  /** Calls `/control<path>` and gives its JSON; throws when it refuses. */
  readonly control: (path: string, method?: "GET" | "POST" | "DELETE", body?: unknown) => Promise<unknown>;
  /** Replaces the faults that are still to come. */
  readonly setFaults: (faults: readonly FaultInput[]) => Promise<void>;
  readonly stats: () => Promise<EmulatorStats>;
  readonly stop: () => Promise<void>;
};

/** Starts an emulator on a free port, with the flags of its command line. It ends with this process at the latest. */
export async function startEmulator(flags: readonly string[] = []): Promise<RunningEmulator> {
  // The channel tells it when this process ends without stopping it.
  const child = spawn(process.execPath, [MAIN, ...flags], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const url = await readUrl(child);
  const { origin } = new URL(url);
  const control: RunningEmulator["control"] = async (route, method = "GET", body) => {
    const response = await fetch(`${origin}/control${route}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} /control${route}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  return {
    url,
    origin,
    // It has listened, so it was started.
    pid: child.pid ?? 0,
    control,
    setFaults: async (faults) => void (await control("/faults", "POST", { faults })),
    // Both sides are one program.
    stats: async () => (await control("/stats")) as EmulatorStats,
    stop: () => stop(child),
  };
}

async function readUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("the emulator has no output");
  const lines = createInterface({ input: child.stdout });
  const gone = new AbortController();
  child.once("exit", () => gone.abort(new Error("the emulator ended before it listened")));
  try {
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(START_MS_MAX)]);
    const [line] = (await once(lines, "line", { signal })) as [string];
    const url = /^endpoint: (\S+)$/.exec(line)?.[1];
    if (url === undefined) throw new Error(`the emulator said: ${line}`);
    return url;
  } catch (thrown) {
    await stop(child);
    throw thrown;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  const kill = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
  await exit;
  clearTimeout(kill);
}
