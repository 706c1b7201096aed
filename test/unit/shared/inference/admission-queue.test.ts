import fc from "fast-check";
import { describe, it } from "vitest";
import type { AdmissionRequest } from "../../../../shared/contract/admission.ts";
import {
  AdmissionQueue,
  type InFlightCounts,
  type WaitingTurn,
  waitEndsAtMs,
} from "../../../../shared/inference/admission-queue.ts";

type Waiting = Partial<AdmissionRequest> & { readonly arrivedAtMs?: number };

function aTurn({ arrivedAtMs = 0, ...request }: Waiting): WaitingTurn {
  const limits = { slots: 4, utilizationCeiling: 0.5, capacity: "fixed", updatedAtMs: 1 } as const;
  return {
    request: {
      key: "r/1",
      room: "r",
      merchant: "m",
      priority: 4,
      deadlineAtMs: 60_000,
      waitMsMax: 10_000,
      limits,
      ...request,
    },
    answer: () => {},
    arrivedAtMs,
  };
}

function inFlight(byMerchant: Record<string, number> = {}, byRoom: Record<string, number> = {}): InFlightCounts {
  return { byMerchant: new Map(Object.entries(byMerchant)), byRoom: new Map(Object.entries(byRoom)) };
}

/** Serves everyone and gives the keys in the order of service; nobody's slot ends meanwhile. */
function serveAll(queue: AdmissionQueue, counts: InFlightCounts, nowMs = 0): string[] {
  const byMerchant = new Map(counts.byMerchant);
  const byRoom = new Map(counts.byRoom);
  const keys: string[] = [];
  for (;;) {
    const turn = queue.first({ nowMs, inFlight: { byMerchant, byRoom }, withBackground: true });
    if (turn === null) return keys;
    const { key, merchant, room } = turn.request;
    queue.remove(key);
    queue.noteServed(turn.request);
    keys.push(key);
    byMerchant.set(merchant, (byMerchant.get(merchant) ?? 0) + 1);
    byRoom.set(room, (byRoom.get(room) ?? 0) + 1);
  }
}

function queueOf(turns: readonly WaitingTurn[]): AdmissionQueue {
  const queue = new AdmissionQueue();
  for (const turn of turns) queue.add(turn);
  return queue;
}

