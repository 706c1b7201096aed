/** The real registry behind a network that fails: before a write, after it, or while it is still on its way. */
import type { ReleaseDeps } from "../../../harness-kv/move-channel.ts";
import type { RegistryDeps } from "../../../harness-kv/registry-store.ts";
import { pause } from "../../../shared/core/timer.ts";
import { AppError } from "../../../shared/errors/app-error.ts";

type Registry = RegistryDeps & ReleaseDeps;

/** Share of calls that each fault takes, in this order. */
const READ_FAILS = 0.01;
const COMMIT_FAULTS = { before: 0.04, after: 0.06, late: 0.04, delayed: 0.1 };
const CACHE_FAULTS = { before: 0.06, after: 0.06, late: 0.04, delayed: 0.06, lag: 0.15 };
/** Longest time that a write is on its way, ms: others make dozens of changes meanwhile. Most arrive before the next change. */
const DELAY_MS_MAX = 400;

type WriteFault = "before" | "after" | "late" | "delayed" | "lag" | "none";

export type FaultyRegistry = {
  readonly deps: Registry;
  /** Faults so far that an answer told of. */
  readonly failures: () => number;
};

/**
 * @param random - From 0 up to 1; the same numbers give the same faults.
 * @param late - Takes the writes that are on their way when their callers have gone. They may fail unseen.
 */
export function breakRegistry(registry: Registry, random: () => number, late: Promise<unknown>[]): FaultyRegistry {
  const { tables, cache, timer } = registry;
  let failures = 0;

  const read =
    <Args extends unknown[], Value>(get: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      if (random() < READ_FAILS) throw failed(new AppError("registry_unavailable", "The read failed"));
      return get(...args);
    };
  const failed = (error: Error) => {
    failures += 1;
    return error;
  };
  const delay = () => pause(timer, random() ** 4 * DELAY_MS_MAX);
  const onItsWay = (run: () => Promise<unknown>) =>
    void late.push(
      delay()
        .then(run)
        .catch(() => {}),
    );
  const write = async <Value>(fault: WriteFault, error: Error, run: () => Promise<Value>): Promise<Value> => {
    if (fault === "before") throw failed(error);
    if (fault === "late") {
      onItsWay(run);
      throw failed(error);
    }
    if (fault === "delayed") await delay();
    const value = await run();
    if (fault === "after") throw failed(error);
    return value;
  };
  const writeCache = async (run: () => Promise<void>): Promise<void> => {
    const fault = drawFault(CACHE_FAULTS, random());
    if (fault === "lag") onItsWay(run);
    else await write(fault, new Error("KV PUT failed: 500 Internal Server Error"), run);
  };

  return {
    failures: () => failures,
    deps: {
      ...registry,
      random,
      tables: {
        ...tables,
        commit: (change, row) =>
          write(drawFault(COMMIT_FAULTS, random()), new AppError("registry_unavailable", "The write failed"), () =>
            tables.commit(change, row),
          ),
        auditHead: read(() => tables.auditHead()),
        auditHash: read((seq) => tables.auditHash(seq)),
        versionText: read((version) => tables.versionText(version)),
        versionSummary: read((version) => tables.versionSummary(version)),
        channel: read((scope) => tables.channel(scope)),
        routes: read((request) => tables.routes(request)),
        freeze: read((name, merchant) => tables.freeze(name, merchant)),
      },
      cache: {
        get: (version) => cache.get(version),
        put: (version, bundle) => writeCache(() => cache.put(version, bundle)),
        putChannel: (scope, version) => writeCache(() => cache.putChannel(scope, version)),
      },
    },
  };
}

function drawFault(shares: Readonly<Partial<Record<WriteFault, number>>>, drawn: number): WriteFault {
  let sum = 0;
  for (const fault of ["before", "after", "late", "delayed", "lag"] as const) {
    sum += shares[fault] ?? 0;
    if (drawn < sum) return fault;
  }
  return "none";
}
