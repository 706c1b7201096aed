/** What `kaibo deploy` prints besides its progress. */
import type { Deployment, Store } from "./deployment.ts";
import { stepArgs, type AccountFacts, type Removal, type Step } from "./plan.ts";

/** Line at the top: what goes where. */
export function formatWhere({ worker }: Deployment, { account }: AccountFacts): string {
  const where = account === null ? "a fresh account (nobody is logged in)" : `${account.name} (${account.id})`;
  return `Kaibo 开播 → Worker ${worker}, Cloudflare account ${where}\n`;
}

/** What a step is called while it runs. */
export function titleOf(step: Step): string {
  switch (step.kind) {
    case "create":
      return formatStore(step.store);
    case "build":
      return "page";
    case "migrate":
      return `schema of ${step.store.name}`;
    case "deploy":
      return "Worker";
    case "secret":
      return step.source.from === "file" ? `TOKEN_SECRET, kept in ${step.source.file}` : "TOKEN_SECRET";
    case "answer":
      return "first answer";
  }
}

type Where = Parameters<typeof stepArgs>[1];

/** The plan of a dry run: a line for each step. */
export function formatPlan(steps: readonly Step[], where: Where): string {
  return steps.map((step, index) => `  ${index + 1}  ${commandOf(step, where)}\n`).join("");
}

function commandOf(step: Step, where: Where): string {
  if (step.kind === "build") return "node workers/console/build.ts";
  if (step.kind === "answer") return "GET /healthz, until it answers";
  const command = `npx wrangler ${stepArgs(step, where)?.join(" ")}`;
  if (step.kind !== "secret") return command;
  return step.source.from === "file" ? `${command} < ${step.source.file}` : `${command} (from the environment)`;
}

/** What people need once it runs. */
export function formatDeployed(url: string, secretFile: string | undefined): string {
  const file = secretFile ?? "<the file that keeps TOKEN_SECRET>";
  return `
Kaibo runs at ${url}

Next 下一步
  export KAIBO_URL=${url}
  export KAIBO_TOKEN=$(npx kaibo token --aud room,operator --secret-file ${file})
  npx kaibo harness push harness-kv/bundles/live-host --channel production
  npx kaibo endpoint set main --url https://…/v1 --model … --key-binding INFERENCE_KEY_MAIN
  workers/DEPLOY.md goes on from here: the first room, secrets, what it costs, how to go back
`;
}

/** Said when the Worker answers on no address of its own. */
export function formatWithoutAddress(): string {
  return "\nThe Worker was deployed. wrangler.toml gives it routes that are no address by themselves: GET /healthz there answers.\n";
}

/** What a removal takes away. */
export function formatRemoval(removals: readonly Removal[]): string {
  if (removals.length === 0) return "There is nothing to remove.\n";
  return removals.map((removal) => `  ${formatLoss(removal)}\n`).join("");
}

/** Said when nobody has confirmed the removal. */
export function formatUnconfirmed(removals: readonly Removal[], worker: string | undefined): string {
  if (removals.length === 0) return "";
  const database = removals.flatMap((removal) =>
    removal.kind === "store" && removal.store.kind === "d1" ? [removal.store.name] : [],
  )[0];
  const copy =
    database === undefined
      ? ""
      : `
  A copy first:  npx wrangler d1 export ${database} --remote --output ${database}.sql`;
  return `
Nothing was removed. What goes is gone for good.${copy}
  To remove it:  npx kaibo deploy --remove --yes${worker === undefined ? "" : ` --name ${worker}`}
`;
}

/** What a removal is called while it runs. */
export function removalTitle(removal: Removal, worker: string): string {
  return removal.kind === "worker" ? `Worker ${worker}` : formatStore(removal.store);
}

function formatLoss(removal: Removal): string {
  if (removal.kind === "worker")
    return "the Worker, its secrets, and its objects: every room, with its turns and records";
  const holds =
    removal.store.kind === "d1" ? "harness versions, releases, endpoints and the audit log" : "copies for reading";
  return `${formatStore(removal.store)}: ${holds}`;
}

function formatStore({ kind, name }: Store): string {
  return `${kind === "kv" ? "KV namespace" : "D1 database"} ${name}`;
}
