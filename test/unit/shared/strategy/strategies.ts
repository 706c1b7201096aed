/** Builders of strategies and of what they are made from. A test names only the fields that it is about. */
import { buildPrefix } from "../../../../shared/agent/prompt/build-prefix.ts";
import { EMPTY_TALLY, type RoomStrategy, type StrategyInput } from "../../../../shared/contract/strategy.ts";
import { aHarness } from "../../../helpers/harnesses.ts";
import { aProduct, aRoomConfig, aSetup } from "../../../helpers/rooms.ts";

export function aStrategy(fields: Partial<RoomStrategy> = {}): RoomStrategy {
  return {
    summary: "正在讲1号纯棉毛巾。最近12人问尺码。",
    advice: "下一句主动讲尺码",
    onScreenProductId: "p1",
    basedOnSeq: 10,
    atMs: 60_000,
    source: "model",
    ...fields,
  };
}

export function aStrategyInput(fields: Partial<StrategyInput> = {}): StrategyInput {
  return {
    previous: null,
    basedOnSeq: 10,
    onScreenProductId: "p1",
    skuOverrides: {},
    heard: [],
    tally: EMPTY_TALLY,
    ...fields,
  };
}

const products = [
  aProduct(),
  aProduct({
    id: "p2",
    link: 2,
    name: "铸铁煎锅",
    brief: "少油烟，不粘",
    specNames: ["尺寸"],
    skus: [
      { id: "p2-24", specs: ["24cm"], priceCents: 15_900, stock: 40 },
      { id: "p2-28", specs: ["28cm"], priceCents: 18_900, stock: 20 },
    ],
  }),
  aProduct({
    id: "p3",
    link: 3,
    name: "夏凉被",
    skus: [{ id: "p3-blue", specs: ["蓝"], priceCents: 25_900, stock: 0 }],
  }),
];
const faq = [{ id: "f1", question: "几天发货", answer: "48小时内发货，七天无理由退换。" }];

/** The prefix of a room with three products: a towel for 39.9, a pan for 159 and 189, a blanket that is sold out. */
export const roomPrefix = buildPrefix(aHarness(), aSetup({ config: aRoomConfig({ products, faq }) }));
