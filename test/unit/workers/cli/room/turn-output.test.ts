import { describe, it } from "vitest";
import type { TurnView } from "../../../../../shared/contract/room-view.ts";
import { columnsOf } from "../../../../../workers/cli/text-columns.ts";
import { formatReplay, formatTurn } from "../../../../../workers/cli/room/turn-output.ts";
import { aStep, aToolCall, aTrace, aTurnRecord } from "../../../../helpers/turn-records.ts";
import { aReplay, aReplayedTurn } from "./a-replay.ts";

const plain = (_style: string, text: string) => text;
const HOOK = {
  hook: "price-grounding",
  event: "PreUtterance",
  verdict: "deny",
  reason: "no such price",
  atMs: 500,
  subject: "只要9.9元",
} as const;

describe("formatTurn", () => {
  it("tells who asked what, what was said when, and what it cost", ({ expect }) => {
    const trace = aTrace({ steps: [aStep({ toolCalls: [aToolCall()] }), aStep({ index: 1 })], hooks: [HOOK] });
    const printed = formatTurn(aTurnRecord({ trace }), plain);
    expect(printed).toMatch(/^t12 in r1: answered\n/);
    expect(printed).toMatch(/ {2}harness +live-host@aaaaaaaa\n/);
    expect(printed).toMatch(/ {2}first sentence +620 ms\n/);
    expect(printed).toMatch(/ {2}tokens in +10000\n {2}cached +9600\n {2}tokens out +80\n/);
    expect(printed).toContain("Asked 2026-09-21T14:13:20Z by 3\n  小李: 1号链接多少钱\n");
    expect(printed).toContain("Said\n  0.62 s  这款毛巾39.9元。\n");
    expect(printed).toContain('Tools\n  0.30 s  look_up {"product":"1"} → tool-result, 40 ms\n');
    expect(printed).toContain("Hooks\n  0.50 s  price-grounding PreUtterance: deny, no such price, of: 只要9.9元\n");
  });

  it("says of a turn that nobody ran how it ended, and nothing that is not known", ({ expect }) => {
    const expired = aTurnRecord({ outcome: "expired", reason: "waited_too_long", sentences: [], trace: null });
    const printed = formatTurn(expired, plain);
    expect(printed).toMatch(/^t12 in r1: expired \(waited_too_long\)\n/);
    expect(printed).toMatch(/ {2}model +-\n/);
    expect(printed).toContain("Said\n  nothing\n");
    expect(printed).not.toMatch(/Tools|Hooks/);
  });

  it("says of a turn that has not ended where it stands", ({ expect }) => {
    const { room, turn, acceptedAtMs, messages, sentences } = aTurnRecord();
    const open: TurnView = {
      schema: "kaibo.open-turn/1",
      status: "speaking",
      attempt: 1,
      room,
      turn,
      acceptedAtMs,
      messages,
      sentences,
    };
    const printed = formatTurn(open, plain);
    expect(printed).toMatch(/^t12 in r1: speaking\n\nAsked /);
    expect(printed).toContain("这款毛巾39.9元。");
  });

  it("keeps what people wrote on its line", ({ expect }) => {
    const messages = [{ id: "q1", text: "多少钱\n  小王: 假的\u001b[2J" }];
    const printed = formatTurn(aTurnRecord({ messages }), plain);
    expect(printed).toContain("\n  a viewer: 多少钱 ");
    expect(printed).not.toContain("\u001b");
    expect(printed).not.toContain("\n  小王");
  });
});

const LONG = "这款毛巾是纯棉的，摸起来很软，吸水也快，洗了很多次都不会硬，大家可以放心拍，今天下单明天就发货。";

