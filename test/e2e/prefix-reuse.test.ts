/** How much of a room's prompts the server finds in its prefix cache, by its own word, by the records and by the figures. */
import { afterAll, beforeAll, describe, it } from "vitest";
import type { EndpointView } from "../../shared/contract/http-api.ts";
import { openBench, until, type Bench } from "./fault-bench.ts";
import { SENTENCES, TOOL_CALLS } from "./fault-rows.ts";

/** Share of a room's prompt tokens that must be found again, from its second turn on. */
const CACHED_SHARE_MIN = 0.9;
/** About 40 tokens each, by the emulator's count: a prompt of some 8,000. */
const FAQ_ENTRIES = 190;
const TURNS = 4;
const CALLS_A_TURN = 3;

const QUESTIONS = ["这款毛巾掉毛吗", "可以机洗吗", "毛巾会褪色吗", "适合小孩用吗"];

let bench: Bench;

beforeAll(async () => {
  bench = await openBench();
  await bench.release({ name: "long-host" });
});
afterAll(() => bench.stop());

describe("a room's calls", () => {
  it("find nine tenths of their prompts in the cache, and all three sides say so", async ({ expect }) => {
    const faq = Array.from({ length: FAQ_ENTRIES }, (_, index) => ({
      id: `q${index}`,
      question: `第${index}个常见问题是怎么问的呢`,
      answer: `第${index}个问题这样回答：毛巾都是纯棉的，可以放心用，有什么不清楚的再问。`,
    }));
    const room = await bench.openRoom({ harness: "long-host", endpoints: 1, config: { faq } });
    // The warm-up is in the figures once it is over.
    const before = await until(
      () => room.endpoint("own"),
      ({ status }) => status?.figures.calls === 1,
    );
    const records = [];
    for (const question of QUESTIONS.slice(0, TURNS)) {
      await bench.own.control("/answers", "POST", {
        answers: [{ toolCalls: TOOL_CALLS }, { toolCalls: TOOL_CALLS }, { texts: SENTENCES }],
      });
      records.push(await room.record(await room.ask(question)));
    }

    const { log } = await bench.own.stats();
    expect(log).toHaveLength(TURNS * CALLS_A_TURN);
    expect(Math.min(...log.map(({ promptTokens }) => promptTokens))).toBeGreaterThan(7_500);
    const shareOf = (entries: typeof log) =>
      sum(entries.map(({ cachedTokens }) => cachedTokens)) / sum(entries.map(({ promptTokens }) => promptTokens));
    expect(shareOf(log.slice(CALLS_A_TURN))).toBeGreaterThanOrEqual(CACHED_SHARE_MIN);
    // The warm-up has put the prompt there before anybody asked.
    expect(shareOf(log.slice(0, 1))).toBeGreaterThanOrEqual(CACHED_SHARE_MIN);

    const usages = records.flatMap(({ trace }) => trace?.steps.map(({ usage }) => usage));
    expect(usages.map((usage) => [usage?.inputTokens, usage?.cachedTokens])).toEqual(
      log.map(({ promptTokens, cachedTokens }) => [promptTokens, cachedTokens]),
    );

    const callsInAll = 1 + log.length;
    const after = await until(
      () => room.endpoint("own"),
      ({ status }) => status?.figures.calls === callsInAll,
    );
    expect(tokensOf(after).map((tokens, index) => tokens - (tokensOf(before)[index] ?? 0))).toEqual([
      sum(log.map(({ promptTokens }) => promptTokens)),
      sum(log.map(({ cachedTokens }) => cachedTokens)),
    ]);
    expect(after.status?.alarms).toEqual([]);
    await room.close();
  });
});

/** Prompt tokens, and those of them that were cached, by the endpoint's figures. */
function tokensOf({ status }: EndpointView): number[] {
  return status === null ? [] : [status.figures.inputTokens, status.figures.cachedTokens];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
