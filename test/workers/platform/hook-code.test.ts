/** Code hooks in real Dynamic Workers. */
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { createHookCode } from "../../../workers/platform/hook-code.ts";
import type { HookDefinition } from "../../../shared/contract/harness-bundle.ts";
import type { HookInput } from "../../../shared/contract/hook-io.ts";
import { harnessVersionSchema } from "../../../shared/contract/ids.ts";

const input: HookInput = {
  hook_event_name: "PreUtterance",
  session_id: "r",
  turn_id: "t1",
  retry_active: false,
  question: "多少钱",
  evidence: [],
  text: "这款39.9元。",
  seq: 0,
  said: [],
  tools_used: [],
};
let versions = 0;
/** Each call gets an isolate of its own: the id is the version, and the same version means the same code. */
function run(code: string) {
  const version = harnessVersionSchema.parse(String((versions += 1)).padStart(64, "0"));
  const hook: HookDefinition = {
    type: "code",
    name: "probe",
    event: "PreUtterance",
    failure: "closed",
    timeoutMs: 200,
    code,
  };
  return createHookCode(env.LOADER, version, [hook]).run("probe", input, 200);
}

describe("createHookCode", () => {
  it("gives the hook its input and gives back its answer as plain JSON", async ({ expect }) => {
    const answer = await run("export default (input) => ({ decision: 'block', reason: input.text });");
    expect(answer).toEqual({ decision: "block", reason: "这款39.9元。" });
  });

  it("answers null for a hook that returns nothing", async ({ expect }) => {
    expect(await run("export default () => {};")).toBeNull();
  });

  it("has no network", async ({ expect }) => {
    const answer = await run(
      "export default async () => { try { await fetch('http://127.0.0.1:1/'); return { reason: 'reached' }; } catch (e) { return { reason: String(e.message) }; } };",
    );
    expect(answer).toMatchObject({ reason: expect.stringMatching(/not permitted|internet/iu) });
  });

  it("has no bindings", async ({ expect }) => {
    const answer = await run(
      "import { env } from 'cloudflare:workers'; export default () => ({ reason: Object.keys(env).join() });",
    );
    expect(answer).toEqual({ reason: "" });
  });

  it.for([
    ["throws", "export default () => { throw new Error('x'); };"],
    ["does not parse", "export default ((("],
    ["has no default function", "export const other = 1;"],
    ["answers too much", "export default () => 'x'.repeat(200000);"],
  ] as const)("fails with hook_failed when the code %s", async ([, code], { expect }) => {
    await expect(run(code)).rejects.toMatchObject({ code: "hook_failed" });
  });
});
