import { describe, it } from "vitest";
import { stringsFor } from "../../../../workers/console/strings.ts";
import type { Interruption } from "../../../../workers/console/turn-item.ts";
import {
  describeInterruption,
  describePriority,
  describeReason,
  summarisePriority,
} from "../../../../workers/console/turn-words.ts";

const [zh, en] = [stringsFor("zh-CN"), stringsFor("en")];
const parts = [
  { name: "chat", points: -20 },
  { name: "deal", points: 15 },
  { name: "of-a-merchant", points: 30 },
  { name: "waited", points: 3.25 },
];

describe("describePriority", () => {
  it("tells the points by part, most first, with the merchant's own names as they are", ({ expect }) => {
    expect(describePriority({ points: 28.25, parts, waiting: 8 }, 3_250, zh)).toEqual({
      line: "等了 3.25 s。轮到它时有 8 个回合在等，它的 28.3 分最高。",
      parts: [
        { name: "of-a-merchant", points: "+30" },
        { name: "问价格或优惠", points: "+15" },
        { name: "等待时间", points: "+3.3" },
        { name: "打招呼或闲聊", points: "-20" },
      ],
    });
  });

  it("compares a turn that waited alone with nothing", ({ expect }) => {
    expect(describePriority({ points: 15, parts: [], waiting: 1 }, 0, en).line).toBe(
      "It waited 0 ms. No other turn waited then; it had 15 points.",
    );
  });
});

describe("summarisePriority", () => {
  it("tells the points and of how many it was one", ({ expect }) => {
    expect(summarisePriority({ points: 48, parts: [], waiting: 8 }, zh)).toBe("优先 48 分 · 8 选 1");
  });
});

describe("describeReason", () => {
  it.for([
    ["ttl", "等太久，已过期"],
    ["crowded", "排队已满，让给更要紧的"],
    ["priority:t12", "更要紧的问题插队"],
    ["hook:price-grounding", "hook:price-grounding"],
    ["constructor", "constructor"],
  ] as const)("%s reads %s", ([reason, text], { expect }) => {
    expect(describeReason(reason, zh)).toBe(text);
  });
});

describe("describeInterruption", () => {
  const base: Interruption = { atMs: 4_240, cause: "operator", act: "stop", resumes: false, heard: null };
  it.for<[string, Partial<Interruption>, string]>([
    ["without a voice", {}, "3.24 s 被打断：操作员叫停，立即停声，不再接着答。"],
    [
      "after some was heard",
      { cause: "host-speech", act: "finish", heard: { sentences: 2, lastMs: 1_400 } },
      "3.24 s 被打断：真人主播开口，说完这一句再停，听到 2 句，最后一句播了 1.40 s，不再接着答。",
    ],
    [
      "before anything was heard",
      { cause: "product-switch", resumes: true, heard: { sentences: 0, lastMs: 0 } },
      "3.24 s 被打断：换了商品，立即停声，一句还没出声，重新排队再答。",
    ],
    ["before its time began", { atMs: 0 }, "0 ms 被打断：操作员叫停，立即停声，不再接着答。"],
  ])("%s", ([, fields, text], { expect }) => {
    expect(describeInterruption({ ...base, ...fields }, 1_000, zh)).toBe(text);
  });

  it("is one English sentence as well", ({ expect }) => {
    expect(describeInterruption(base, 1_000, en)).toBe(
      "Interrupted at 3.24 s: stopped by an operator; silent at once, not taken up again.",
    );
  });
});
