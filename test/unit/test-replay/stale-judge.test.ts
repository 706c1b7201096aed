import { describe, it } from "vitest";
import type { RoomFrame, RoomFrameBody } from "../../../shared/contract/room-frame.ts";
import { aProduct, aRoomConfig } from "../../helpers/rooms.ts";
import { judgeSaid, judgeVoiced } from "../../replay/stale-judge.ts";

const config = aRoomConfig({
  products: [
    aProduct({
      skus: [
        { id: "p1-blue", specs: ["蓝色"], priceCents: 3990, stock: 12 },
        { id: "p1-red", specs: ["红色"], priceCents: 3990, stock: 12 },
      ],
    }),
    aProduct({ id: "p2", link: 2, name: "真丝睡衣", skus: [{ id: "p2-s", specs: ["S"], priceCents: 459, stock: 3 }] }),
  ],
  coupons: [{ id: "c1", name: "满减券", minCents: 5_000, offCents: 500 }],
});

/** A room that sold p1 at 41.3 and now at 43.7, had 733 blue ones and has none, and went from p1 to p2 on screen. */
const BEFORE: readonly RoomFrameBody[] = [
  { type: "state", patch: { onScreenProductId: "p1" } },
  { type: "state", patch: { skus: [{ skuId: "p1-blue", priceCents: 4130, stock: 733 }] } },
  { type: "turn-start", turn: "t9", attempt: 1, messageIds: [], harness: { name: "h", version: "v" }, waitedMs: 0 },
];
const CHANGE: readonly RoomFrameBody[] = [
  { type: "state", patch: { skus: [{ skuId: "p1-blue", priceCents: 4370, stock: 0 }] } },
  { type: "state", patch: { onScreenProductId: "p2" } },
];

const say = (text: string, seq = 0): RoomFrameBody => ({
  type: "sentence",
  turn: "t9",
  sentence: { seq, text, speech: text, kind: "answer" },
});

function numbered(bodies: readonly RoomFrameBody[]): RoomFrame[] {
  return bodies.map((body, index) => ({ ...body, seq: index + 1, atMs: index * 1_000 }) as RoomFrame);
}

const STALE = [
  { text: "纯棉毛巾现在41.3元。", kind: "price" },
  { text: "这款2件一共82.6元，用券后77.6元。", kind: "price" },
  { text: "用券后77.6元。", kind: "price" },
  { text: "这款蓝色还有733件。", kind: "stock" },
  { text: "纯棉毛巾蓝色有货。", kind: "stock" },
  { text: "纯棉毛巾红色没货了。", kind: "stock" },
  { text: "现在讲的是1号链接纯棉毛巾。", kind: "on-screen" },
] as const;
const TRUE = [
  "纯棉毛巾现在43.7元。",
  "纯棉毛巾2件一共87.4元，用券后82.4元。",
  "纯棉毛巾蓝色没货了。",
  "纯棉毛巾红色有货。",
  "纯棉毛巾有货。",
  "现在讲的是2号链接真丝睡衣。",
  "这款100%纯棉，尺寸34*76cm。",
];

describe("judgeSaid", () => {
  it.for(STALE)("finds $kind in $text", ({ text, kind }, { expect }) => {
    const { stale } = judgeSaid(config, numbered([...BEFORE, ...CHANGE, say(text)]));
    expect(stale.map((sentence) => sentence.kind)).toEqual([kind]);
  });

  it.for(STALE.slice(0, 5))("lets $text stand before the change", ({ text }, { expect }) => {
    expect(judgeSaid(config, numbered([...BEFORE, say(text), ...CHANGE])).stale).toEqual([]);
  });

  it.for(TRUE)("lets %s stand", (text, { expect }) => {
    expect(judgeSaid(config, numbered([...BEFORE, ...CHANGE, say(text)])).stale).toEqual([]);
  });

  it("takes a question without a name for one about what was on screen then", ({ expect }) => {
    const asked: RoomFrameBody = { type: "message", turn: "t9", message: { id: "m1", text: "还有货吗" } };
    const [shown = asked, sold = asked, start = asked] = BEFORE;
    const staleIn = (text: string) =>
      judgeSaid(config, numbered([shown, sold, asked, ...CHANGE, start, say(text)])).stale.map(({ kind }) => kind);
    expect(staleIn("蓝色没货了。")).toEqual([]);
    expect(staleIn("红色没货了。")).toEqual(["stock"]);
  });

  it("counts who points at a product that has left the screen", ({ expect }) => {
    expect(judgeSaid(config, numbered([...BEFORE, ...CHANGE, say("这款是纯棉的。")])).pointsAway).toBe(1);
    expect(judgeSaid(config, numbered([...BEFORE, say("这款是纯棉的。"), ...CHANGE])).pointsAway).toBe(0);
  });
});

describe("judgeVoiced", () => {
  it("judges a sentence at its first sound, and not at all where it never sounded", ({ expect }) => {
    const frames = numbered([...BEFORE, say("现在41.3元。"), say("两件82.6元。", 1), ...CHANGE]);
    const sound = { frameSeq: 4, turn: "t9", seq: 0, endedAtMs: 9_000 };
    expect(judgeVoiced(config, frames, [{ ...sound, beganAtMs: 3_500 }])).toMatchObject({ sentences: 1, stale: [] });
    const late = judgeVoiced(config, frames, [{ ...sound, beganAtMs: 5_500 }]);
    expect(late.stale).toMatchObject([{ kind: "price", claim: "41.3", seq: 0, atMs: 5_500 }]);
  });
});
