import path from "node:path";
import { describe, it } from "vitest";
import { z } from "zod";
import { checkForPush } from "../../../../harness-kv/check-for-push.ts";
import { readBundle } from "../../../../harness-kv/read-bundle.ts";
import { fillTemplate } from "../../../../shared/agent/prompt/template.ts";
import { BUILTIN_NAMES } from "../../../../shared/agent/tools/builtin-tools.ts";
import type { HarnessBundle } from "../../../../shared/contract/harness-bundle.ts";
import { utf8Bytes } from "../../../../shared/core/text.ts";
import { readFolder } from "../bundle-files.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../../../harness-kv/bundles/live-host");
const files = readFolder(FOLDER);
const { bundle: read, problems } = readBundle(files);

function bundle(): HarnessBundle {
  if (read === null) throw new Error(JSON.stringify(problems));
  return read;
}

describe("the bundle live-host", () => {
  it("is read and checked without one problem", ({ expect }) => {
    expect(problems).toEqual([]);
    expect(checkForPush(bundle())).toEqual([]);
  });

  it("has what a merchant needs from the first day", ({ expect }) => {
    const { skills, hooks, tools, knowledge, lines } = bundle();
    expect(skills.length).toBeGreaterThanOrEqual(9);
    expect(hooks.length).toBeGreaterThanOrEqual(10);
    expect(tools.length).toBeGreaterThanOrEqual(8);
    expect(knowledge.length).toBeGreaterThanOrEqual(5);
    expect(lines.fallback.length).toBeGreaterThanOrEqual(2);
    expect(lines.filler.length).toBeGreaterThanOrEqual(2);
  });

  it("reaches every builtin, each under its own name, with every argument required", ({ expect }) => {
    const { tools } = bundle();
    expect(tools.map(({ name }) => name).toSorted()).toEqual([...BUILTIN_NAMES].toSorted());
    for (const { name, binding, inputSchema } of tools) {
      expect(binding).toEqual({ type: "builtin", builtin: name });
      expect(inputSchema.required).toEqual(Object.keys(inputSchema.properties));
    }
  });

  it("stays closed where it guards: only hints and the length of a sentence may fail open", ({ expect }) => {
    const open = bundle().hooks.filter(({ failure }) => failure === "open");
    expect(open.map(({ name }) => name)).toEqual(["11-question-contact", "12-asked-if-human", "38-sentence-length"]);
  });

  it("covers the guards that a room cannot do without", ({ expect }) => {
    const checks = bundle().hooks.flatMap((hook) =>
      hook.type === "check" && hook.check !== undefined ? [`${hook.event}:${hook.check.type}`] : [],
    );
    expect(checks).toEqual(
      expect.arrayContaining([
        "UserPromptSubmit:prompt-injection",
        "PreToolUse:tool-arguments",
        "PreUtterance:advertising-law",
        "PreUtterance:forbidden-words",
        "PreUtterance:contact-details",
        "PreUtterance:number-grounding",
        "PreUtterance:promise-without-action",
        "PreUtterance:repetition",
      ]),
    );
  });

  it("keeps the shared prefix under 6 KB and the fixed text of the turn under 400 bytes", ({ expect }) => {
    const { name, sections, prompt, skills } = bundle();
    const entries = skills.map(
      (skill) => `<skill><name>${skill.name}</name><description>${skill.description}</description></skill>`,
    );
    const values = { "harness.name": name, skills: `<available_skills>\n${entries.join("\n")}\n</available_skills>` };
    const system = sections.system.map((section) => fillTemplate(prompt[section] ?? "", values)).join("\n\n");
    const turn = sections.turn.map((section) => (prompt[section] ?? "").replaceAll(/\{\{.*?\}\}/g, "")).join("\n\n");
    expect(utf8Bytes(system)).toBeLessThanOrEqual(6_000);
    expect(utf8Bytes(turn)).toBeLessThanOrEqual(400);
  });

  it("gives no rewrite that another of its word lists refuses", ({ expect }) => {
    const lists = bundle().hooks.flatMap((hook) =>
      hook.type === "check" && (hook.check?.type === "forbidden-words" || hook.check?.type === "advertising-law")
        ? [hook.check]
        : [],
    );
    const words = lists.flatMap((list) => [...list.words, ...Object.keys(list.replacements)]);
    const replacements = lists.flatMap((list) => Object.values(list.replacements));
    expect(replacements.filter((text) => words.some((word) => text.includes(word)))).toEqual([]);
  });
});

describe("the hook mask-personal-numbers", () => {
  const moduleSchema = z.object({
    default: z.custom<(input: object) => unknown>((value) => typeof value === "function"),
  });

  async function maskedMessage(message: unknown): Promise<unknown> {
    const code = files.get("hooks/mask-personal-numbers.js") ?? "";
    const module = moduleSchema.parse(await import(`data:text/javascript,${encodeURIComponent(code)}`));
    return module.default({ tool_input: { reason: "售后", message } });
  }

  const masked = (message: string) => ({
    hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { reason: "售后", message } },
  });

  it.for([
    ["电话13812345678，催发货", "电话138****5678，催发货"],
    ["电话138 1234-5678", "电话138****5678"],
    ["电话１３８１２３４５６７８", "电话138****5678"],
    ["身份证11010519491231002X。", "身份证110****002X。"],
    ["订单号202512010001234567破损", "订单号202****4567破损"],
    ["13812345678和13912345679", "138****5678和139****5679"],
  ] as const)("keeps only head and tail of the number in %s", async ([message, expected], { expect }) => {
    expect(await maskedMessage(message)).toEqual(masked(expected));
  });

  it.for(["3号链接买2件，39.9元", "2025-12-01 发货", "型号AB12345678901C", 5])(
    "leaves %s as it is",
    async (message, { expect }) => {
      expect(await maskedMessage(message)).toEqual({});
    },
  );
});
