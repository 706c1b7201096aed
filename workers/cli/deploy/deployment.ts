/**
 * What `wrangler.toml` asks of an account, and the same configuration with the account's ids in it. Pure.
 *
 * The file holds no ids: an account's are found by name whenever they are needed. So the same sources deploy to any
 * account, from any machine, and nothing of an account is committed.
 */
import { z } from "zod";
import { CliError } from "../cli-error.ts";

export type Store = {
  readonly kind: "kv" | "d1";
  readonly binding: string;
  /** Its name in the account. */
  readonly name: string;
  readonly hasMigrations: boolean;
};

export type Deployment = {
  /** Name of the Worker. */
  readonly worker: string;
  /** Those that the file gives no id. Who writes an id into the file looks after that store alone. */
  readonly stores: readonly Store[];
  readonly config: WranglerConfig;
};

const configSchema = z.looseObject({
  name: z.string(),
  account_id: z.string().optional(),
  kv_namespaces: z.array(z.looseObject({ binding: z.string(), id: z.string().optional() })).default([]),
  d1_databases: z
    .array(
      z.looseObject({
        binding: z.string(),
        database_id: z.string().optional(),
        database_name: z.string().optional(),
        migrations_dir: z.string().optional(),
      }),
    )
    .default([]),
});
export type WranglerConfig = z.infer<typeof configSchema>;

/**
 * @param raw - `wrangler.toml`, parsed.
 * @param worker - Another name for the Worker, and so for its stores.
 * @throws CliError - the file is none that this can deploy.
 */
export function readDeployment(raw: unknown, worker?: string): Deployment {
  const parsed = configSchema.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new CliError("wrangler.toml does not read.", {
      why: `${issue?.path.join(".")}: ${issue?.message}`,
      next: "git diff wrangler.toml",
    });
  }
  const config = worker === undefined ? parsed.data : { ...parsed.data, name: worker };
  const nameOf = (binding: string) => storeName(config.name, binding);
  const namespaces = config.kv_namespaces
    .filter(({ id }) => id === undefined)
    .map(({ binding }) => ({ kind: "kv" as const, binding, name: nameOf(binding), hasMigrations: false }));
  const databases = config.d1_databases
    .filter(({ database_id: id }) => id === undefined)
    .map(({ binding, database_name: name = nameOf(binding), migrations_dir: folder }) => {
      return { kind: "d1" as const, binding, name, hasMigrations: folder !== undefined };
    });
  return { worker: config.name, stores: [...namespaces, ...databases], config };
}

/** The name that Wrangler itself gives to what it makes for a binding without an id, so that both find the same. */
function storeName(worker: string, binding: string): string {
  return `${worker}-${binding.toLowerCase().replaceAll("_", "-")}`;
}

/** Ids in an account, by name. */
export type StoreIds = Readonly<Record<Store["kind"], ReadonlyMap<string, string>>>;

/** The configuration to deploy with. Its paths are as relative as they were: it belongs beside `wrangler.toml`. */
export function withIds({ config, stores }: Deployment, ids: StoreIds): WranglerConfig {
  const find = (kind: Store["kind"], wanted: string) => {
    const name = stores.find((store) => store.kind === kind && store.binding === wanted)?.name;
    const id = name === undefined ? undefined : ids[kind].get(name);
    return id === undefined ? null : { id, name };
  };
  return {
    ...config,
    kv_namespaces: config.kv_namespaces.map((entry) => {
      const found = find("kv", entry.binding);
      return found === null ? entry : { ...entry, id: found.id };
    }),
    d1_databases: config.d1_databases.map((entry) => {
      const found = find("d1", entry.binding);
      return found === null ? entry : { ...entry, database_name: found.name, database_id: found.id };
    }),
  };
}
