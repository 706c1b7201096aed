import fc from "fast-check";
import { describe, it } from "vitest";
import type { RoomFrame } from "../../../../shared/contract/room-frame.ts";
import { HEARD_LINES_MAX } from "../../../../shared/contract/room-state.ts";
import { aProduct, aRoomConfig, aSetup } from "../../../helpers/rooms.ts";
import { LEASE_GRACE_MS, type RoomState, applyFrame, isLeased } from "../../../../workers/room/room-state.ts";
import { nextWakeAtMs, toRules } from "../../../../workers/room/room-state.ts";
import { abandonTurn, changeConfig, finishTurn, hearHost } from "../../../../workers/room/room-step.ts";
import { admitMessages } from "../../../../workers/room/admit-messages.ts";
import type { RoomNow, RoomStep } from "../../../../workers/room/room-draft.ts";
import { patchState, saySentences, tickRoom } from "../../../../workers/room/room-step.ts";
import { HARNESS, NEWEST, aFinish, aMessage, aPolicy, aRoom, aSentence, after, fold, later, post } from "./a-room.ts";

describe("applyFrame", () => {
  it("ignores a frame that it has applied", ({ expect }) => {
    const now = aRoom();
    const step = post(now, "m1", "m2");
    expect(fold(step.state, step.frames, now)).toEqual(step.state);
  });

  it("refuses a frame that would leave a hole", ({ expect }) => {
    const now = aRoom();
    const frame: RoomFrame = { type: "host-speech", seq: 9, atMs: 0, speaker: "host", text: "欢迎" };
    expect(() => applyFrame(now.state, frame, now.rules)).toThrow("order of their numbers");
  });

  it("remembers the latest lines only", ({ expect }) => {
    let now = aRoom();
    for (let line = 0; line <= HEARD_LINES_MAX; line += 1) {
      now = after(now, hearHost(now, { speaker: "host", text: `第${line}句` }));
    }
    expect(now.state.snapshot.heard).toHaveLength(HEARD_LINES_MAX);
    expect(now.state.snapshot.heard.at(-1)?.text).toBe(`第${HEARD_LINES_MAX}句`);
  });

  it("lets live values of what is no longer sold end with the configuration", ({ expect }) => {
    let now = aRoom();
    const skus = [
      { skuId: "p1-blue", priceCents: 1990 },
      { skuId: "p2-s", stock: 0 },
    ];
    const patched = patchState(now, { onScreenProductId: "p2", skus });
    now = patched.ok ? after(now, patched.value) : now;
    const rules = toRules(aSetup({ config: aRoomConfig({ products: [aProduct()] }) }), now.rules.policy);
    const { snapshot } = changeConfig({ ...now, rules }, { revision: 2, harness: HARNESS, changesFacts: false }).state;
    expect(snapshot).toMatchObject({ onScreenProductId: null, skuOverrides: { "p1-blue": { priceCents: 1990 } } });
    expect(Object.keys(snapshot.skuOverrides)).toEqual(["p1-blue"]);
  });

  it("keeps a SKU that is named like a member of every object", ({ expect }) => {
    const products = [aProduct({ skus: [{ id: "__proto__", specs: ["蓝"], priceCents: 100, stock: 1 }] })];
    const now = { ...aRoom(), rules: toRules(aSetup({ config: aRoomConfig({ products }) }), aPolicy()) };
    const patched = patchState(now, { skus: [{ skuId: "__proto__", stock: 7 }] });
    expect(patched.ok && Object.entries(patched.value.state.snapshot.skuOverrides)).toEqual([
      ["__proto__", { stock: 7 }],
    ]);
  });
});

describe("nextWakeAtMs", () => {
  it("is null while nothing is open", ({ expect }) => {
    expect(nextWakeAtMs(aRoom().state)).toBeNull();
  });

  it("is the first of the lease's end and the oldest wait's end", ({ expect }) => {
    for (const [ttlMs, wakeMs] of [
      [30_000, 10_000],
      [5_000, 5_000],
    ] as const) {
      const now = aRoom({ intake: { ttlMs } });
      expect(nextWakeAtMs(post(now, "m1", "m2").state)).toBe(now.nowMs + wakeMs);
    }
  });
});

type Act = (now: RoomNow, known: Map<string, { turn: string; seq: number }>) => RoomStep | null;

