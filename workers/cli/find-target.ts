/** Which instance a command speaks to, and with which token. */
import { CliError } from "./cli-error.ts";
import type { ApiTarget } from "./edge-api.ts";
import { findInstance, type Instance } from "./local/instance-file.ts";
import { stateFolderOf } from "./local/project.ts";
import type { InstanceOptions } from "./read-options.ts";

/** Whose token a command uses when it is left to choose one. */
export type TokenKind = "room" | "operator" | "governor";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Options first, then `KAIBO_URL` and `KAIBO_TOKEN`, then what runs on this machine.
 *
 * @throws CliError - nothing runs here and no address was given, or an address was given without its token.
 */
export async function findTarget(options: InstanceOptions, env: Environment, kind: TokenKind): Promise<ApiTarget> {
  return chooseTarget(options, env, { kind, local: await findInstance(stateFolderOf(env)) });
}

/** As {@link findTarget}, from an instance that was looked up. */
export function chooseTarget(
  options: InstanceOptions,
  env: Environment,
  { kind, local }: { kind: TokenKind; local: Instance | null },
): ApiTarget {
  const url = firstSet(options.url, env["KAIBO_URL"], local?.url)?.replace(/\/+$/, "");
  if (url === undefined) {
    throw new CliError("No instance runs on this machine.", {
      why: "Nothing was started here with this state, and no address was given.",
      next: "npm start (in another terminal), or for one elsewhere: KAIBO_URL=https://… KAIBO_TOKEN=…",
    });
  }
  if (!URL.canParse(url)) {
    throw new CliError(`"${url}" is no address.`, {
      why: "It starts with http:// or https://.",
      next: "KAIBO_URL=http://127.0.0.1:8787",
      exitCode: 2,
    });
  }
  // The local token goes to the local instance alone.
  const token = firstSet(options.token, env["KAIBO_TOKEN"], url === local?.url ? local.tokens[kind] : undefined);
  if (token !== undefined) return { url, token };
  throw new CliError(`There is no token for ${url}.`, {
    why: "Only an instance that was started on this machine leaves its tokens here.",
    next: "Add --token <token>, or set KAIBO_TOKEN. Whoever runs the instance can sign one.",
    exitCode: 2,
  });
}

function firstSet(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value !== "");
}
