/** Code hooks of a harness, in one Dynamic Worker: no network, no bindings, JSON in and JSON out. */
import type { HookCode } from "../../shared/agent/hooks/run-hooks.ts";
import type { HookDefinition } from "../../shared/contract/harness-bundle.ts";
import type { HookInput } from "../../shared/contract/hook-io.ts";
import type { HarnessVersion } from "../../shared/contract/ids.ts";
import { parseJson } from "../../shared/core/json.ts";
import { AppError } from "../../shared/errors/app-error.ts";

/** CPU of one call. Enforced in production; local workerd ignores it, so callers keep a wall-clock limit as well. */
const CPU_MS_MAX = 50;

/** Characters of one answer, as JSON. The longest legal one is an updated tool output. */
const OUTPUT_CHARS_MAX = 128_000;

/** Part of the isolate's id: a change of the wrapper below must not meet isolates of the old one. */
const WRAPPER = "2";

/** Characters of the runtime's complaint that an operator is shown. */
const PROBLEM_CHARS_MAX = 500;

type CodeHook = Extract<HookDefinition, { type: "code" }>;

/** What the wrapper module exposes. It answers JSON text, so that no live object crosses over. */
type HookEntrypoint = {
  run(hookName: string, input: HookInput): Promise<string>;
  /** Names of the hooks whose module has a default function. */
  names(): Promise<string[]>;
};

/**
 * One isolate for all code hooks of a version: the platform allows few distinct ones at a time, and bills each distinct
 * id a day. `get` with the version as id reuses it; the same id always means the same code.
 *
 * @throws AppError `hook_failed` - from `run`, when the code throws, does not load, or answers too much.
 */
export function createHookCode(
  loader: WorkerLoader,
  version: HarnessVersion,
  hooks: readonly HookDefinition[],
): HookCode {
  const codeHooks = hooks.filter((hook) => hook.type === "code");
  return {
    async run(hookName, input) {
      const entrypoint = load(loader, version, codeHooks);
      let text: string;
      try {
        text = await entrypoint.run(hookName, input);
      } catch (thrown) {
        throw new AppError("hook_failed", "The hook's code failed", { details: { hook: hookName }, cause: thrown });
      }
      if (typeof text !== "string" || text.length > OUTPUT_CHARS_MAX) {
        throw new AppError("hook_failed", "The hook's code answered too much", { details: { hook: hookName } });
      }
      return parseJson(text);
    },
  };
}

/**
 * Loads the code of a harness's hooks once, before anything depends on it. They share a module, so one that does not parse
 * would take the others with it.
 *
 * @param id - Names this code and no other.
 * @throws AppError `harness_invalid` - the code does not load, or a hook has no default function.
 */
export async function requireHookCode(
  loader: WorkerLoader,
  id: string,
  hooks: readonly HookDefinition[],
): Promise<void> {
  const codeHooks = hooks.filter((hook) => hook.type === "code");
  if (codeHooks.length === 0) return;
  const names = await namesOf(load(loader, id, codeHooks));
  const missing = codeHooks.filter(({ name }) => !names.includes(name)).map(({ name }) => name);
  if (missing.length === 0) return;
  const hooksText = missing.join(", ");
  throw new AppError("harness_invalid", "A code hook has no default function", { details: { hooks: hooksText } });
}

async function namesOf(entrypoint: HookEntrypoint): Promise<string[]> {
  try {
    return await entrypoint.names();
  } catch (thrown) {
    // The runtime's words about the operator's own code: where it does not parse.
    const problem = thrown instanceof Error ? thrown.message.slice(0, PROBLEM_CHARS_MAX) : "";
    throw new AppError("harness_invalid", "The code of the hooks does not load", { details: { problem } });
  }
}

function load(loader: WorkerLoader, id: string, hooks: readonly CodeHook[]): HookEntrypoint {
  const worker = loader.get(`hooks:${WRAPPER}:${id}`, () => workerCode(hooks));
  return worker.getEntrypoint() as unknown as HookEntrypoint;
}

function workerCode(hooks: readonly CodeHook[]): WorkerLoaderWorkerCode {
  const imports = hooks.map((_, index) => `import hook${index} from "./hook-${index}.js";`);
  const entries = hooks.map((hook, index) => `[${JSON.stringify(hook.name)}, hook${index}]`);
  const main = `import { WorkerEntrypoint } from "cloudflare:workers";
${imports.join("\n")}
const hooks = new Map([${entries.join(", ")}]);
export default class extends WorkerEntrypoint {
  names() {
    return [...hooks].filter(([, hook]) => typeof hook === "function").map(([name]) => name);
  }
  async run(name, input) {
    const hook = hooks.get(name);
    if (typeof hook !== "function") throw new Error("no default function in hook " + name);
    return JSON.stringify((await hook(input)) ?? null);
  }
}
`;
  return {
    compatibilityDate: "2026-11-02",
    mainModule: "main.js",
    modules: {
      "main.js": main,
      ...Object.fromEntries(hooks.map((hook, index) => [`hook-${index}.js`, hook.code])),
    },
    // Omitted, it would inherit the Internet access of this Worker.
    globalOutbound: null,
    env: {},
    limits: { cpuMs: CPU_MS_MAX, subRequests: 0 },
  };
}
