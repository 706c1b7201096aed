/** The whole product on this machine: the Worker as production runs it, in workerd, with everything it binds. */
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions, type V4WorkerOptions } from "miniflare";
import { systemCode } from "../cli-error.ts";
import { signInstanceTokens, type InstanceTokens } from "./dev-tokens.ts";
import { applyMigrations } from "./apply-migrations.ts";
import { buildProduct, type Product } from "./build-product.ts";
import { loadDevSecret, pickSettings, policyOf, readDevVars, requireSettings } from "./dev-settings.ts";
import { removeInstance, writeInstance } from "./instance-file.ts";
import { LOOPBACK, portError } from "./port.ts";
import { ROOT } from "./project.ts";

/** How long the runtime may take to end, ms. Then the process that holds it ends, and takes it along. */
const STOP_MS_MAX = 5_000;

export type LocalProductOptions = {
  /** 0: one that is free. */
  readonly port: number;
  /** Holds rooms, registry, secret and address; made when absent. Wrangler's own commands find the same data in `.wrangler`. */
  readonly stateFolder: string;
  /** What the shell sets: see `pickSettings`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes what the Worker and the runtime log. Absent: it is dropped. */
  readonly log?: (line: string) => void;
  /** See `buildProduct`. */
  readonly entry?: string;
  /** Told when a stage begins; what it returns is told how the stage ended. */
  readonly stage?: (title: string) => (outcome: string) => void;
};

export type LocalProduct = {
  /** `http://127.0.0.1:8787`, without a slash at its end. */
  readonly url: string;
  readonly tokens: InstanceTokens;
  /** Who answers; `null`: the offline policy. */
  readonly policy: ReturnType<typeof policyOf>;
  /** Ends the runtime. Calling it again waits for the same end. */
  readonly stop: () => Promise<void>;
};

/**
 * @throws CliError - a setting is wrong, the sources do not build, or the port is busy.
 */
export async function startLocalProduct(options: LocalProductOptions): Promise<LocalProduct> {
  const { stateFolder, stage = () => () => {} } = options;
  const chosen = pickSettings(options.env, await readDevVars(ROOT));
  const secret = chosen["TOKEN_SECRET"] ?? (await loadDevSecret(stateFolder));

  const endBuild = stage("Worker and page");
  const product = await buildProduct(options.entry);
  endBuild(product.built ? "built" : "unchanged since the last build");

  const endRuntime = stage("runtime");
  const worker = await readWorkerOptions(product, { ...chosen, TOKEN_SECRET: secret });
  requireSettings(worker.settings);
  const { runtime, url } = await openRuntime(worker.options, options);
  endRuntime(`workerd serves ${url}`);

  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= stopRuntime(runtime, stateFolder));
  try {
    const endMigrations = stage("registry database");
    const applied = await applyMigrations(await runtime.getD1Database("REGISTRY_DB"), await readMigrations());
    endMigrations(applied.length === 0 ? "up to date" : `${applied.length} migration(s) applied`);
    const tokens = await signInstanceTokens(secret, Date.now());
    await writeInstance(stateFolder, { url, pid: process.pid, tokens });
    return { url, tokens, policy: policyOf(worker.settings), stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

/** What `wrangler.toml` binds, with the build and the settings put in. */
async function readWorkerOptions(product: Product, chosen: Readonly<Record<string, string>>) {
  // Read by Wrangler when it is loaded: it would report on standard output.
  process.env["WRANGLER_LOG"] ??= "error";
  const { unstable_getMiniflareWorkerOptions: readConfig } = await import("wrangler");
  const { workerOptions } = readConfig(path.join(ROOT, "wrangler.toml"), undefined, {
    overrides: { assets: { directory: product.pageFolder } },
  });
  const settings: Record<string, string> = { ...textsOf(workerOptions["bindings"]), ...chosen };
  const options = {
    ...workerOptions,
    name: "kaibo",
    rootPath: ROOT,
    modulesRoot: product.workerFolder,
    modules: [{ type: "ESModule" as const, path: path.join(product.workerFolder, product.workerFile) }],
    bindings: settings,
  };
  return { options, settings };
}

function textsOf(bindings: unknown): Record<string, string> {
  if (typeof bindings !== "object" || bindings === null) return {};
  return Object.fromEntries(Object.entries(bindings).filter((entry) => typeof entry[1] === "string"));
}

async function openRuntime(worker: V4WorkerOptions, { port, stateFolder, log = () => {} }: LocalProductOptions) {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: LOOPBACK,
      port,
      resourcePersistencePath: path.join(stateFolder, "state/v3"),
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: ({ message }) => log(message),
      handleUncaughtError: (error) => log(error.stack ?? error.message),
      // Facts about the visitor's connection would be fetched from the network; nothing here reads them.
      cf: false,
      telemetry: { enabled: false },
      unsafeLocalExplorer: false,
      workers: [worker],
    }),
  );
  try {
    return { runtime, url: (await runtime.ready).origin };
  } catch (thrown) {
    await runtime.dispose();
    if (systemCode(thrown) === "ERR_ADDRESS_IN_USE") throw portError(port, "EADDRINUSE", thrown);
    throw thrown;
  }
}

async function stopRuntime(runtime: Miniflare, stateFolder: string): Promise<void> {
  await removeInstance(stateFolder);
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, STOP_MS_MAX);
  await Promise.race([runtime.dispose(), late]);
  clearTimeout(timer);
}

async function readMigrations() {
  const { unstable_splitSqlQuery: splitSql } = await import("wrangler");
  const folder = path.join(ROOT, "migrations");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql"));
  return Promise.all(
    names.map(async (name) => ({ name, statements: splitSql(await readFile(path.join(folder, name), "utf8")) })),
  );
}
