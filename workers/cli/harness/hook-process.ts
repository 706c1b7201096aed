/**
 * Code hooks under Node, in a process without rights: no files, no processes, no modules. The Worker loads them in an
 * isolate of its own; this is for checks and tests before a push.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { HookCode } from "../../../shared/agent/hooks/run-hooks.ts";
import type { HookDefinition } from "../../../shared/contract/harness-bundle.ts";
import { parseJson } from "../../../shared/core/json.ts";

/** What is wrong with a module; the line is its own, from 1. */
export type ModuleFault = {
  readonly code: "invalid-code" | "no-default-function" | "code-imports";
  readonly line?: number;
  readonly message: string;
};

/** Longest wait for a module to be read, ms: nothing in it runs. */
const LOAD_MS_MAX = 10_000;

const IDENTIFIER = "hook-module";

/** `--permission` takes files, processes and workers away from the code; the context has no `process` and no `fetch`. */
const ARGS = ["--permission", "--experimental-vm-modules", "--no-warnings", "--input-type=module", "--eval"];

const PRELUDE = `
import vm from "node:vm";
const { URL, URLSearchParams, TextEncoder, TextDecoder, structuredClone, atob, btoa, setTimeout, clearTimeout } = globalThis;
const context = vm.createContext({ URL, URLSearchParams, TextEncoder, TextDecoder, structuredClone, atob, btoa, setTimeout, clearTimeout });
const parse = (code) => new vm.SourceTextModule(code, { identifier: "${IDENTIFIER}", context });
`;

const INSPECT = `${PRELUDE}
import { text } from "node:stream/consumers";
const module = parse(await text(process.stdin));
const imports = module.moduleRequests.map(({ specifier }) => specifier);
if (imports.length === 0) await module.link(() => {});
process.stdout.write(JSON.stringify({ imports, hasDefault: imports.length > 0 || "default" in module.namespace }));
`;

const RUN = `${PRELUDE}
const hooks = new Map();
async function load(name, code) {
  const module = parse(code);
  await module.link(() => {});
  await module.evaluate();
  return module.namespace.default;
}
process.on("message", async ({ id, name, code, input }) => {
  try {
    if (!hooks.has(name)) hooks.set(name, load(name, code));
    const run = await hooks.get(name);
    process.send({ id, output: JSON.stringify((await run(input)) ?? null) });
  } catch (thrown) {
    process.send({ id, error: String(thrown) });
  }
});
`;

/** Reads a module without running it; null when a Worker could load it. */
export async function findModuleFault(code: string): Promise<ModuleFault | null> {
  const child = spawn(process.execPath, [...ARGS, INSPECT], { stdio: ["pipe", "pipe", "pipe"], timeout: LOAD_MS_MAX });
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  child.stdin.on("error", () => {});
  child.stdin.end(code);
  await once(child, "close");
  const found = parseJson(out());
  if (typeof found !== "object" || found === null || !("imports" in found) || !Array.isArray(found.imports)) {
    return toFault(err());
  }
  if (found.imports.length > 0) {
    return { code: "code-imports", message: `The module imports ${found.imports.join(", ")}` };
  }
  if ("hasDefault" in found && found.hasDefault === true) return null;
  return { code: "no-default-function", message: "The module has no default export" };
}

/** Node prints `<identifier>:<line>`, the line, and at last what is wrong with it. */
function toFault(printed: string): ModuleFault {
  const line = new RegExp(`^${IDENTIFIER}:(\\d+)$`, "m").exec(printed)?.[1];
  const message = /^SyntaxError: (.+)$/m.exec(printed)?.[1] ?? "the process that read it ended early";
  const place = line === undefined ? {} : { line: Number(line) };
  return { code: "invalid-code", ...place, message: `The module does not load: ${message}` };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: string[] = [];
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => void chunks.push(chunk));
  return () => chunks.join("");
}

type Answer = { readonly id: number; readonly output?: string; readonly error?: string };

/** Runs a harness's code hooks. The process starts with the first call, and anew after one that was stuck. */
export function createHookProcess(hooks: readonly HookDefinition[]): HookCode & { close(): void } {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let child: ChildProcess | null = null;
  let nextId = 0;
  const begin = (): ChildProcess => {
    const started = spawn(process.execPath, [...ARGS, RUN], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    started.on("message", ({ id, output, error }: Answer) => {
      if (output === undefined) waiting.get(id)?.reject(new Error(error ?? "no answer"));
      else waiting.get(id)?.resolve(parseJson(output));
      waiting.delete(id);
    });
    started.once("close", () => {
      for (const { reject } of waiting.values()) reject(new Error("the process of the hooks has ended"));
      waiting.clear();
      child = null;
    });
    return started;
  };
  return {
    run(name, input, timeoutMs) {
      const hook = hooks.find((known) => known.name === name);
      if (hook?.type !== "code") return Promise.reject(new Error(`no code hook ${name}`));
      child ??= begin();
      const answer = Promise.withResolvers<unknown>();
      waiting.set(nextId, answer);
      const running = child;
      running.send({ id: nextId, name, code: hook.code, input });
      nextId += 1;
      // A loop that does not end would keep every later hook waiting.
      const limit = setTimeout(() => void running.kill("SIGKILL"), timeoutMs);
      return answer.promise.finally(() => clearTimeout(limit));
    },
    close: () => void child?.kill("SIGKILL"),
  };
}