const turnNumber = fc.integer({ min: 1, max: 40 });
const acts: fc.Arbitrary<Act> = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 5 }).map((ids): Act => (now, known) => {
    const admitted = admitMessages(
      now,
      ids.map((id) => aMessage(`m${id}`)),
      known,
    );
    for (const { id, turn, seq } of admitted.dispositions) if (turn !== null) known.set(id, { turn, seq });
    return admitted.step;
  }),
  fc
    .tuple(fc.boolean(), turnNumber, fc.integer({ min: 1, max: 2 }), fc.integer({ min: 0, max: 3 }))
    .map(([isCurrent, number, attempt, seq]): Act => (now) => {
      const current = now.state.turns.find(isLeased);
      const ref =
        isCurrent && current ? { turn: current.id, attempt: current.lease.attempt } : { turn: `t${number}`, attempt };
      const said = saySentences(now, { stateSeq: NEWEST, ...ref, sentences: [aSentence(seq), aSentence(seq + 1)] });
      return said.ok ? said.value.step : null;
    }),
  fc
    .tuple(fc.boolean(), turnNumber, fc.integer({ min: 1, max: 2 }))
    .map(([isCurrent, number, attempt]): Act => (now) => {
      const current = now.state.turns.find(isLeased);
      const ref =
        isCurrent && current ? { turn: current.id, attempt: current.lease.attempt } : { turn: `t${number}`, attempt };
      const finished = finishTurn(now, aFinish(ref));
      return finished.ok ? finished.value.step : null;
    }),
  fc
    .tuple(fc.boolean(), turnNumber, fc.integer({ min: 1, max: 2 }))
    .map(([isCurrent, number, attempt]): Act => (now) => {
      const current = now.state.turns.find(isLeased);
      const ref =
        isCurrent && current ? { turn: current.id, attempt: current.lease.attempt } : { turn: `t${number}`, attempt };
      const abandoned = abandonTurn(now, { ...ref, code: "harness_corrupt" });
      return abandoned.ok ? abandoned.value.step : null;
    }),
  fc.constant<Act>((now) => tickRoom(now)),
  fc.constant<Act>((now) => hearHost(now, { speaker: "host", text: "看这里" })),
  fc.constantFrom("p1", "p2", null).map((id): Act => (now) => {
    const patched = patchState(now, { onScreenProductId: id });
    return patched.ok ? patched.value : null;
  }),
  fc.constant<Act>((now) =>
    changeConfig(now, { revision: now.state.revision + 1, harness: HARNESS, changesFacts: true }),
  ),
);

/** The state as frames alone tell it: no frame says that a lease was shortened. */
const withWholeLeases = (state: RoomState): RoomState => ({
  ...state,
  turns: state.turns.map((turn) => {
    if (!isLeased(turn)) return turn;
    return { ...turn, lease: { ...turn.lease, expiresAtMs: turn.lease.deadlineAtMs + LEASE_GRACE_MS } };
  }),
});

describe("a room's life", () => {
  it("can be folded from its frames, has one mouth, and ends every turn once", ({ expect }) => {
    const lives = fc.array(fc.tuple(acts, fc.integer({ min: 0, max: 12_000 })), { maxLength: 60 });
    fc.assert(
      fc.property(lives, (life) => {
        let now = aRoom({ intake: { ttlMs: 20_000 } });
        const known = new Map<string, { turn: string; seq: number }>();
        const start = now.state;
        const frames: RoomFrame[] = [];
        const ended: string[] = [];
        for (const [act, elapsedMs] of life) {
          const step = act(later(now, elapsedMs), known);
          now = step === null ? later(now, elapsedMs) : after(now, step, elapsedMs);
          frames.push(...(step?.frames ?? []));
          ended.push(...(step?.records ?? []).map(({ turn }) => turn));
          expect(now.state.turns.filter(isLeased).length).toBeLessThanOrEqual(1);
          expect(now.state.turns.filter((turn) => !isLeased(turn)).length).toBeLessThanOrEqual(3);
        }
        expect(fold(start, frames, now)).toEqual(withWholeLeases(now.state));
        expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, index) => index + 2));
        const opened = frames.flatMap((frame) => (frame.type === "message" ? [frame.turn] : []));
        expect([...ended, ...now.state.turns.map(({ id }) => id)].toSorted()).toEqual(opened.toSorted());
        const spoken = frames.flatMap((frame) =>
          frame.type === "sentence" ? [`${frame.turn}/${frame.sentence.seq}`] : [],
        );
        expect(new Set(spoken).size).toBe(spoken.length);
      }),
      { numRuns: 300 },
    );
  });
});
