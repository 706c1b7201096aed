import { describe, it } from "vitest";
import { createTurnHooks } from "../../../../../shared/agent/turn/turn-hooks.ts";
import type { HookInput } from "../../../../../shared/contract/hook-io.ts";
import { aHarness } from "../../../../helpers/harnesses.ts";
import { FakeTime } from "../../../../helpers/fake-timer.ts";

/** Hooks whose one code hook keeps what it was asked. */
function aTurnsHooks() {
  const inputs: HookInput[] = [];
  const time = new FakeTime();
  const code = {
    run: async (_name: string, input: HookInput) => {
      inputs.push(input);
      return { decision: "block", reason: "不行" };
    },
  };
  const harness = aHarness({
    hooks: [{ type: "code", name: "spy", event: "PreUtterance", code: "export default () => {};" }],
  });
  const hooks = createTurnHooks({
    set: harness.hooks,
    deps: { code, timer: time, elapsedMs: () => time.nowMs() },
    room: "room-1",
    turn: "t1",
    question: "多少钱",
    evidence: ["甲"],
  });
  return { hooks, inputs };
}
const utterance = { hook_event_name: "PreUtterance", text: "39.9元。", seq: 0, said: [], tools_used: [] } as const;

describe("createTurnHooks", () => {
  it("fills in what every input shares, as the turn stands", async ({ expect }) => {
    const { hooks, inputs } = aTurnsHooks();
    await hooks.run(utterance);
    hooks.addEvidence("乙");
    hooks.markRetry();
    await hooks.run(utterance);
    expect(
      inputs.map(({ session_id, turn_id, question, evidence, retry_active }) => [
        session_id,
        turn_id,
        question,
        evidence,
        retry_active,
      ]),
    ).toEqual([
      ["room-1", "t1", "多少钱", ["甲"], false],
      ["room-1", "t1", "多少钱", ["甲", "乙"], true],
    ]);
  });

  it("keeps every verdict that was not a plain allow, and counts all runs", async ({ expect }) => {
    const { hooks } = aTurnsHooks();
    await hooks.run(utterance);
    await hooks.run({ hook_event_name: "Stop", reply: "好", stop_hook_active: false, tools_used: [] });
    expect(hooks.records()).toMatchObject([{ hook: "spy", verdict: "deny", reason: "不行" }]);
    expect(hooks.runs()).toBe(1);
  });
});
