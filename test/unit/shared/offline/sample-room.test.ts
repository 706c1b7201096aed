/** The offline reader against the sample room's comments: how much it answers, and that it is never wrong. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { z } from "zod";
import { evidenceBlock } from "../../../../shared/agent/evidence.ts";
import { toCouponFact, toProductFact } from "../../../../shared/agent/facts/product-fact.ts";
import { indexProducts } from "../../../../shared/agent/facts/product-index.ts";
import { findBuiltin } from "../../../../shared/agent/tools/builtin-tools.ts";
import type { ToolWorld } from "../../../../shared/agent/tools/tool-world.ts";
import { parseJson } from "../../../../shared/core/json.ts";
import { roomConfigSchema } from "../../../../shared/contract/room-config.ts";
import { chatRequestSchema } from "../../../../shared/offline/reading/chat-request.ts";
import type { ToolCall } from "../../../../shared/offline/choose-tool.ts";
import { offlineChat } from "../../../../shared/offline/decide.ts";

const ROOT = path.resolve(import.meta.dirname, "../../../../harness-kv");
const ROOM = path.join(ROOT, "rooms/yanxuan-home");
const TOOLS = path.join(ROOT, "bundles/live-host/tools");

const commentSchema = z.looseObject({
  id: z.string(),
  text: z.string(),
  onScreen: z.string().nullable(),
  category: z.string(),
  answerable: z.boolean(),
  facts: z
    .looseObject({
      mustInclude: z.array(z.array(z.string())).default([]),
      mustNotInclude: z.array(z.string()).default([]),
    })
    .optional(),
  expect: z.string().optional(),
});
type Comment = z.infer<typeof commentSchema>;

const config = roomConfigSchema.parse(parseJson(readFileSync(path.join(ROOM, "room.json"), "utf8")));
const comments = readFileSync(path.join(ROOM, "comments.jsonl"), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => commentSchema.parse(parseJson(line)));
const index = indexProducts(config.products);
const toolSchema = z.looseObject({ name: z.string(), description: z.string(), inputSchema: z.looseObject({}) });
const tools = readdirSync(TOOLS)
  .map((file) => toolSchema.parse(parseJson(readFileSync(path.join(TOOLS, file), "utf8"))))
  .map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));

const prefix = [
  evidenceBlock("shop", [{ title: config.title, merchant: config.merchant.name }]),
  evidenceBlock(
    "catalogue",
    config.products.map((product) => toProductFact(product, {})),
  ),
  evidenceBlock("faq", config.faq),
  evidenceBlock("coupons", config.coupons.map(toCouponFact)),
].join("\n\n");
const system = `你是主播。\n\n# 商家的要求\n${config.rules.map((rule) => `- ${rule}`).join("\n")}`;

/** The reply to one comment, with its tool calls run as the turn runner does. */
function answer(comment: Comment): { reply: string; rounds: number } {
  const world = {
    turn: "t1",
    config,
    snapshot: { onScreenProductId: comment.onScreen, skuOverrides: {}, heard: [] },
    products: index,
  };
  const messages: unknown[] = [
    { role: "system", content: system },
    { role: "user", content: `${prefix}\n\n${turnText(comment)}` },
  ];
  for (let rounds = 0; rounds < 4; rounds += 1) {
    const reply = offlineChat(chatRequestSchema.parse({ model: "offline", messages, tools }));
    if (reply.kind === "text") return { reply: reply.sentences.join(""), rounds };
    messages.push(...reply.calls.flatMap((call, at) => runCall(call, `call_${rounds}_${at}`, world)));
  }
  return { reply: "", rounds: 4 };
}

function turnText({ text, onScreen: id }: Comment): string {
  const onScreen = index.byId.get(id ?? "");
  const shown = onScreen === undefined ? null : { link: onScreen.link, id: onScreen.id, name: onScreen.name };
  return [
    evidenceBlock("state", [{ onScreen: shown }]),
    evidenceBlock("facts", onScreen === undefined ? [] : [toProductFact(onScreen, {})]),
    evidenceBlock("messages", [{ viewer: "观众", text }]),
    "现在开口回答。",
  ].join("\n\n");
}

