/**
 * `kaibo deploy`: from these sources to a Worker that answers, on any account; and the way back.
 *
 * Nothing is remembered between two runs. Each looks at the account, does what is missing, and leaves the rest: after
 * a failure, the same command goes on where it stopped.
 */
import { pause, type Timer } from "../../../shared/core/timer.ts";
import { CliError } from "../cli-error.ts";
import type { DeployCommand } from "./deploy-options.ts";
import {
  formatDeployed,
  formatPlan,
  formatRemoval,
  formatUnconfirmed,
  formatWhere,
  formatWithoutAddress,
  removalTitle,
  titleOf,
} from "./deploy-output.ts";
import { readDeployment, withIds, type Deployment, type StoreIds } from "./deployment.ts";
import {
  chooseAccount,
  chooseSecret,
  FRESH_ACCOUNT,
  planDeploy,
  planRemoval,
  removalArgs,
  stepArgs,
  type AccountFacts,
  type Step,
} from "./plan.ts";
import {
  isWorkerMissing,
  readAccounts,
  readAddress,
  readCreatedId,
  readDatabases,
  readMigrated,
  readNamespaces,
  readSecrets,
  readUploadSize,
  readVersion,
} from "./read-wrangler.ts";
import { expectRan, type RunWrangler } from "./wrangler.ts";
import { createStages, type ProgressPorts } from "../local/start-output.ts";

/** How long a new address may take to answer, ms. The first one of an account needs its name to become known. */
const ANSWER_MS_MAX = 180_000;

/** Between two questions whether it answers, ms. */
const ANSWER_PAUSE_MS = 3_000;

export type DeployPorts = ProgressPorts & {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly wrangler: RunWrangler;
  /** Builds the page that `wrangler.toml` serves. */
  readonly buildPage: () => Promise<void>;
  /** `wrangler.toml`, parsed. */
  readonly readConfig: () => Promise<unknown>;
  /** Files beside `wrangler.toml`, by their name: the configuration with ids is one while a run needs it. */
  readonly files: {
    readonly write: (name: string, text: string) => Promise<void>;
    readonly remove: (name: string) => Promise<void>;
  };
  /** The secret in a file, which is made when absent. */
  readonly loadSecret: (file: string) => Promise<string>;
  /** True when the deployment at an address answers. */
  readonly answers: (url: string) => Promise<boolean>;
  readonly timer: Timer;
};

/**
 * @throws CliError - nobody is logged in, something was refused, or it was deployed and does not answer.
 */
export async function runDeploy(command: DeployCommand, ports: DeployPorts): Promise<void> {
  const deployment = readDeployment(await ports.readConfig(), command.worker);
  const isDryRun = command.action === "deploy" && command.isDryRun;
  const facts = await lookAt(deployment, ports, isDryRun);
  ports.out(formatWhere(deployment, facts));
  const look = { deployment, facts, worker: deployment.worker, configFile: `wrangler.${deployment.worker}.json` };
  if (command.action === "remove") return remove(command, look, ports);
  try {
    await deploy(command, look, ports);
  } finally {
    await ports.files.remove(look.configFile);
  }
}

type Look = {
  readonly deployment: Deployment;
  readonly facts: AccountFacts;
  readonly worker: string;
  /** Named by the Worker, so that two installations may be deployed at the same time. */
  readonly configFile: string;
};

async function lookAt(deployment: Deployment, ports: DeployPorts, isDryRun: boolean): Promise<AccountFacts> {
  const accounts = readAccounts(await ports.wrangler(["whoami", "--json"]));
  if (accounts === null) {
    if (isDryRun) return FRESH_ACCOUNT;
    throw new CliError("Nobody is logged in to Cloudflare.", {
      why: "Wrangler knows no account on this machine, and CLOUDFLARE_API_TOKEN is not set.",
      next: "npx wrangler login; without a browser: CLOUDFLARE_API_TOKEN=… (workers/DEPLOY.md says what it must allow)",
    });
  }
  const account = chooseAccount(accounts, ports.env["CLOUDFLARE_ACCOUNT_ID"] ?? deployment.config.account_id);
  const ask = async (...args: string[]) => expectRan(await ports.wrangler(args), args);
  const listed = ["secret", "list", "--name", deployment.worker];
  const [kv, d1, secrets] = await Promise.all([
    ask("kv", "namespace", "list"),
    ask("d1", "list", "--json"),
    ports.wrangler(listed),
  ]);
  return {
    account,
    ids: { kv: readNamespaces(kv), d1: readDatabases(d1) },
    secrets: isWorkerMissing(secrets) ? null : readSecrets(expectRan(secrets, listed)),
  };
}

type Deploy = Extract<DeployCommand, { action: "deploy" }>;

