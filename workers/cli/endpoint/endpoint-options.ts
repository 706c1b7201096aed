/** `kaibo endpoint …`, as a command. Pure: nothing is read and nothing is done. */
import { endpointConfigSchema, endpointNameSchema, type EndpointConfig } from "../../../shared/contract/endpoint.ts";
import { instanceOf, readOptions, usage, type InstanceOptions } from "../read-options.ts";

/** Fields that are to be set, each good by itself; `null` takes a field back to its default. */
export type EndpointChange = { readonly [Field in keyof EndpointConfig]?: unknown };

export type EndpointCommand = (
  | { readonly action: "list" }
  | { readonly action: "show" | "check" | "remove"; readonly endpoint: string }
  | { readonly action: "set"; readonly endpoint: string; readonly change: EndpointChange }
) & { readonly name: "endpoint"; readonly json: boolean } & InstanceOptions;

const ACTIONS = ["list", "show", "set", "check", "remove"] as const;
const EXAMPLE = "npx kaibo endpoint set h20 --url http://gpu.example:8000/v1 --model Qwen/Qwen3.6-35B-A3B-FP8";

/** `--url` is the server's here, so the instance has a name of its own. */
const COMMON = { json: { type: "boolean" }, instance: { type: "string" }, token: { type: "string" } } as const;

const CHANGES = {
  url: { type: "string" },
  model: { type: "string" },
  kind: { type: "string" },
  "key-binding": { type: "string" },
  tier: { type: "string" },
  slots: { type: "string" },
  ceiling: { type: "string" },
  capacity: { type: "string" },
  fields: { type: "string" },
  "opens-thinking": { type: "boolean" },
  "no-opens-thinking": { type: "boolean" },
  "connect-timeout": { type: "string" },
  enabled: { type: "boolean" },
  disabled: { type: "boolean" },
} as const;

type Option = keyof typeof CHANGES;

/** The field that each option sets, and the value that its text stands for. */
const FIELDS: readonly (readonly [option: Option, field: keyof EndpointConfig, value: (text: string) => unknown])[] = [
  ["url", "baseUrl", String],
  ["model", "model", String],
  ["kind", "kind", String],
  ["key-binding", "keyBinding", (text) => (text === "none" ? null : text)],
  ["tier", "tier", String],
  ["slots", "slots", Number],
  ["ceiling", "utilizationCeiling", Number],
  ["capacity", "capacity", String],
  ["fields", "fields", (text) => (text === "auto" ? null : text.split(",").map((field) => field.trim()))],
  ["opens-thinking", "opensThinking", () => true],
  ["no-opens-thinking", "opensThinking", () => false],
  ["connect-timeout", "connectTimeoutMs", Number],
  ["enabled", "enabled", () => true],
  ["disabled", "enabled", () => false],
];

/**
 * @param args - What stands after `kaibo endpoint`.
 * @throws CliError with exit code 2 - the action, the name, an option or a value is not understood.
 */
export function parseEndpoint(args: readonly string[]): EndpointCommand {
  const [word, ...rest] = args;
  const action = ACTIONS.find((known) => known === word);
  if (action === undefined) {
    throw usage("`endpoint` needs to know what to do.", `It does ${ACTIONS.join(", ")}.`, "npx kaibo endpoint list");
  }
  if (action === "set") {
    const { values, positionals } = readOptions(rest, { ...COMMON, ...CHANGES });
    return {
      name: "endpoint",
      action,
      endpoint: nameOf(action, positionals),
      change: changeOf(values),
      ...asked(values),
    };
  }
  const { values, positionals } = readOptions(rest, COMMON);
  if (action !== "list") return { name: "endpoint", action, endpoint: nameOf(action, positionals), ...asked(values) };
  if (positionals.length > 0) throw usage("`endpoint list` takes no words.", `It got: ${positionals.join(" ")}.`);
  return { name: "endpoint", action, ...asked(values) };
}

function nameOf(action: string, positionals: readonly string[]): string {
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) {
    throw usage(`\`endpoint ${action}\` takes one name.`, "It is the name of the endpoint.", EXAMPLE);
  }
  const parsed = endpointNameSchema.safeParse(name);
  if (parsed.success) return parsed.data;
  throw usage(`"${name}" is no name of an endpoint.`, `${parsed.error.issues[0]?.message ?? "It is not well formed"}.`);
}

function changeOf(typed: { readonly [Name in Option]?: string | boolean | undefined }): EndpointChange {
  const change: { [Field in keyof EndpointConfig]?: unknown } = {};
  for (const [option, field, valueOf] of FIELDS) {
    const text = typed[option];
    if (text === undefined) continue;
    if (field in change) throw usage(`--${option} contradicts another option.`, `Both set ${field}.`, EXAMPLE);
    const value = valueOf(String(text));
    const parsed = endpointConfigSchema.shape[field].safeParse(value ?? undefined);
    if (!parsed.success) {
      throw usage(`--${option} ${text} cannot be.`, `${parsed.error.issues[0]?.message ?? "It is not well formed"}.`);
    }
    change[field] = value;
  }
  if (Object.keys(change).length > 0) return change;
  throw usage("There is nothing to set.", "No option was given.", EXAMPLE);
}

function asked(values: { json?: boolean | undefined; instance?: string | undefined; token?: string | undefined }) {
  return { json: values.json ?? false, ...instanceOf({ url: values.instance, token: values.token }) };
}
