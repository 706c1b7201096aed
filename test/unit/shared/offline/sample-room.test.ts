/**
 * The sample room's comments through the whole turn with the offline policy: how much is answered, and that nothing wrong
 * is said. The comments were a development set as well: the figures say what works, not how well it generalises.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { z } from "zod";
import { compileHarness } from "../../../../shared/agent/compiled-harness.ts";
import { buildPrefix } from "../../../../shared/agent/prompt/build-prefix.ts";
import { runTurn } from "../../../../shared/agent/turn/run-turn.ts";
import { roomConfigSchema } from "../../../../shared/contract/room-config.ts";
import type { Sentence } from "../../../../shared/contract/sentence.ts";
import { parseJson } from "../../../../shared/core/json.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";
import { VERSION } from "../../../helpers/harnesses.ts";
import { offlineModel } from "../../../helpers/offline-model.ts";
import { aLease, aSetup } from "../../../helpers/rooms.ts";
import { readSampleBundle } from "../../../helpers/sample-harness.ts";

const ROOM = path.resolve(import.meta.dirname, "../../../../harness-kv/rooms/yanxuan-home");

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
const harness = compileHarness(await readSampleBundle(), VERSION);
const setup = aSetup({ config });
const prefix = buildPrefix(harness, setup);

/** One comment through the product's own turn: sample harness, hooks, tools and the offline policy behind its protocol. */
async function answer(comment: Comment): Promise<{ reply: string; rounds: number; outcome: string }> {
  const time = new FakeTime();
  const heard: Sentence[] = [];
  const lease = aLease({
    messages: [{ id: comment.id, text: comment.text, viewer: { id: "v1", name: "观众" } }],
    snapshot: { onScreenProductId: comment.onScreen, skuOverrides: {}, heard: [] },
  });
  const end = await runTurn(lease, {
    harness,
    setup,
    prefix,
    model: offlineModel,
    http: { call: () => Promise.reject(new Error("the sample harness has no http tool")) },
    hookDeps: { code: { run: async () => ({}) }, timer: time, elapsedMs: () => 0 },
    clock: time,
    timer: time,
    say: async (sentences) => {
      heard.push(...sentences);
      return { ok: true, value: { spokenCount: heard.length, sayAtMs: null } };
    },
  });
  heard.push(...end.sentences.filter(({ seq }) => !heard.some((known) => known.seq === seq)));
  return { reply: heard.map(({ text }) => text).join(""), rounds: end.trace.steps.length - 1, outcome: end.outcome };
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

/** `partial`: one of several questions in a comment got its answer, and nothing false was said. */
type Verdict = "right" | "partial" | "unknown" | "wrong";

function judge(comment: Comment, reply: string): Verdict {
  if (saysWhatItMustNot(comment, reply)) return "wrong";
  if (!comment.answerable) return isCareful(comment, reply) ? "right" : "wrong";
  const groups = comment.facts?.mustInclude ?? [];
  const answered = groups.filter((group) => group.some((text) => includes(reply, text)));
  if (answered.length === groups.length) return "right";
  if (ADMITS.test(reply)) return "unknown";
  return answered.length > 0 ? "partial" : "wrong";
}

function saysWhatItMustNot({ facts }: Comment, reply: string): boolean {
  return facts?.mustNotInclude.some((text) => reply.includes(text)) ?? false;
}

function isCareful(comment: Comment, reply: string): boolean {
  return comment.expect === "smalltalk" ? reply !== "" && !/\d元/.test(reply) : ADMITS.test(reply);
}

const results = await Promise.all(
  comments.map(async (comment) => {
    const { reply, rounds } = await answer(comment);
    return { comment, reply, rounds, verdict: judge(comment, reply) };
  }),
);

describe("the sample room's comments", () => {
  it("are answered in their kinds as the table says", ({ expect }) => {
    const categories = [...new Set(comments.map(({ category }) => category))];
    const table = categories.map((category) => {
      const own = results.filter(({ comment }) => comment.category === category);
      const count = (verdict: Verdict) => own.filter((result) => result.verdict === verdict).length;
      return `${category.padEnd(14)} ${own.length} | ${count("right")} right | ${count("partial")} partial | ${count("unknown")} unknown | ${count("wrong")} wrong`;
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
    const grave = results.filter(({ comment, verdict }) => comment.answerable && verdict === "wrong");
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