async function deploy(command: Deploy, look: Look, ports: DeployPorts): Promise<void> {
  const given = { file: command.secretFile, environment: ports.env["TOKEN_SECRET"] };
  const source = chooseSecret(look.facts, given);
  const steps = planDeploy(look.deployment, look.facts, source);
  if (command.isDryRun) return tryOut(steps, look, ports);
  // Before anything is made: a file that cannot keep the secret is no reason to stop half-way.
  const secret = source?.from === "file" ? await ports.loadSecret(source.file) : given.environment;
  const address = await inStages(steps.length, ports, (stage) => runSteps(steps, look, { ports, stage, secret }));
  ports.out(address === null ? formatWithoutAddress() : formatDeployed(address, command.secretFile));
}

/** Says what would be done, and builds what would be uploaded, so that a mistake in the sources shows here. */
async function tryOut(steps: readonly Step[], look: Look, ports: DeployPorts): Promise<void> {
  ports.out(formatPlan(steps, look));
  await inStages(2, ports, async (stage) => {
    const endPage = stage("page");
    await ports.buildPage();
    endPage("built");
    const endWorker = stage("Worker");
    await writeConfig(look, look.facts.ids, ports);
    const args = ["deploy", "--dry-run", "--minify", "--config", look.configFile];
    const stdout = expectRan(await ports.wrangler(args), args);
    endWorker(`builds, ${readUploadSize(stdout) ?? "of unknown size"} gzipped`);
  });
  ports.out("Nothing was changed.\n");
}

type Stage = ReturnType<typeof createStages>;

/** The line of a stage that failed is still open. */
async function inStages<Value>(total: number, ports: DeployPorts, work: (stage: Stage) => Promise<Value>) {
  try {
    return await work(createStages(ports, total));
  } catch (thrown) {
    ports.out("failed\n");
    throw thrown;
  }
}

type Doing = {
  readonly ports: DeployPorts;
  readonly stage: Stage;
  /** Value of `TOKEN_SECRET`, where a step sets it. */
  readonly secret: string | undefined;
};

/** @returns Where the Worker answers, if that is an address. */
async function runSteps(steps: readonly Step[], look: Look, { ports, stage, secret }: Doing): Promise<string | null> {
  const ids = { kv: new Map(look.facts.ids.kv), d1: new Map(look.facts.ids.d1) };
  let address: string | null = null;
  for (const step of steps) {
    const end = stage(titleOf(step));
    const args = stepArgs(step, look);
    const input = step.kind === "secret" ? secret : undefined;
    const stdout = args === null ? "" : expectRan(await ports.wrangler(args, input), args);
    if (step.kind === "create") ids[step.store.kind].set(step.store.name, readCreatedId(step.store, stdout));
    if (step.kind === "deploy") address = readAddress(stdout);
    if (step.kind === "answer" && address !== null) await waitForAnswer(address, ports);
    if (step.kind === "build") {
      await ports.buildPage();
      await writeConfig(look, ids, ports);
    }
    end(outcomeOf(step, stdout, address));
  }
  return address;
}

function writeConfig({ deployment, configFile }: Look, ids: StoreIds, { files }: DeployPorts): Promise<void> {
  return files.write(configFile, `${JSON.stringify(withIds(deployment, ids), null, 2)}\n`);
}

function outcomeOf(step: Step, stdout: string, address: string | null): string {
  switch (step.kind) {
    case "create":
      return "made";
    case "build":
      return "built";
    case "migrate": {
      const count = readMigrated(stdout);
      return count === 0 ? "up to date" : `${count} migration(s) applied`;
    }
    case "deploy":
      return `version ${readVersion(stdout)}, ${readUploadSize(stdout) ?? "of unknown size"} gzipped`;
    case "secret":
      return "set";
    case "answer":
      return address ?? "not asked for";
  }
}

async function waitForAnswer(url: string, { answers, timer, nowMs }: DeployPorts): Promise<void> {
  const untilMs = nowMs() + ANSWER_MS_MAX;
  while (nowMs() < untilMs) {
    if (await answers(url)) return;
    await pause(timer, ANSWER_PAUSE_MS);
  }
  throw new CliError(`It was deployed, and ${url} does not answer yet.`, {
    why: `${url}/healthz gave no good answer for ${ANSWER_MS_MAX / 60_000} minutes. The first address of an account may need longer.`,
    next: `curl ${url}/healthz; what the Worker says: npx wrangler tail`,
  });
}

type Remove = Extract<DeployCommand, { action: "remove" }>;

async function remove(command: Remove, { deployment, facts, worker }: Look, ports: DeployPorts): Promise<void> {
  const removals = planRemoval(deployment, facts);
  ports.out(formatRemoval(removals));
  if (!command.isConfirmed) return ports.out(formatUnconfirmed(removals, command.worker));
  await inStages(removals.length, ports, async (stage) => {
    for (const removal of removals) {
      const end = stage(removalTitle(removal, worker));
      const args = removalArgs(removal, worker, facts.ids);
      // One after the other: the Worker goes before what it binds.
      expectRan(await ports.wrangler(args), args);
      end("removed");
    }
  });
}
