import { describe, it } from "vitest";
import { compileHooks } from "../../../../../shared/agent/hooks/compile-hooks.ts";
import { runHooks, type HookVerdict } from "../../../../../shared/agent/hooks/run-hooks.ts";
import type { HookDefinition } from "../../../../../shared/contract/harness-bundle.ts";
import type { HookEvent, HookInput } from "../../../../../shared/contract/hook-io.ts";
import { FakeTime } from "../../../../helpers/fake-timer.ts";
import { aCodeHook, aHook, aMessage, aReply, aSentence, aStart, aToolCall, aToolResult } from "./hook-inputs.ts";

type Code = Readonly<Record<string, (input: HookInput) => unknown>>;

const REWRITE = { action: { type: "rewrite", reason: "换掉{{ found }}" } };
const words = (list: string[], replacements: Record<string, string> = {}) => ({
  check: { type: "forbidden-words", words: [...list, ...Object.keys(replacements)], replacements },
});
const updated = (updatedText: string) => ({ hookSpecificOutput: { hookEventName: "PreUtterance", updatedText } });

/** Runs hooks with the given code; `seen` is what code hooks got, in order. */
function start(definitions: readonly HookDefinition[], input: HookInput, code: Code = {}) {
  const time = new FakeTime();
  const seen: HookInput[] = [];
  const port = {
    run: (name: string, given: HookInput) => {
      seen.push(given);
      const run = code[name];
      return run === undefined ? Promise.reject(new Error("no such code")) : Promise.resolve(run(given));
    },
  };
  const set = compileHooks(definitions, { tools: [] });
  return { time, seen, verdict: runHooks(set, input, { code: port, timer: time, elapsedMs: () => 7 }) };
}

async function run(definitions: readonly HookDefinition[], input: HookInput, code: Code = {}): Promise<HookVerdict> {
  return await start(definitions, input, code).verdict;
}

const kindsOf = ({ records }: HookVerdict) => records.map(({ hook, verdict }) => `${hook} ${verdict}`);

