/** `kaibo keys …`, as a command. Pure: nothing is read and nothing is done. */
import { keyIdSchema } from "../../../shared/contract/release.ts";
import { checked, readOptions, usage } from "../read-options.ts";

export type KeysCommand = {
  readonly name: "keys";
  readonly action: "new";
  readonly keyId: string;
  readonly file: string;
  readonly json: boolean;
};

const EXAMPLE = "npx kaibo keys new li --out li.pem";

/**
 * @param args - What stands after `kaibo keys`.
 * @throws CliError with exit code 2 - the action, the id or an option is not understood.
 */
export function parseKeys(args: readonly string[]): KeysCommand {
  const [action, ...rest] = args;
  if (action !== "new") throw usage("`keys` needs to know what to do.", "It does new.", EXAMPLE);
  const { values, positionals } = readOptions(rest, { json: { type: "boolean" }, out: { type: "string" } });
  const [id, ...more] = positionals;
  if (id === undefined || more.length > 0) throw usage("`keys new` takes one id.", "It names the key.", EXAMPLE);
  const keyId = checked(keyIdSchema, id, `"${id}" is no id of a key.`);
  return { name: "keys", action, keyId, file: values.out ?? `${keyId}.pem`, json: values.json ?? false };
}
