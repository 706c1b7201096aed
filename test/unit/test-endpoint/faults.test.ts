import { describe, it } from "vitest";
import { toPieces } from "../../endpoint/answers.ts";
import { faultsSchema, FaultBox, findMoment, type FaultInput, type FaultTarget } from "../../endpoint/faults.ts";

const TEXT = { reasoning: "", text: "这款面膜只要三十九元。库存还有三百件，喜欢就拍！", toolCalls: [] };
const CALL = {
  reasoning: "",
  text: "",
  toolCalls: [{ id: "c", name: "check_stock", argumentsText: '{"product":"1"}' }],
};

function aBox(faults: readonly FaultInput[]): FaultBox {
  const box = new FaultBox(() => 0.5);
  box.set(faultsSchema.parse({ faults }).faults);
  return box;
}

function aTarget(change: Partial<FaultTarget["body"]> = {}, answer = TEXT): FaultTarget {
  const body = { model: "m", messages: [{ role: "user", content: "多少钱" }], ...change };
  return { body, bodyText: JSON.stringify(body), pieces: toPieces(answer) };
}

describe("findMoment", () => {
  const sentTo = (moment: Parameters<typeof findMoment>[1], answer: typeof TEXT | typeof CALL) => {
    const pieces = toPieces(answer);
    const count = findMoment(pieces, moment);
    return count === null
      ? null
      : pieces
          .slice(0, count)
          .map(({ text }) => text)
          .join("");
  };

  it("finds a point before the first sentence's end, with some text", ({ expect }) => {
    expect(sentTo("before-first-sentence", TEXT)).toMatch(/^这款[^。]*$/);
  });

  it("finds a point after a whole sentence and some more", ({ expect }) => {
    expect(sentTo("mid-sentence", TEXT)).toMatch(/^这款面膜只要三十九元。[^。！？]+$/);
  });

  it("finds a point in the arguments of a call", ({ expect }) => {
    expect(sentTo("mid-tool-call", CALL)).toMatch(/^\{"[^}]*$/);
  });

  it("finds none where the answer never comes there", ({ expect }) => {
    expect(sentTo("mid-tool-call", TEXT)).toBeNull();
    expect(sentTo("mid-sentence", CALL)).toBeNull();
    expect(sentTo("mid-sentence", { ...TEXT, text: "只有一句。" })).toBeNull();
  });
});

describe("FaultBox", () => {
  it("gives a fault to as many requests as it counts", ({ expect }) => {
    const box = aBox([{ fault: "reset", count: 2 }, { fault: "stall" }]);
    const names = [1, 2, 3, 4].map(() => {
      const taken = box.take(aTarget());
      return taken !== null && "fault" in taken ? taken.fault.fault : null;
    });
    expect(names).toEqual(["reset", "reset", "stall", null]);
    expect(box.list()).toEqual([]);
  });

  it("uses nothing up for a request that does not match, or whose answer lacks the moment", ({ expect }) => {
    const box = aBox([
      { fault: "close", at: "mid-tool-call" },
      { fault: "status", status: 503, match: { priority: 4, lastRole: "user", contains: "价格" } },
    ]);
    expect(box.take(aTarget())).toBeNull();
    expect(box.take(aTarget({ priority: 4 }))).toBeNull();
    expect(box.list()).toHaveLength(2);
    const asked = aTarget({ priority: 4, messages: [{ role: "user", content: "价格" }] });
    expect(box.take(asked)).toMatchObject({ whole: { status: 503 } });
    expect(box.take(aTarget({}, CALL as typeof TEXT))).toMatchObject({ fault: { fault: "close" } });
  });

  it("gives to all with -1, and to a share of them", ({ expect }) => {
    expect(aBox([{ fault: "stall", share: 0.5 }]).take(aTarget())).toBeNull();
    const box = aBox([{ fault: "stall", share: 0.6, count: -1 }]);
    expect([1, 2, 3].map(() => box.take(aTarget()) !== null)).toEqual([true, true, true]);
  });

  it.for<[string, object]>([
    ["slow without ms", { fault: "slow" }],
    ["a status without a code", { fault: "status" }],
    ["a fixture without a name", { fault: "fixture" }],
    ["a fixture outside its folder", { fault: "fixture", name: "../x" }],
    ["a whole response in the middle", { fault: "refuse", at: "mid-sentence" }],
    ["a second finish", { fault: "finish-abort", at: "after-finish" }],
    ["a fault that nobody knows", { fault: "gremlin" }],
  ])("refuses %s", ([, fault], { expect }) => {
    expect(faultsSchema.safeParse({ faults: [fault] }).success).toBe(false);
  });
});
