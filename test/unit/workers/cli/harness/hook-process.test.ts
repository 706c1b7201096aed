import { describe, it, onTestFinished } from "vitest";
import type { HookDefinition } from "../../../../../shared/contract/harness-bundle.ts";
import type { HookInput } from "../../../../../shared/contract/hook-io.ts";
import { createHookProcess, findModuleFault } from "../../../../../workers/cli/harness/hook-process.ts";

const LIMIT_MS = 5_000;

const INPUT: HookInput = {
  hook_event_name: "UserPromptSubmit",
  session_id: "r",
  turn_id: "t1",
  retry_active: false,
  question: "在吗",
  evidence: [],
  prompt: "在吗",
};

function run(code: string): Promise<unknown> {
  const hook: HookDefinition = {
    name: "h",
    event: "UserPromptSubmit",
    type: "code",
    code,
    failure: "closed",
    timeoutMs: 200,
  };
  const hooks = createHookProcess([hook]);
  onTestFinished(() => hooks.close());
  return hooks.run("h", INPUT, LIMIT_MS);
}

describe("findModuleFault", () => {
  it.for([
    ["export default (input) => ({ prompt: input.prompt });", null],
    ["const mask = async () => ({});\nexport { mask as default };", null],
    ["throw new Error('not run');\nexport default () => ({});", null],
    ["export default () => ({})\n\n)", { code: "invalid-code", line: 3 }],
    ["module.exports = () => ({});", { code: "no-default-function" }],
    ['import "node:fs";\nexport default () => ({});', { code: "code-imports" }],
  ] as const)("reads %j", async ([code, fault], { expect }) => {
    const found = await findModuleFault(code);
    if (fault === null) expect(found).toBeNull();
    else expect(found).toMatchObject(fault);
  });
});

describe("createHookProcess", () => {
  it("runs a hook, with its state from call to call", async ({ expect }) => {
    expect(await run("export default async ({ prompt }) => ({ heard: prompt });")).toEqual({ heard: "在吗" });
    expect(await run("export default () => undefined;")).toBeNull();
  });

  it.for([
    ["export default () => { throw new Error('out of order'); };", "out of order"],
    ["export default 5;", "not a function"],
    ["export default () => fetch('http://127.0.0.1');", "fetch is not defined"],
    ["export default () => process.env;", "process is not defined"],
    ["export default () => import('node:fs');", "Error"],
  ] as const)("fails %s", async ([code, why], { expect }) => {
    await expect(run(code)).rejects.toThrow(why);
  });

  it("ends a process that is stuck, and goes on with a new one", async ({ expect }) => {
    const hook = { event: "Stop", type: "code", failure: "closed", timeoutMs: 200 } as const;
    const hooks = createHookProcess([
      { ...hook, name: "stuck", code: "export default () => { for (;;); };" },
      { ...hook, name: "good", code: "export default () => ({});" },
    ]);
    onTestFinished(() => hooks.close());
    await expect(hooks.run("stuck", INPUT, 100)).rejects.toThrow("ended");
    expect(await hooks.run("good", INPUT, LIMIT_MS)).toEqual({});
  });

  it("gives up what is stuck when it is closed", async ({ expect }) => {
    const hook = { name: "h", event: "Stop", type: "code", failure: "closed", timeoutMs: 200 } as const;
    const hooks = createHookProcess([{ ...hook, code: "export default () => { for (;;); };" }]);
    const stuck = hooks.run("h", INPUT, LIMIT_MS);
    hooks.close();
    await expect(stuck).rejects.toThrow("ended");
  });
});
