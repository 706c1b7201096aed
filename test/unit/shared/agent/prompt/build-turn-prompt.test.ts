import { describe, it } from "vitest";
import { numberGrounding } from "../../../../../shared/agent/checks/number-grounding.ts";
import { parseEvidence } from "../../../../../shared/agent/evidence.ts";
import { buildPrefix } from "../../../../../shared/agent/prompt/build-prefix.ts";
import { buildTurnPrompt } from "../../../../../shared/agent/prompt/build-turn-prompt.ts";
import { aSentence } from "../hooks/hook-inputs.ts";
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
  buildTurnPrompt(harness, prefix, aLease({ snapshot: { ...snapshot, ...fields } }), { texts, contexts: [], nowMs: 0 });
const blocksOf = (text: string) =>
  Object.fromEntries(parseEvidence(text).map(({ source, records }) => [source, records]));

const MANY = 30;
const many = Array.from({ length: MANY }, (_, index) => {
  const link = index + 1;
  const skus = ["大", "小"].map((size, at) => ({
    id: `s${link}-${at}`,
    specs: [size],
    priceCents: (1_000 + at * 100 + link) * 100,
    stock: 800,
  }));
  return aProduct({ id: `p${link}`, link, name: `商品${link}号款`, specNames: ["尺寸"], skus });
});
const manyPrefix = buildPrefix(harness, aSetup({ config: aRoomConfig({ products: many }) }));
const skuOverrides = Object.fromEntries(
  many.flatMap(({ link, skus }) =>
    skus.map((sku, at) => [sku.id, { priceCents: (500 + at * 100 + link) * 100, stock: 5 + at * 5 }]),
  ),
);
const repriced = buildTurnPrompt(
  harness,
  manyPrefix,
  aLease({ snapshot: { onScreenProductId: null, skuOverrides, heard: [] } }),
  { texts: ["在吗"], contexts: [], nowMs: 0 },
);

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

  it("lists every changed product, those past the twentieth by range and stock", ({ expect }) => {
    const lines = blocksOf(repriced.text)["changes"] as Record<string, unknown>[];
    expect(lines).toHaveLength(MANY);
    expect(lines[19]).toMatchObject({ link: 20, name: "商品20号款", skus: [{ price: 520 }, { price: 620 }] });
    expect(lines[29]).toEqual({ link: 30, id: "p30", priceFrom: 530, priceTo: 630, stock: 15 });
  });

  it.for([1, 20, 21, 30])("lets hooks tell the old price and stock of product %i from the new", (link, { expect }) => {
    const find = (text: string) => {
      const evidence = [...manyPrefix.evidence, ...repriced.evidence];
      return numberGrounding({ kinds: ["price", "number"] })(aSentence(text, { evidence }), text)?.found ?? null;
    };
    expect(find(`${link}号链接现在${500 + link}元`)).toBeNull();
    expect(find(`${link}号链接现在${1_000 + link}元`)).toBe(`${1_000 + link}元`);
    expect(find(`${link}号链接还有800件`)).toBe("800");
    expect(find(`${link}号链接现在${600 + (link % 30) + 1}元`)).not.toBeNull();
  });

  it("keeps the end of a newest heard line that is too long, by whole characters", ({ expect }) => {
    const heard = [
      { speaker: "host", text: "早先", atMs: 1 },
      { speaker: "host", text: `${"开头".repeat(300)}${"🧣".repeat(398)}结尾`, atMs: 2 },
    ];
    expect(blocksOf(build(["在吗"], { heard }).text)["heard"]).toEqual([
      { speaker: "host", text: `${"🧣".repeat(398)}结尾` },
    ]);
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
