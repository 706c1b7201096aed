import { describe, it } from "vitest";
import { parseEvidence } from "../../../../../shared/agent/evidence.ts";
import { buildPrefix } from "../../../../../shared/agent/prompt/build-prefix.ts";
import { buildTurnPrompt } from "../../../../../shared/agent/prompt/build-turn-prompt.ts";
import { aHarness } from "../../../../helpers/harnesses.ts";
import { aLease, aProduct, aRoomConfig, aSetup } from "../../../../helpers/rooms.ts";

const names = ["纯棉毛巾", "铸铁煎锅", "夏凉被", "台灯"];
const products = names.map((name, index) =>
  aProduct({
    id: `p${index + 1}`,
    link: index + 1,
    name,
    skus: [{ id: `s${index + 1}`, specs: ["标准"], priceCents: 1_000, stock: 5 }],
  }),
);
const harness = aHarness({
  prompt: {
    identity: "主播",
    rules: "规则",
    room: "{{ room.catalogue }}",
    turn: "{{ turn.state }}\n{{ turn.changes }}\n{{ turn.heard }}\n{{ turn.facts }}\n{{ turn.knowledge }}\n{{ turn.messages }}",
  },
  knowledge: [{ id: "k1", text: "铁锅要开锅", keywords: ["锅"], source: "t1" }],
});
const prefix = buildPrefix(harness, aSetup({ config: aRoomConfig({ products }) }));
const snapshot = { onScreenProductId: "p3", skuOverrides: { s4: { stock: 0 } }, heard: [] };
const build = (texts: string[], fields = {}) =>
  buildTurnPrompt(harness, prefix, aLease({ snapshot: { ...snapshot, ...fields } }), { texts, contexts: [] });
const blocksOf = (text: string) =>
  Object.fromEntries(parseEvidence(text).map(({ source, records }) => [source, records]));

describe("buildTurnPrompt", () => {
  it("shows the facts of named products, then of the one on screen", ({ expect }) => {
    expect(blocksOf(build(["煎锅多少钱"]).text)["facts"]).toMatchObject([{ id: "p2" }, { id: "p3" }]);
  });

  it("lists live changes of products that the question is not about", ({ expect }) => {
    expect(blocksOf(build(["煎锅多少钱"]).text)["changes"]).toMatchObject([{ id: "p4", skus: [{ stock: 0 }] }]);
    expect(blocksOf(build(["4号还有吗"]).text)["changes"]).toBeUndefined();
  });

  it("brings up knowledge by its keywords", ({ expect }) => {
    expect(blocksOf(build(["煎锅怎么用"]).text)["knowledge"]).toEqual([{ text: "铁锅要开锅" }]);
    expect(blocksOf(build(["毛巾怎么用"]).text)["knowledge"]).toBeUndefined();
  });

  it("keeps the latest of what was heard within its bound", ({ expect }) => {
    const heard = Array.from({ length: 8 }, (_, index) => ({
      speaker: "host",
      text: `${index}`.repeat(100),
      atMs: index,
    }));
    const lines = blocksOf(build(["在吗"], { heard }).text)["heard"] as { text: string }[];
    expect(lines.map(({ text }) => text[0])).toEqual(["4", "5", "6", "7"]);
  });

  it("gives hooks facts, and never the viewers' own words, as evidence", ({ expect }) => {
    const { evidence } = build(["煎锅是不是9块9"]);
    expect(evidence.join("\n")).toContain("铸铁煎锅");
    expect(evidence.join("\n")).not.toContain("9块9");
  });
});
