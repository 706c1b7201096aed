/** What a deployment or a removal has to do, from what an account has already. Pure. */
import { CliError } from "../cli-error.ts";
import type { Deployment, Store, StoreIds } from "./deployment.ts";
import type { Account } from "./read-wrangler.ts";

/** Signs and checks every token. */
const TOKEN_SECRET = "TOKEN_SECRET";

export const SECRET_CHARS_MIN = 32;

export type AccountFacts = {
  /** `null`: nobody is logged in; the rest is as on a fresh account. */
  readonly account: Account | null;
  readonly ids: StoreIds;
  /** Names of the Worker's secrets; `null`: there is no such Worker yet. */
  readonly secrets: readonly string[] | null;
};

export const FRESH_ACCOUNT: AccountFacts = { account: null, ids: { kv: new Map(), d1: new Map() }, secrets: null };

/** Where a secret comes from that the Worker lacks. */
export type SecretSource = { readonly from: "environment" } | { readonly from: "file"; readonly file: string };

export type Step =
  | { readonly kind: "create"; readonly store: Store }
  | { readonly kind: "build" }
  | { readonly kind: "migrate"; readonly store: Store }
  | { readonly kind: "deploy" }
  | { readonly kind: "secret"; readonly source: SecretSource }
  | { readonly kind: "answer" };

export type Removal = { readonly kind: "worker" } | { readonly kind: "store"; readonly store: Store };

/**
 * The account to deploy to.
 *
 * @param wanted - Its id, where someone chose one.
 * @throws CliError - the login has none, or several and nobody chose.
 */
export function chooseAccount(accounts: readonly Account[], wanted: string | undefined): Account {
  if (wanted !== undefined && wanted !== "") {
    // A narrow token may not list the account that it is for; Wrangler's next call tells.
    return accounts.find(({ id }) => id === wanted) ?? { id: wanted, name: wanted };
  }
  const [only, ...more] = accounts;
  if (only !== undefined && more.length === 0) return only;
  throw new CliError(only === undefined ? "The login has no account." : "The login has several accounts.", {
    why: accounts.map(({ id, name }) => `${id} ${name}`).join(", ") || "Its token may not list any.",
    next: "CLOUDFLARE_ACCOUNT_ID=<id> npm run deploy",
    exitCode: 2,
  });
}

/**
 * Where `TOKEN_SECRET` comes from; `null`: the Worker has one, which stays.
 *
 * @throws CliError - there is none, and nobody said where to keep it: then nobody could ever sign a token.
 */
export function chooseSecret(
  facts: AccountFacts,
  given: { readonly file?: string | undefined; readonly environment?: string | undefined },
): SecretSource | null {
  if (facts.secrets?.includes(TOKEN_SECRET) === true) return null;
  if (given.file !== undefined) return { from: "file", file: given.file };
  const { environment = "" } = given;
  if (environment.length >= SECRET_CHARS_MIN) return { from: "environment" };
  if (environment !== "") {
    throw new CliError(`${TOKEN_SECRET} is too short.`, {
      why: `It signs every token and needs ${SECRET_CHARS_MIN} characters or more.`,
      next: "npm run deploy -- --secret-file ~/.config/kaibo/token-secret",
    });
  }
  throw new CliError(`The Worker has no ${TOKEN_SECRET} yet.`, {
    why: "It signs every token. It is made now, and you choose the file that keeps it: Cloudflare shows it to nobody.",
    next: "npm run deploy -- --secret-file ~/.config/kaibo/token-secret",
    exitCode: 2,
  });
}

/**
 * The steps, in order. The schema comes before the code that needs it, and rooms, which the code that still runs
 * serves meanwhile, run from what their objects keep. The secret comes after the Worker that holds it.
 */
export function planDeploy({ stores }: Deployment, facts: AccountFacts, source: SecretSource | null): readonly Step[] {
  const missing = stores.filter(({ kind, name }) => !facts.ids[kind].has(name));
  return [
    ...missing.map((store) => ({ kind: "create" as const, store })),
    { kind: "build" },
    ...stores.filter(({ hasMigrations }) => hasMigrations).map((store) => ({ kind: "migrate" as const, store })),
    { kind: "deploy" },
    ...(source === null ? [] : [{ kind: "secret" as const, source }]),
    { kind: "answer" },
  ];
}

/** What is there to remove. The Worker goes first: what it binds is then in nobody's use. */
export function planRemoval({ stores }: Deployment, facts: AccountFacts): readonly Removal[] {
  const found = stores.filter(({ kind, name }) => facts.ids[kind].has(name));
  const worker: readonly Removal[] = facts.secrets === null ? [] : [{ kind: "worker" }];
  return [...worker, ...found.map((store) => ({ kind: "store" as const, store }))];
}

/**
 * Wrangler's arguments for a step; `null`: it is not Wrangler's.
 *
 * @param where - `configFile` is the configuration with ids.
 */
export function stepArgs(
  step: Step,
  { worker, configFile }: { readonly worker: string; readonly configFile: string },
): readonly string[] | null {
  switch (step.kind) {
    case "create":
      return step.store.kind === "kv"
        ? ["kv", "namespace", "create", step.store.name]
        : ["d1", "create", step.store.name];
    case "migrate":
      return ["d1", "migrations", "apply", step.store.binding, "--remote", "--config", configFile];
    case "deploy":
      return ["deploy", "--minify", "--config", configFile];
    case "secret":
      return ["secret", "put", TOKEN_SECRET, "--name", worker];
    case "build":
    case "answer":
      return null;
  }
}

/** Wrangler's arguments for a removal, which asks nothing. */
export function removalArgs(removal: Removal, worker: string, ids: StoreIds): readonly string[] {
  if (removal.kind === "worker") return ["delete", "--name", worker, "--force"];
  const { kind, name } = removal.store;
  return kind === "kv"
    ? ["kv", "namespace", "delete", "--namespace-id", ids.kv.get(name) ?? "", "--skip-confirmation"]
    : ["d1", "delete", name, "--skip-confirmation"];
}