describe("runHooks without code", () => {
  it("answers in the same tick", ({ expect }) => {
    const { verdict } = start([aHook()], aSentence("最便宜"));
    expect(verdict).not.toBeInstanceOf(Promise);
    expect(verdict).toMatchObject({ verdict: "deny", reason: "不能说「最便宜」", hook: "guard", code: null, runs: 1 });
  });

  it("allows without a trace where nothing is found or nobody is asked", ({ expect }) => {
    const allowed = { verdict: "allow", reason: "", hook: null, code: null, contexts: [], records: [] };
    expect(start([aHook()], aSentence("很好")).verdict).toEqual({ ...allowed, runs: 1 });
    expect(start([aHook()], aMessage("最便宜")).verdict).toEqual({ ...allowed, runs: 0 });
  });

  it("records what was judged, when, and why", async ({ expect }) => {
    const { records } = await run([aHook()], aSentence(`最便宜${"哈".repeat(400)}`));
    expect(records).toEqual([
      {
        hook: "guard",
        event: "PreUtterance",
        verdict: "deny",
        reason: "不能说「最便宜」",
        atMs: 7,
        subject: `最便宜${"哈".repeat(297)}`,
      },
    ]);
  });

  it("runs every hook, also after one has denied", async ({ expect }) => {
    const hooks = [
      aHook({ name: "guard", ...words(["最"]) }),
      aHook({ name: "audit", ...words(["便宜"]) }),
      aHook({ name: "quiet", ...words(["没有"]) }),
    ];
    const verdict = await run(hooks, aSentence("最便宜"));
    expect(kindsOf(verdict)).toEqual(["guard deny", "audit deny"]);
    expect(verdict).toMatchObject({ verdict: "deny", hook: "guard", runs: 3 });
  });

  it("chains rewrites in declared order: each sees what the one before left", async ({ expect }) => {
    const hooks = [
      aHook({ name: "first", ...words([], { 最便宜: "超低价" }), ...REWRITE }),
      aHook({ name: "second", ...words([], { 超低价: "划算" }), ...REWRITE }),
    ];
    const verdict = await run(hooks, aSentence("今天最便宜"));
    expect(verdict).toMatchObject({ verdict: "allow", text: "今天划算" });
    expect(verdict.records.map(({ reason, subject }) => [reason, subject])).toEqual([
      ["换掉最便宜", "今天最便宜"],
      ["换掉超低价", "今天超低价"],
    ]);
  });

  it("asks the guards before a rewrite again, so that it carries nothing past them", async ({ expect }) => {
    const hooks = [
      aHook({ name: "guard", ...words(["顶级"]) }),
      aHook({ name: "rewriter", ...words([], { 最便宜: "顶级" }), ...REWRITE }),
    ];
    const verdict = await run(hooks, aSentence("最便宜"));
    expect(verdict).toMatchObject({ verdict: "deny", hook: "guard" });
    expect(verdict).not.toHaveProperty("text");
    expect(kindsOf(verdict)).toEqual(["rewriter rewrite", "guard deny"]);
  });

  it("refuses a text that two rewriters pass to and fro", async ({ expect }) => {
    const hooks = [
      aHook({ name: "a", ...words([], { 最好: "很好" }), ...REWRITE }),
      aHook({ name: "b", ...words([], { 很好: "最好" }), ...REWRITE }),
    ];
    expect(await run(hooks, aSentence("最好"))).toMatchObject({ verdict: "deny", hook: "a" });
  });

  it("lets a fixed answer win over allowing, and a denial over both", async ({ expect }) => {
    const answer = aHook({
      name: "answer",
      event: "UserPromptSubmit",
      action: { type: "answer", text: "看小黄车哈。", reason: "问价" },
      ...words(["多少钱"]),
    });
    const guard = aHook({ event: "UserPromptSubmit", ...words(["最便宜"]) });
    expect(await run([answer, guard], aMessage("多少钱"))).toMatchObject({
      verdict: "answer",
      reason: "问价",
      hook: "answer",
      fixedAnswer: "看小黄车哈。",
    });
    const denied = await run([answer, guard], aMessage("最便宜多少钱"));
    expect(denied).toMatchObject({ verdict: "deny", hook: "guard" });
    expect(denied).not.toHaveProperty("fixedAnswer");
  });

  it("collects contexts of all hooks in order", async ({ expect }) => {
    const context = (name: string, text: string) =>
      aHook({ name, event: "SessionStart", check: undefined, action: { type: "context", text } });
    expect(await run([context("a", "新店"), context("b", "包邮")], aStart())).toMatchObject({
      verdict: "allow",
      contexts: ["新店", "包邮"],
    });
  });

  it("acts only where the condition is true", async ({ expect }) => {
    const hook = aHook({ when: 'input.question.contains("价")' });
    expect(await run([hook], aSentence("最便宜"))).toMatchObject({ verdict: "allow" });
    expect(await run([hook], aSentence("最便宜", { question: "什么价" }))).toMatchObject({ verdict: "deny" });
  });

  it.for(["closed", "open"])("a condition that cannot be evaluated fails %s", async (failure, { expect }) => {
    const hook = aHook({ event: "PreToolUse", when: "input.tool_input.price > 1", failure });
    const verdict = await run([hook], aToolCall({ product: "毛巾" }));
    expect(kindsOf(verdict)).toEqual(["guard failed"]);
    expect([verdict.verdict, verdict.code]).toEqual(failure === "closed" ? ["deny", "hook_failed"] : ["allow", null]);
  });

  it("rewrites messages and tool results as well", async ({ expect }) => {
    const rewriter = (event: HookEvent) => aHook({ event, ...words([], { 最便宜: "划算" }), ...REWRITE });
    expect(await run([rewriter("UserPromptSubmit")], aMessage("最便宜"))).toMatchObject({ text: "划算" });
    expect(await run([rewriter("PostToolUse")], aToolResult("最便宜"))).toMatchObject({ text: "划算" });
  });
});

