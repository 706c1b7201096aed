/** The words of `kaibo deploy`. */
import path from "node:path";
import { readOptions, usage } from "../read-options.ts";

export type DeployCommand = {
  readonly name: "deploy";
  /** Another name than that of `wrangler.toml`: a second installation beside the first. */
  readonly worker?: string;
} & (
  | {
      readonly action: "deploy";
      /** Where the secret that signs tokens is kept, absolute. */
      readonly secretFile?: string;
      readonly isDryRun: boolean;
    }
  | { readonly action: "remove"; readonly isConfirmed: boolean }
);

/** Part of a host name. Source: https://developers.cloudflare.com/workers/configuration/routing/workers-dev/ */
const WORKER_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** @throws CliError with exit code 2 - an option is not known, or does not fit the others. */
export function parseDeploy(args: readonly string[]): DeployCommand {
  const { values, positionals } = readOptions(args, {
    name: { type: "string" },
    "secret-file": { type: "string" },
    "dry-run": { type: "boolean" },
    remove: { type: "boolean" },
    yes: { type: "boolean" },
  });
  if (positionals.length > 0) throw usage("`deploy` takes no words.", `It got: ${positionals.join(" ")}.`);
  const { name: worker, "secret-file": file } = values;
  if (worker !== undefined && !WORKER_NAME.test(worker)) {
    throw usage(`--name ${worker} is no name.`, "It is part of an address: small letters, digits and hyphens.");
  }
  const common = { name: "deploy" as const, ...(worker !== undefined && { worker }) };
  if (values.remove === true) {
    if (file !== undefined) throw usage("--remove takes no --secret-file.", "The file is yours to delete.");
    return { ...common, action: "remove", isConfirmed: values.yes === true };
  }
  if (values.yes === true) throw usage("--yes belongs to --remove.", "A deployment needs no confirmation.");
  const secretFile = file === undefined ? {} : { secretFile: path.resolve(file) };
  return { ...common, ...secretFile, action: "deploy", isDryRun: values["dry-run"] === true };
}