describe("formatReplay", () => {
  const sentences = [
    { seq: 0, text: LONG, speech: LONG, kind: "answer" as const, atMs: 480 },
    { seq: 1, text: "现在29.9元。", speech: "现在二十九块九。", kind: "answer" as const, atMs: 900 },
  ];
  const replayed = aReplayedTurn({ sentences });

  it("puts both side by side in a wide terminal, in columns that Chinese letters do not break", ({ expect }) => {
    const rows = formatReplay(aReplay({ replayed }), { columns: 121, paint: plain })
      .split("\n")
      .filter((row) => row.includes("│"));
    expect(rows[0]).toMatch(/^recorded: live-host@aaaaaaaa +│ replayed: live-host@bbbbbbbb$/);
    expect(rows.length).toBeGreaterThanOrEqual(4);
    expect(rows.map((row) => columnsOf(row.split("│")[0] ?? ""))).toEqual(rows.map(() => 60));
    expect(Math.max(...rows.map(columnsOf))).toBeLessThanOrEqual(121);
    expect(rows[1]).toMatch(/^ {2}0\.62 s {2}这款毛巾39\.9元。 +│ {3}0\.48 s {2}这款毛巾/);
    expect(rows.at(-1)).toContain("│   0.90 s  现在29.9元。");
  });

  it.for([80, 99, null])("puts one above the other in %s columns", (columns, { expect }) => {
    const printed = formatReplay(aReplay({ replayed }), { columns, paint: plain });
    expect(printed).not.toContain("│");
    expect(printed).toContain("t12 in r1, asked 2026-09-21T14:13:20Z by 3\n  小李: 1号链接多少钱\n");
    expect(printed).toContain("recorded: live-host@aaaaaaaa\n  0.62 s  这款毛巾39.9元。\n");
    expect(printed).toContain(`replayed: live-host@bbbbbbbb\n  0.48 s  ${LONG}\n  0.90 s  现在29.9元。\n`);
  });

  it("tells what is another: figures, and the calls and verdicts that only one has", ({ expect }) => {
    const mine = [aToolCall(), aToolCall(), aToolCall({ tool: "get_price" })];
    const others = [aToolCall({ startedMs: 400 }), aToolCall({ outcome: "tool-error", code: "tool_failed" })];
    const printed = formatReplay(
      aReplay({
        recorded: aTurnRecord({ trace: aTrace({ steps: [aStep({ toolCalls: mine })] }) }),
        replayed: aReplayedTurn({
          outcome: "fallback",
          reason: "hook:price-grounding",
          timings: { waitedMs: 12, firstSentenceMs: 480, totalMs: 1_400, speakingMs: 5_200 },
          trace: aTrace({
            hooks: [HOOK],
            steps: [
              aStep({
                toolCalls: others,
                usage: { inputTokens: 6_000, outputTokens: 40, cachedTokens: null, estimated: true },
              }),
            ],
          }),
        }),
      }),
      { columns: null, paint: plain },
    );
    expect(printed).toMatch(/\noutcome +answered +fallback \(hook:price-grounding\)\n/);
    expect(printed).toMatch(/\nfirst sentence +620 ms +480 ms\n/);
    expect(printed).toMatch(/\ntokens in +5000 +6000, estimated\ncached +4800 +-\n/);
    expect(printed).not.toMatch(/\n(end|speaks|steps|tokens out|model) /);
    expect(printed.split("\n").filter((row) => /^[-+] /.test(row))).toEqual([
      '- tool look_up {"product":"1"} → tool-result',
      '- tool get_price {"product":"1"} → tool-result',
      '+ tool look_up {"product":"1"} → tool-error tool_failed',
      "+ hook price-grounding PreUtterance: deny, no such price",
    ]);
  });

  it("has the time of the first sentence where nothing else is another", ({ expect }) => {
    const replay = aReplay({ replayed: aReplayedTurn({ harness: aTurnRecord().harness }) });
    const printed = formatReplay(replay, { columns: null, paint: plain });
    expect(printed).toMatch(/\n {16}recorded {2}replayed\nfirst sentence {2}620 ms {4}620 ms\n$/);
    expect(printed).not.toContain("warning");
  });

  it("warns of a room that was configured since, of a turn that nobody ran, and of calls that are not recorded", ({
    expect,
  }) => {
    const printed = formatReplay(
      aReplay({
        configRevision: { recorded: 3, now: 5 },
        recorded: aTurnRecord({ trace: null }),
        replayed: aReplayedTurn({ unrecordedCalls: [{ tool: "order", argumentsText: '{"id":1}' }] }),
      }),
      { columns: 200, paint: plain },
    );
    const warnings = printed.split("\n").filter((row) => row.startsWith("warning "));
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toContain("revision 3 → 5");
    expect(warnings[1]).toContain("nobody ran this turn");
    expect(warnings[2]).toContain('order {"id":1}');
  });
});
