/** `kaibo harness`: a folder checked, tried, compared, pushed. */
import { diffBundles } from "../../../harness-kv/diff-bundles.ts";
import type { Problem } from "../../../harness-kv/problem.ts";
import { tokenCosts, tokenTexts } from "../../../harness-kv/token-costs.ts";
import type { HarnessBundle } from "../../../shared/contract/harness-bundle.ts";
import { channelSchema, versionSchema } from "../../../shared/contract/http-api.ts";
import { CliError } from "../cli-error.ts";
import { countTokens } from "./count-tokens.ts";
import { expectOk, type EdgeApi } from "../edge-api.ts";
import { resolveVersion } from "./find-version.ts";
import type { HarnessCommand } from "./harness-options.ts";
import { formatDiff, formatExample, formatTokens } from "./harness-output.ts";
import { initHarness } from "./init-harness.ts";
import { pushHarness, type PushPorts } from "./push-command.ts";
import { checkHarness, formatProblem, readHarness } from "./read-harness.ts";
import { runExamples, type ExampleResult, type ExampleWorld } from "./run-examples.ts";
import { versionOf } from "./version-of.ts";

export type HarnessPorts = PushPorts & { readonly world: ExampleWorld };

type Asked<Action extends HarnessCommand["action"]> = Extract<HarnessCommand, { action: Action }>;

/** @throws CliError - it did not work, or the harness has faults; those have been printed. */
export async function runHarness(command: HarnessCommand, ports: HarnessPorts): Promise<void> {
  switch (command.action) {
    case "init":
      return init(command, ports);
    case "check":
      return check(command, ports);
    case "test":
      return test(command, ports);
    case "diff":
      return diff(command, ports);
    case "push":
      return pushHarness(command, ports);
  }
}

async function init({ folder, harness, over, json }: Asked<"init">, { out }: HarnessPorts): Promise<void> {
  const files = await initHarness(folder, harness, over);
  if (json) return out(line({ harness, folder, files }));
  out(`${folder}: ${files.length} files\n`);
  out(`Next: read ${folder}/README.md, then npx kaibo harness check ${folder}\n`);
}

async function check({ folder, tokenizer, json }: Asked<"check">, { out }: HarnessPorts): Promise<void> {
  const { bundle, problems, examples } = await checkHarness(folder);
  const { model, costs: tokens } = await costsOf(bundle, tokenizer);
  if (json) {
    const version = bundle === null ? null : await versionOf(bundle);
    out(line({ name: bundle?.name ?? null, version, isGood: bundle !== null, problems, tokens, countedBy: model }));
  } else {
    for (const problem of problems) out(`${formatProblem(problem)}\n`);
    if (bundle !== null) out(formatTokens(tokens, model));
  }
  if (bundle === null) throw refused(problems);
  const warnings = problems.length === 0 ? "" : `, with ${problems.length} warning(s)`;
  if (!json) out(`${bundle.name}: good${warnings}; ${examples.length} example(s)\n`);
}

/** `model`: whose tokenizer counted; `null` for estimates. */
async function costsOf(bundle: HarnessBundle | null, tokenizer: string | undefined) {
  if (bundle === null || tokenizer === undefined)
    return { model: null, costs: bundle === null ? [] : tokenCosts(bundle) };
  return countTokens(tokenizer, tokenTexts(bundle));
}

function refused(problems: readonly Problem[]): CliError {
  return new CliError("The harness would be refused.", {
    why: `${problems.filter(({ severity }) => severity === "error").length} error(s) stand above.`,
    next: "Mend them, then check again.",
  });
}

async function test({ folder, room, json }: Asked<"test">, { out, paint, world }: HarnessPorts): Promise<void> {
  const { bundle, examples } = await readHarness(folder);
  if (examples.length === 0) {
    throw new CliError(`The harness in ${folder} has no examples.`, {
      why: "A test of nothing proves nothing.",
      next: 'Write skills/<name>/examples.jsonl: {"question": "多少钱", "mustContain": ["元"]}',
    });
  }
  const results: ExampleResult[] = [];
  for await (const result of runExamples(bundle, examples, { folder, room, world })) {
    results.push(result);
    if (!json) out(formatExample(result, paint));
  }
  const failed = results.filter(({ faults }) => faults.length > 0).length;
  const passed = results.length - failed;
  out(
    json ? line({ name: bundle.name, passed, failed, examples: results }) : `${passed} of ${results.length} passed\n`,
  );
  if (failed === 0) return;
  throw new CliError(`${failed} example(s) failed.`, {
    why: "The offline policy answered them otherwise; the replies stand above.",
    next: `Mend the skill, the tools or the example, then: npx kaibo harness test ${folder}`,
  });
}

async function diff(command: Asked<"diff">, { out, paint, openApi }: HarnessPorts): Promise<void> {
  const { folder, json } = command;
  const { bundle } = await readHarness(folder);
  const other = await readBase(bundle.name, command, openApi);
  const found = diffBundles(other, bundle);
  const [from, to] = await Promise.all([versionOf(other), versionOf(bundle)]);
  if (json) return out(line({ name: bundle.name, from, to, ...found }));
  out(`${paint("dim", `${other.name} ${from} → ${bundle.name} ${to}`)}\n\n${formatDiff(found, paint)}`);
}

async function readBase(
  name: string,
  { base, ...command }: Asked<"diff">,
  openApi: HarnessPorts["openApi"],
): Promise<HarnessBundle> {
  if (base.type === "folder") return (await readHarness(base.folder)).bundle;
  const api = await openApi(command);
  const version =
    base.type === "version"
      ? await resolveVersion(api, name, base.version)
      : await servedVersion(api, name, base.channel);
  const route = `/v1/harnesses/${encodeURIComponent(name)}/versions/${version}`;
  const loaded = await api.call("GET", route, { answer: versionSchema });
  return expectOk(loaded, `Version ${version} of ${name} could not be read.`).bundle;
}

async function servedVersion(api: EdgeApi, name: string, channel: string): Promise<string> {
  const route = `/v1/harnesses/${encodeURIComponent(name)}/channels/${encodeURIComponent(channel)}`;
  const served = await api.call("GET", route, { answer: channelSchema });
  return expectOk(served, `Channel ${channel} of ${name} could not be read.`).version;
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
