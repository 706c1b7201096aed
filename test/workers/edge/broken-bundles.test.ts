/** Bundles with one fault each, pushed as anyone may send them: each is refused by its code, and leaves nothing behind. */
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import type { HarnessBundle } from "../../../shared/contract/harness-bundle.ts";
import type { ProblemCode } from "../../../shared/contract/problem-codes.ts";
import { aBundle } from "../../helpers/harnesses.ts";
import { call, type CallOptions } from "../api.ts";

const NAME = "broken";
const GOOD = aBundle({ name: NAME });
const [TOOL] = GOOD.tools;
const SKILL = { name: "logistics", description: "发货和物流", body: "先查事实，再回答。" };
const HOOK = {
  name: "10-law",
  event: "PreUtterance",
  type: "check",
  check: { type: "advertising-law" },
  action: { type: "block", reason: "换个说法" },
};
const CODE = { name: "20-code", event: "Stop", type: "code", code: "export default () => ({});" };
const FACT = { id: "return", text: "七天内可以退", keywords: ["退"], source: "规则" };

/** The good bundle with other fields; a field that is undefined is missing in what is sent. */
const withFields = (fields: object): object => ({ ...GOOD, ...fields });
const withTool = (fields: object) => withFields({ tools: [{ ...TOOL, ...fields }] });
const withArguments = (fields: object) => withTool({ inputSchema: { ...TOOL?.inputSchema, ...fields } });
const withSkill = (fields: object) => withFields({ skills: [{ ...SKILL, ...fields }] });
const withHook = (fields: object) => withFields({ hooks: [{ ...HOOK, ...fields }] });
const withCode = (code: string) => withFields({ hooks: [{ ...CODE, code }] });
const withPrompt = (prompt: Partial<HarnessBundle["prompt"]>) => withFields({ prompt: { ...GOOD.prompt, ...prompt } });
const withSections = (sections: Partial<HarnessBundle["sections"]>) =>
  withFields({ sections: { ...GOOD.sections, ...sections } });
const after = (section: string, text: string) => withPrompt({ [section]: `${GOOD.prompt[section] ?? ""}\n${text}` });
const envelope = (fields: object) => ({ schema: "kaibo.push/1", bundle: GOOD, ...fields });

/** What only the whole tells: the code of the problem. */
const UNFIT: readonly (readonly [ProblemCode, object])[] = [
  ["duplicate-name", withFields({ tools: [TOOL, TOOL] })],
  ["duplicate-name", withFields({ skills: [SKILL, SKILL] })],
  ["duplicate-name", withFields({ hooks: [HOOK, HOOK] })],
  ["duplicate-name", withFields({ knowledge: [FACT, FACT] })],
  ["knowledge-unread", withFields({ knowledge: [FACT] })],
  ["missing-section", withSections({ system: ["identity", "voice"] })],
  ["section-listed-twice", withSections({ merchant: ["rules", "rules"] })],
  ["unlisted-section", withPrompt({ more: "多说一点" })],
  ["unknown-variable", after("identity", "{{ room.weather }}")],
  ["misplaced-variable", after("identity", "{{ turn.facts }}")],
  ["broken-placeholder", after("identity", "{{ skills | upper }}")],
  ["chat-marker", after("identity", "<|im_end|>")],
  ["chat-marker", withSkill({ body: "<|im_end|>" })],
  ["chat-marker", withTool({ description: "<think>" })],
  ["question-unread", withPrompt({ turn: "{{ turn.state }}\n{{ turn.facts }}" })],
  ["skills-unread", { ...withPrompt({ identity: "你是主播。" }), skills: [SKILL] }],
  ["reserved-name", withTool({ name: "load_skill" })],
  ["unknown-builtin", withTool({ binding: { type: "builtin", builtin: "refund" } })],
  ["plain-secret", withTool({ binding: { type: "http", url: "http://erp.example/", secret: "TOOL_SECRET_ERP" } })],
  ["undescribed-argument", withArguments({ required: ["product", "coupon"] })],
  ["untyped-argument", withArguments({ properties: { product: {} } })],
  ["unportable-schema", withArguments({ anyOf: [] })],
  ["unbounded-pattern", withArguments({ properties: { product: { type: "string", pattern: "^(?=a)" } } })],
  ["missing-tool", withSkill({ allowedTools: ["search_faqs"] })],
  ["missing-tool", withHook({ check: { type: "promise-without-action", promises: { 记下来了: ["write_down"] } } })],
  ["missing-tool", withHook({ event: "PreToolUse", matcher: "hand_over", check: { type: "tool-arguments" } })],
  ["markup-in-description", withSkill({ description: "<b>发货</b>" })],
  ["framing-tag", withSkill({ body: "</skill_content>" })],
  ["framing-tag", withSkill({ resources: { "notes.md": "</file>" } })],
  ["unbounded-pattern", withHook({ check: { type: "pattern", pattern: "(a+)+\\1" } })],
  ["invalid-condition", withHook({ when: "input.nothing ==" })],
  ["needless-matcher", withHook({ matcher: "get_product" })],
  ["impossible-action", withHook({ event: "PostUtterance" })],
  ["idle-check", withHook({ event: "PostToolUse", check: { type: "tool-arguments" } })],
  ["missing-check", withHook({ check: undefined, when: "true", action: { type: "rewrite", reason: "换" } })],
  ["forbidden-word", withFields({ lines: { fallback: ["我们是全网最低价。"] } })],
  [
    "forbidden-word",
    withHook({ event: "UserPromptSubmit", action: { type: "answer", text: "我是最好的主播。", reason: "x" } }),
  ],
  ["bundle-too-large", withSkill({ resources: filesOf(13) })],
];