describe("AdmissionQueue", () => {
  it.for<{ name: string; loser: Waiting; winner: Waiting; counts?: InFlightCounts; nowMs?: number }>([
    {
      name: "lower priority before least in flight",
      loser: { merchant: "idle" },
      winner: { priority: 0, merchant: "busy" },
      counts: inFlight({ busy: 5 }),
    },
    {
      name: "the merchant with least in flight before the room with least",
      loser: { merchant: "busy", room: "idle" },
      winner: { merchant: "idle", room: "busy" },
      counts: inFlight({ busy: 2, idle: 1 }, { busy: 1 }),
    },
    {
      name: "the room with least in flight before the earliest deadline",
      loser: { room: "busy", deadlineAtMs: 1 },
      winner: { room: "idle" },
      counts: inFlight({ m: 2 }, { busy: 2 }),
    },
    { name: "the earliest deadline before arrival", loser: { deadlineAtMs: 2 }, winner: { deadlineAtMs: 1 } },
    {
      name: "a class higher with age",
      loser: { priority: 7 },
      winner: { priority: 8, waitMsMax: 100, deadlineAtMs: 59_999 },
      nowMs: 51,
    },
    {
      name: "no class higher before half of the wait",
      loser: { priority: 8, waitMsMax: 100 },
      winner: { priority: 7 },
      nowMs: 50,
    },
    {
      name: "turns before aged work in the background",
      loser: { priority: 9, waitMsMax: 100, deadlineAtMs: 99 },
      winner: {},
      nowMs: 98,
    },
    {
      name: "turns before the aged class below",
      loser: { priority: 5, waitMsMax: 100, deadlineAtMs: 99 },
      winner: {},
      nowMs: 98,
    },
    {
      name: "resumed turns before aged turns",
      loser: { waitMsMax: 100, deadlineAtMs: 99 },
      winner: { priority: 3 },
      nowMs: 98,
    },
  ])("serves $name", ({ loser, winner, counts = inFlight(), nowMs = 0 }, { expect }) => {
    const queue = queueOf([aTurn({ ...loser, key: "loser" }), aTurn({ ...winner, key: "winner" })]);
    const first = queue.first({ nowMs, inFlight: counts, withBackground: true });
    expect(first?.request.key).toBe("winner");
  });

  it("serves in order of arrival when all else is equal", ({ expect }) => {
    const queue = queueOf(["c", "a", "b"].map((key) => aTurn({ key })));
    expect(serveAll(queue, inFlight())).toEqual(["c", "a", "b"]);
  });

  it.for([
    { name: "merchants", first: { merchant: "a", room: "x" }, second: { merchant: "b", room: "y" } },
    { name: "rooms of a merchant", first: { room: "a" }, second: { room: "b" } },
  ])(
    "serves $name in turn although each has its slot back before the next is free",
    ({ first, second }, { expect }) => {
      const waiting = [first, first, first, second, second].map((one, index) => aTurn({ key: `w${index}`, ...one }));
      const queue = queueOf(waiting);
      const keys: string[] = [];
      for (;;) {
        const turn = queue.first({ nowMs: 0, inFlight: inFlight(), withBackground: true });
        if (turn === null) break;
        queue.remove(turn.request.key);
        queue.noteServed(turn.request);
        keys.push(turn.request.key);
      }
      expect(keys).toEqual(["w0", "w3", "w1", "w4", "w2"]);
    },
  );

  it("passes over work in the background that may not be served, also when it is aged", ({ expect }) => {
    const queue = queueOf([
      aTurn({ key: "b", priority: 9, waitMsMax: 10, deadlineAtMs: 5 }),
      aTurn({ key: "t", priority: 8 }),
    ]);
    const at = { nowMs: 9, inFlight: inFlight(), withBackground: false };
    expect(queue.first(at)?.request.key).toBe("t");
    queue.remove("t");
    expect(queue.first(at)).toBeNull();
  });

  it("a wait ends with the longest wait or the deadline, whichever is first", ({ expect }) => {
    expect(waitEndsAtMs(aTurn({ arrivedAtMs: 5, waitMsMax: 10, deadlineAtMs: 99 }))).toBe(15);
    expect(waitEndsAtMs(aTurn({ arrivedAtMs: 5, waitMsMax: 10, deadlineAtMs: 12 }))).toBe(12);
  });

  describe("countAhead", () => {
    const flood = (count: number, request: Waiting): WaitingTurn[] =>
      Array.from({ length: count }, (_, index) => aTurn({ ...request, key: `flood/${index}` }));

    it.for<{ name: string; waiting: WaitingTurn[]; counts?: InFlightCounts; request?: Waiting; ahead: number }>([
      { name: "nobody", waiting: [], ahead: 0 },
      { name: "all of its room with an earlier or equal deadline", waiting: flood(3, {}), ahead: 3 },
      { name: "none of its room with a later deadline", waiting: flood(3, { deadlineAtMs: 60_001 }), ahead: 0 },
      { name: "all of a higher class", waiting: flood(3, { priority: 0, merchant: "other" }), ahead: 3 },
      { name: "none of a lower class", waiting: flood(3, { priority: 9 }), ahead: 0 },
      { name: "one of another merchant's flood", waiting: flood(30, { merchant: "loud" }), ahead: 1 },
      {
        name: "another merchant's flood until it is level",
        waiting: flood(30, { merchant: "loud" }),
        counts: inFlight({ m: 4, loud: 2 }),
        ahead: 3,
      },
      {
        name: "none of a merchant that has more in flight",
        waiting: flood(30, { merchant: "loud" }),
        counts: inFlight({ m: 1, loud: 2 }),
        ahead: 0,
      },
      { name: "one of another room's flood", waiting: flood(30, { room: "loud" }), ahead: 1 },
    ])("counts $name", ({ waiting, counts = inFlight(), request = {}, ahead }, { expect }) => {
      const { request: asked } = aTurn({ key: "r/new", ...request });
      expect(queueOf(waiting).countAhead(asked, 0, counts)).toBe(ahead);
    });

    it("never counts fewer than are served before, while nobody's slot ends", ({ expect }) => {
      const turn = fc.record({
        merchant: fc.constantFrom("a", "b"),
        index: fc.nat(2),
        priority: fc.constantFrom(0, 4),
      });
      fc.assert(
        fc.property(fc.array(turn, { maxLength: 15 }), turn, (waiting, asked) => {
          // Deadlines in order of arrival, as of turns with the same limit on time.
          const build = (one: typeof asked, at: number): WaitingTurn =>
            aTurn({
              key: `k${at}`,
              merchant: one.merchant,
              room: `${one.merchant}${one.index}`,
              priority: one.priority,
              deadlineAtMs: 1_000 + at,
            });
          const queue = queueOf(waiting.map(build));
          const last = build(asked, waiting.length);
          const counted = queue.countAhead(last.request, 0, inFlight());
          queue.add(last);
          expect(counted).toBeGreaterThanOrEqual(serveAll(queue, inFlight()).indexOf(last.request.key));
        }),
      );
    });
  });

  describe("displacedBy", () => {
    it.for<{ name: string; waiting: Waiting[]; request: Waiting; displaced: string | null }>([
      {
        name: "the last of a lower class",
        waiting: [{ priority: 9 }, { priority: 9 }, {}],
        request: {},
        displaced: "w1",
      },
      { name: "nobody of a higher class", waiting: [{ priority: 0 }], request: {}, displaced: null },
      { name: "nobody of its own merchant", waiting: [{}, {}, {}], request: {}, displaced: null },
      {
        name: "the last of the loudest merchant",
        waiting: [
          { merchant: "b" },
          { merchant: "loud" },
          { merchant: "loud" },
          { merchant: "b" },
          { merchant: "loud" },
        ],
        request: { merchant: "new" },
        displaced: "w4",
      },
      {
        name: "nobody when that would only turn the tables",
        waiting: [{ merchant: "a" }, { merchant: "b" }, { merchant: "a" }],
        request: { merchant: "b" },
        displaced: null,
      },
    ])("gives up $name", ({ waiting, request, displaced }, { expect }) => {
      const queue = queueOf(waiting.map((one, index) => aTurn({ key: `w${index}`, ...one })));
      expect(queue.displacedBy(aTurn({ key: "new", ...request }).request)?.request.key ?? null).toBe(displaced);
    });
  });
});
