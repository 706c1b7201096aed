/** What Wrangler prints, as facts about an account. Pure. The texts are those of the Wrangler that package.json pins. */
import { z } from "zod";
import { parseJson } from "../../../shared/core/json.ts";
import { CliError } from "../cli-error.ts";
import type { Store } from "./deployment.ts";
import type { Ran } from "./wrangler.ts";

export type Account = { readonly id: string; readonly name: string };

const whoamiSchema = z.discriminatedUnion("loggedIn", [
  z.object({ loggedIn: z.literal(false) }),
  z.object({ loggedIn: z.literal(true), accounts: z.array(z.object({ id: z.string(), name: z.string() })) }),
]);
const namespacesSchema = z.array(z.object({ id: z.string(), title: z.string() }));
const databasesSchema = z.array(z.object({ uuid: z.string(), name: z.string() }));
const secretsSchema = z.array(z.object({ name: z.string() }));

/** Of `wrangler whoami --json`: the accounts that the login may use, or null when nobody is logged in. */
export function readAccounts(ran: Ran): readonly Account[] | null {
  const said = readJson(ran.stdout, whoamiSchema, "whoami");
  return said.loggedIn ? said.accounts : null;
}

/** Of `wrangler kv namespace list`: ids by name. */
export function readNamespaces(stdout: string): ReadonlyMap<string, string> {
  return new Map(readJson(stdout, namespacesSchema, "kv namespace list").map(({ id, title }) => [title, id]));
}

/** Of `wrangler d1 list --json`: ids by name. */
export function readDatabases(stdout: string): ReadonlyMap<string, string> {
  return new Map(readJson(stdout, databasesSchema, "d1 list").map(({ uuid, name }) => [name, uuid]));
}

/** Of `wrangler secret list`: names of secrets. */
export function readSecrets(stdout: string): readonly string[] {
  return readJson(stdout, secretsSchema, "secret list").map(({ name }) => name);
}

/** True when `wrangler secret list` failed because there is no such Worker yet. */
export function isWorkerMissing({ code, stderr }: Ran): boolean {
  return code !== 0 && /Worker "[^"]*"[^\n]* not found/.test(stderr);
}

/** Of `wrangler kv namespace create` and `wrangler d1 create`: the id in the lines that they print for the configuration. */
export function readCreatedId({ kind, name }: Store, stdout: string): string {
  const pattern = kind === "kv" ? /\bid"?\s*[:=]\s*"([0-9a-f]{32})"/ : /\bdatabase_id"?\s*[:=]\s*"([0-9a-f-]{36})"/;
  const id = pattern.exec(stdout)?.[1];
  if (id !== undefined) return id;
  throw new CliError(`${name} was made, but Wrangler did not say its id.`, {
    why: stdout.trim().slice(-500),
    next: "Run the same command again: it finds what was made by its name.",
  });
}

/** Of `wrangler d1 migrations apply`: how many it applied. */
export function readMigrated(stdout: string): number {
  return Number(/About to apply (\d+) migration/.exec(stdout)?.[1] ?? 0);
}

/** Of `wrangler deploy`: kibibytes of the upload, gzipped, as Wrangler has them; `null` if it does not say. */
export function readUploadSize(stdout: string): string | null {
  return /gzip: ([\d.]+ KiB)/.exec(stdout)?.[1] ?? null;
}

/**
 * Of `wrangler deploy`: the version that serves now.
 *
 * @throws CliError - it names none, so it deployed nothing.
 */
export function readVersion(stdout: string): string {
  const version = /^Current Version ID: (\S+)$/m.exec(stdout)?.[1];
  if (version !== undefined) return version;
  throw new CliError("Wrangler ended without having deployed.", {
    why: stdout.trim().slice(-500) || "It printed nothing.",
    next: "npx wrangler deployments list says what serves now; then run the same command again.",
  });
}

/** Of `wrangler deploy`: where the Worker answers. `null`: only on routes that are no address by themselves. */
export function readAddress(stdout: string): string | null {
  const domain = /^\s+(\S+) \(custom domain/m.exec(stdout)?.[1];
  return domain === undefined ? (/^\s+(https:\/\/\S+\.workers\.dev)$/m.exec(stdout)?.[1] ?? null) : `https://${domain}`;
}

function readJson<Schema extends z.ZodType>(stdout: string, schema: Schema, command: string): z.infer<Schema> {
  const parsed = schema.safeParse(parseJson(stdout.trim()));
  if (parsed.success) return parsed.data;
  throw new CliError(`\`wrangler ${command}\` answered something unexpected.`, {
    why: stdout.trim().slice(0, 500) || "It printed nothing.",
    next: "npm ci, so that Wrangler is the version that package.json pins; then run the command again.",
  });
}