/** What the schema refuses: where in the body. */
const MISSHAPEN: readonly (readonly [RegExp, unknown])[] = [
  [/^body: /, []],
  [/^body: /, null],
  [/^schema: /, {}],
  [/^schema: /, withFields({ schema: "kaibo.harness/2" })],
  [/deadline/, withFields({ budgets: { deadline: 8_000 } })],
  [/^budgets\.stepsMax: /, withFields({ budgets: { stepsMax: 50 } })],
  [/^name: /, withFields({ name: "Live Host" })],
  [/^description: /, withFields({ description: "" })],
  [/^prompt: /, withFields({ prompt: undefined })],
  [/^prompt\.identity: /, withPrompt({ identity: "" })],
  [/^prompt\.turn: /, withPrompt({ turn: "问".repeat(20_001) })],
  [/^lines\.fallback: /, withFields({ lines: { fallback: [] } })],
  [/^sections\.turn: /, withSections({ turn: [] })],
  [/^tools\.0\.description: /, withTool({ description: undefined })],
  [/^tools\.0\.name: /, withTool({ name: "get-product" })],
  [/^tools\.0\.inputSchema\.additionalProperties: /, withArguments({ additionalProperties: true })],
  [/^tools\.0\.binding\.url: /, withTool({ binding: { type: "http", url: "ftp://erp.example/" } })],
  [/^skills\.0\.name: /, withSkill({ name: "发货" })],
  [/^hooks\.0\.event: /, withHook({ event: "BeforeSpeech" })],
  [/^hooks\.0\.check\.type: /, withHook({ check: { type: "spelling" } })],
  [/^hooks\.0\.timeoutMs: /, withHook({ timeoutMs: 60_000 })],
  [/^knowledge\.0\.keywords: /, withFields({ knowledge: [{ ...FACT, keywords: [] }] })],
  [/^parent: /, envelope({ parent: "latest" })],
  [/^notes: /, envelope({ notes: "x".repeat(501) })],
  [/^signature\.signature: /, envelope({ signature: { keyId: "k", signature: "x" } })],
  [/^bundle\.hooks\.0\.event: /, envelope({ bundle: withHook({ event: "BeforeSpeech" }) })],
  [/channel/, envelope({ channel: "production" })],
];

type Refusal = {
  readonly what: string;
  readonly request: CallOptions;
  readonly status: number;
  readonly code: string;
  readonly told?: RegExp;
};

const REFUSALS: readonly Refusal[] = [
  ...UNFIT.map(([problem, body]) => ({
    what: problem,
    request: { body },
    ...(problem === "bundle-too-large"
      ? { status: 413, code: "harness_too_large" }
      : { status: 422, code: "harness_invalid" }),
    told: new RegExp(`\\(${problem}\\)`),
  })),
  ...MISSHAPEN.map(([told, body]) => ({
    what: String(told),
    request: { body },
    status: 400,
    code: "invalid_request",
    told,
  })),
  ...["export default 1;", "export const run = () => ({});", "export default (", 'import "node:fs";\n'].map((code) => ({
    what: `code ${JSON.stringify(code)}`,
    request: { body: withCode(code) },
    status: 422,
    code: "harness_invalid",
  })),
  {
    what: "an unknown parent",
    request: { body: envelope({ parent: "0".repeat(64) }) },
    status: 404,
    code: "harness_not_found",
  },
  { what: "half a text", request: { raw: JSON.stringify(GOOD).slice(0, -1) }, status: 400, code: "invalid_json" },
  { what: "half a character", request: { body: after("identity", "\ud83d") }, status: 422, code: "harness_invalid" },
  {
    what: "too many bytes",
    request: { body: withSkill({ resources: filesOf(14) }) },
    status: 413,
    code: "body_too_large",
  },
];

describe("POST /v1/harnesses", () => {
  it.for(REFUSALS.map((refusal, index) => ({ ...refusal, at: index + 1 })))(
    "$at: refuses $what with $code, and keeps nothing of it",
    async ({ request, status, code, told }, { expect }) => {
      const before = await everythingStored();
      const response = await call("/v1/harnesses", { method: "POST", ...request });
      const answer = await response.json<{ code: string; details?: { problems?: string } }>();
      expect([response.status, answer.code], JSON.stringify(answer)).toEqual([status, code]);
      if (told !== undefined) expect(answer.details?.problems).toMatch(told);
      expect(await everythingStored()).toEqual(before);
      const listed = await call(`/v1/harnesses/${NAME}/versions`);
      expect((await listed.json<{ versions: unknown[] }>()).versions).toEqual([]);
    },
  );

  it("takes the bundle that all of these were made from", async ({ expect }) => {
    const before = await everythingStored();
    const parts = { skills: [SKILL], hooks: [HOOK, CODE], name: "whole" };
    const pushed = await call("/v1/harnesses", { method: "POST", body: withFields(parts) });
    expect([pushed.status, await pushed.text()]).toEqual([201, expect.stringContaining('"created":true')]);
    expect(await everythingStored()).not.toEqual(before);
    expect(REFUSALS.length).toBeGreaterThanOrEqual(40);
  });
});

/** So many files of 150,000 bytes each: 13 are more than a version may have, 14 more than a body. */
function filesOf(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.md`, "价".repeat(50_000)]));
}

/** Each key of KV, and each row that a push could write. */
async function everythingStored(): Promise<unknown> {
  const { keys } = await env.HARNESS_KV.list();
  const [versions, log] = await env.REGISTRY_DB.batch([
    env.REGISTRY_DB.prepare("SELECT version FROM harness_version ORDER BY version"),
    env.REGISTRY_DB.prepare("SELECT seq FROM audit ORDER BY seq"),
  ]);
  return { keys: keys.map(({ name }) => name), versions: versions?.results, log: log?.results };
}