describe("runHooks with code", () => {
  const FAILURES: readonly [why: string, code: Code, expected: string][] = [
    ["throws", { code: () => Promise.reject(new Error("bug")) }, "hook_failed"],
    ["is missing", {}, "hook_failed"],
    ["answers null", { code: () => null }, "hook_output_invalid"],
    ["answers undefined", { code: () => undefined }, "hook_output_invalid"],
    ["answers text", { code: () => "blocked" }, "hook_output_invalid"],
    ["answers a misspelt field", { code: () => ({ desicion: "block" }) }, "hook_output_invalid"],
    [
      "answers another event",
      { code: () => ({ hookSpecificOutput: { hookEventName: "Stop" } }) },
      "hook_output_invalid",
    ],
  ];

  it.for(FAILURES)("denies when the code %s", async ([, code, expected], { expect }) => {
    const verdict = await run([aCodeHook()], aSentence("很好"), code);
    expect(verdict).toMatchObject({ verdict: "deny", hook: "code", code: expected });
    // The record, the reason and the effect are one: what says failed has not been let through.
    expect(verdict.records).toMatchObject([{ verdict: "failed", reason: expect.stringContaining(expected) }]);
    expect(verdict.reason).toContain(expected);
  });

  it.for(FAILURES)(
    "records and goes on, for a hook that fails open, when the code %s",
    async ([, code, expected], { expect }) => {
      const verdict = await run([aCodeHook({ failure: "open" }), aHook()], aSentence("最便宜"), code);
      expect(verdict).toMatchObject({ verdict: "deny", hook: "guard", code: null });
      expect(verdict.records[0]).toMatchObject({
        hook: "code",
        verdict: "failed",
        reason: expect.stringContaining(expected),
      });
    },
  );

  it("allows on an empty object", async ({ expect }) => {
    expect(await run([aCodeHook()], aSentence("很好"), { code: () => ({}) })).toMatchObject({
      verdict: "allow",
      records: [],
    });
  });

  it("denies when the code is late, at its limit, and leaves no timer", async ({ expect }) => {
    const { time, verdict } = start([aCodeHook({ timeoutMs: 200 })], aSentence("很好"), {
      code: () => new Promise(() => {}),
    });
    let settled = false;
    const watched = Promise.resolve(verdict).then((value) => {
      settled = true;
      return value;
    });
    time.advance(199);
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    time.advance(1);
    expect(await watched).toMatchObject({ verdict: "deny", code: "hook_timed_out" });
    expect(time.pendingCount).toBe(0);
  });

  it("leaves no timer after an answer in time", async ({ expect }) => {
    const { time, verdict } = start([aCodeHook()], aSentence("很好"), { code: () => ({}) });
    await verdict;
    expect(time.pendingCount).toBe(0);
  });

  it("denies when the port throws at once", async ({ expect }) => {
    const set = compileHooks([aCodeHook()], { tools: [] });
    const code = {
      run: (): Promise<unknown> => {
        throw new Error("no loader");
      },
    };
    const verdict = await runHooks(set, aSentence("好"), { code, timer: new FakeTime(), elapsedMs: () => 0 });
    expect(verdict).toMatchObject({ verdict: "deny", code: "hook_failed" });
  });

  it("runs an audit hook after a denial, and gives it the text as it is by then", async ({ expect }) => {
    const hooks = [
      aHook({ name: "rewriter", ...words([], { 最好: "很好" }), ...REWRITE }),
      aHook({ name: "guard", ...words(["很好"]) }),
      aCodeHook({ name: "audit", failure: "open" }),
    ];
    const { seen, verdict } = start(hooks, aSentence("最好"), { audit: () => ({}) });
    expect(await verdict).toMatchObject({ verdict: "deny", hook: "guard", runs: 3 });
    expect(seen).toEqual([aSentence("很好")]);
  });

  it("chains code with checks, in declared order", async ({ expect }) => {
    const hooks = [aCodeHook(), aHook({ ...words([], { 最好: "很好" }), ...REWRITE })];
    const verdict = await run(hooks, aSentence("这款"), {
      code: (input) => updated(`${"text" in input ? input.text : ""}最好`),
    });
    expect(verdict).toMatchObject({ verdict: "allow", text: "这款很好" });
  });

  it("asks a code guard again about the final text", async ({ expect }) => {
    const guard = (input: HookInput) =>
      "text" in input && input.text.includes("顶级") ? { decision: "block", reason: "不行" } : {};
    const hooks = [aCodeHook({ name: "guard" }), aHook({ ...words([], { 最好: "顶级" }), ...REWRITE })];
    expect(await run(hooks, aSentence("最好"), { guard })).toMatchObject({
      verdict: "deny",
      hook: "guard",
      reason: "不行",
    });
  });

  it("lets a code rewriter that always adds something pass the second look", async ({ expect }) => {
    const adds = (input: HookInput) => updated(`${"text" in input ? input.text : ""}哈`);
    const hooks = [aCodeHook({ name: "adds" }), aHook({ ...words([], { 最好: "很好" }), ...REWRITE })];
    expect(await run(hooks, aSentence("最好"), { adds })).toMatchObject({ verdict: "allow", text: "很好哈" });
  });

  it("changes a tool's arguments, and shows the change to the guards", async ({ expect }) => {
    const masks = () => ({
      hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { message: "找小王" } },
    });
    const mask = aCodeHook({ name: "masks", event: "PreToolUse" });
    expect(await run([mask], aToolCall({ message: "13812345678" }), { masks })).toMatchObject({
      verdict: "allow",
      input: { message: "找小王" },
    });
    const guard = aHook({ event: "PreToolUse", ...words(["小王"]) });
    expect(await run([guard, mask], aToolCall({ message: "你好" }), { masks })).toMatchObject({
      verdict: "deny",
      hook: "guard",
    });
  });

  it("counts an unchanged answer as no rewrite", async ({ expect }) => {
    const same = () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { a: 1 } } });
    const verdict = await run([aCodeHook({ event: "PreToolUse" })], aToolCall({ a: 1 }), { code: same });
    expect([verdict.records, verdict.input]).toEqual([[], undefined]);
  });

  it.for<[input: HookInput, decision: string]>([
    [aToolCall({}), "ask"],
    [aToolCall({}), "defer"],
  ])("denies a decision that nobody is there to make: $1", async ([input, permissionDecision], { expect }) => {
    const code = () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision } });
    expect(await run([aCodeHook({ event: "PreToolUse" })], input, { code })).toMatchObject({ verdict: "deny" });
  });

  it.for<[event: HookEvent, input: HookInput]>([
    ["SessionStart", aStart()],
    ["PostUtterance", { ...aSentence("很好"), hook_event_name: "PostUtterance" } as HookInput],
  ])("only records what goes wrong on %s", async ([event, input], { expect }) => {
    const hook = aCodeHook({ event });
    const blocked = await run([hook], input, { code: () => ({ decision: "block", reason: "不行" }) });
    expect(blocked).toMatchObject({
      verdict: "allow",
      records: [{ verdict: "failed", reason: `${event} cannot be blocked: 不行` }],
    });
    expect(await run([hook], input)).toMatchObject({ verdict: "allow", records: [{ verdict: "failed" }] });
  });

  it("answers a whole reply with a line of code", async ({ expect }) => {
    const code = () => ({ hookSpecificOutput: { hookEventName: "Stop", fixedAnswer: "稍后回复您。" } });
    expect(await run([aCodeHook({ event: "Stop" })], aReply("不知道"), { code })).toMatchObject({
      verdict: "answer",
      fixedAnswer: "稍后回复您。",
    });
  });
});