function runCall({ name, argumentsText }: ToolCall, id: string, world: ToolWorld): unknown[] {
  const result = findBuiltin(name)?.(z.record(z.string(), z.unknown()).parse(parseJson(argumentsText)), world);
  const output = result?.ok === true ? result.output : { error: "tool_failed", message: result?.message };
  return [
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id, type: "function", function: { name, arguments: argumentsText } }],
    },
    { role: "tool", tool_call_id: id, content: evidenceBlock(`tool:${name}`, [output]) },
  ];
}

/** Numbers count at digit boundaries: 39 is not in 139, nor in 39.9. */
function includes(reply: string, spelling: string): boolean {
  const escaped = spelling.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const start = /^\d/.test(spelling) ? String.raw`(?<![\d.])` : "";
  const end = /\d$/.test(spelling) ? String.raw`(?!\.?\d)` : "";
  return new RegExp(`${start}${escaped}${end}`, "i").test(reply);
}

const ADMITS =
  /没有写|没写|没有查到|没查到|没有准信|没准|不敢乱说|说不准|不能乱说|不乱说|没有找到|不了解|不做比较|改不了|不能|做不了|不懂|就不聊|不加联系|哪一款|还是\d+号|没有这个号|以商品页|以物流|以下单页|看不到|人工|AI主播|不方便/;

type Verdict = "right" | "unknown" | "wrong";

function judge(comment: Comment, reply: string): Verdict {
  if (saysWhatItMustNot(comment, reply)) return "wrong";
  if (!comment.answerable) return isCareful(comment, reply) ? "right" : "wrong";
  const groups = comment.facts?.mustInclude ?? [];
  if (groups.every((group) => group.some((text) => includes(reply, text)))) return "right";
  return ADMITS.test(reply) ? "unknown" : "wrong";
}

function saysWhatItMustNot({ facts }: Comment, reply: string): boolean {
  return facts?.mustNotInclude.some((text) => reply.includes(text)) ?? false;
}

function isCareful(comment: Comment, reply: string): boolean {
  return comment.expect === "smalltalk" ? reply !== "" && !/\d元/.test(reply) : ADMITS.test(reply);
}

const results = comments.map((comment) => {
  const { reply, rounds } = answer(comment);
  return { comment, reply, rounds, verdict: judge(comment, reply) };
});

describe("the sample room's comments", () => {
  it("are answered in their kinds as the table says", ({ expect }) => {
    const categories = [...new Set(comments.map(({ category }) => category))];
    const table = categories.map((category) => {
      const own = results.filter(({ comment }) => comment.category === category);
      const count = (verdict: Verdict) => own.filter((result) => result.verdict === verdict).length;
      return `${category.padEnd(14)} ${own.length} | ${count("right")} right | ${count("unknown")} unknown | ${count("wrong")} wrong`;
    });
    const misses = results
      .filter(({ verdict }) => verdict !== "right")
      .map(
        ({ comment, reply, verdict }) =>
          `${verdict} ${comment.id} [${comment.category}] ${comment.text} → ${reply} (${JSON.stringify(comment.facts?.mustInclude ?? comment.expect)}, not ${JSON.stringify(comment.facts?.mustNotInclude ?? [])})`,
      );
    process.stdout.write(`${table.join("\n")}\n`);
    if (process.env["OFFLINE_MISSES"] === "1") process.stdout.write(`${misses.join("\n")}\n`);
    expect(results).toHaveLength(comments.length);
  });

  it("answers at least 85 % of what the facts answer", ({ expect }) => {
    const answerable = results.filter(({ comment }) => comment.answerable);
    const right = answerable.filter(({ verdict }) => verdict === "right");
    expect(right.length / answerable.length).toBeGreaterThanOrEqual(0.85);
  });

  it("is never wrong on a price, a stock or an attribute", ({ expect }) => {
    const grave = results.filter(({ comment, reply }) => saysWhatItMustNot(comment, reply));
    expect(grave.map(({ comment, reply }) => `${comment.text} → ${reply}`)).toEqual([]);
  });

  it("admits or declines what no fact answers", ({ expect }) => {
    const open = results.filter(({ comment, verdict }) => !comment.answerable && verdict === "wrong");
    expect(open.map(({ comment, reply }) => `${comment.text} → ${reply}`)).toEqual([]);
  });

  it("takes at most one tool round for most questions", ({ expect }) => {
    const many = results.filter(({ rounds }) => rounds > 1);
    expect(many.length / results.length).toBeLessThan(0.05);
  });
});
