import { describe, it } from "vitest";
import type { ApiFailure } from "../../../../shared/client/client-error.ts";
import {
  BATCH_MESSAGES_MAX,
  BATCH_WAIT_MS,
  INTAKE_LIMITS,
  type IntakeLimits,
  MessageIntake,
} from "../../../../shared/client/message-intake.ts";
import type { Disposition, MessagesTaken, ViewerMessage } from "../../../../shared/contract/message.ts";
import { fail, ok, type Result } from "../../../../shared/core/result.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";

type Answer = Result<MessagesTaken, ApiFailure>;
type Request = { readonly messages: readonly ViewerMessage[]; readonly answer: (given: Answer) => Promise<void> };

const dispositionOf = ({ id }: ViewerMessage, seq: number): Disposition => ({
  id,
  disposition: "queued",
  reason: null,
  turn: `t${seq}`,
  seq,
});
const busy = (retryAfterMs: number | null, status = 429): Answer =>
  fail({ code: "room_backlog_full", status, title: "", retryAfterMs });
const failure = (code: string, status: number): Answer => fail({ code, status, title: "", retryAfterMs: null });
const BACKLOG = { waiting: 3, max: 200 };
const taken = ({ messages }: Request): Answer => ok({ results: messages.map(dispositionOf), backlog: BACKLOG });

/** Lets promises that are ready go on. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** An intake whose requests the test answers. */
function anIntake(limits: Partial<IntakeLimits> = {}) {
  const time = new FakeTime();
  const requests: Request[] = [];
  /** Why the room was away, and `null` for when it was back. */
  const away: (string | null)[] = [];
  const intake = new MessageIntake({
    timer: time,
    elapsedMs: () => time.nowMs(),
    random: () => 0,
    limits: { ...INTAKE_LIMITS, ...limits },
    onAway: (failure) => void away.push(failure?.code ?? null),
    postMessages: (messages) =>
      new Promise((resolve) => {
        const answer = async (given: Answer): Promise<void> => {
          resolve(given);
          await settled();
        };
        requests.push({ messages, answer });
      }),
  });
  /** Posts, and keeps what becomes of each: its turn, or the code of its failure. */
  const fates: Record<string, string> = {};
  const post = (id: string, fields: Partial<ViewerMessage> = {}): void => {
    intake.post({ id, text: "在吗", ...fields }).then(
      ({ turn }) => void (fates[id] = turn ?? "none"),
      (thrown: { code: string }) => void (fates[id] = thrown.code),
    );
  };
  const request = (index: number): Request => {
    const found = requests[index];
    if (found === undefined) throw new Error(`there is no request ${index}`);
    return found;
  };
  const idsOf = (index: number) => request(index).messages.map(({ id }) => id);
  return { intake, time, requests, request, idsOf, post, fates, away };
}

const many = (count: number, first = 0) => Array.from({ length: count }, (_, index) => `m${first + index}`);

describe("MessageIntake", () => {
  it("sends what comes within the time as one batch, and gives each message its own disposition", async ({
    expect,
  }) => {
    const { intake, time, requests, request, idsOf, post, fates } = anIntake();
    for (const id of ["a", "b"]) post(id);
    time.advance(BATCH_WAIT_MS - 1);
    post("c");
    expect(requests).toHaveLength(0);
    time.advance(1);
    expect(idsOf(0)).toEqual(["a", "b", "c"]);
    expect(intake.pending).toBe(3);
    await request(0).answer(taken(request(0)));
    expect(fates).toEqual({ a: "t0", b: "t1", c: "t2" });
    expect([intake.pending, intake.backlog, time.pendingCount]).toEqual([0, BACKLOG, 0]);
  });

  it("sends a full batch at once", ({ expect }) => {
    const { time, requests, idsOf, post } = anIntake();
    for (const id of many(BATCH_MESSAGES_MAX + 1)) post(id);
    expect([requests.length, idsOf(0)]).toEqual([1, many(BATCH_MESSAGES_MAX)]);
    time.advance(BATCH_WAIT_MS);
    expect(idsOf(1)).toEqual([`m${BATCH_MESSAGES_MAX}`]);
  });

  it("keeps no more requests in flight than it may, and gathers meanwhile", async ({ expect }) => {
    const { time, requests, request, idsOf, post } = anIntake({ inFlightMax: 2 });
    for (const id of many(BATCH_MESSAGES_MAX * 2)) post(id);
    for (const id of ["x", "y"]) post(id);
    time.advance(BATCH_WAIT_MS * 3);
    expect(requests).toHaveLength(2);
    await request(1).answer(taken(request(1)));
    expect(idsOf(2)).toEqual(["x", "y"]);
  });

  it("takes dispositions by id, whatever their order", async ({ expect }) => {
    const { time, request, post, fates } = anIntake();
    for (const id of ["a", "b", "c"]) post(id);
    time.advance(BATCH_WAIT_MS);
    const [a, b] = request(0).messages.map(dispositionOf);
    await request(0).answer(ok({ results: [b, a].filter((result) => result !== undefined), backlog: BACKLOG }));
    expect(fates).toEqual({ a: "t0", b: "t1", c: "not_an_answer" });
  });

  it.for([
    { name: "a network that is away", answer: failure("network", 0), waitMs: 500 },
    { name: "an answer that is late", answer: failure("timed_out", 0), waitMs: 500 },
    { name: "a full room that names a time", answer: busy(3_000), waitMs: 3_000 },
    { name: "a full room that names none", answer: busy(null), waitMs: 500 },
    { name: "a server that is down for a time", answer: busy(2_000, 503), waitMs: 2_000 },
    { name: "a failure that may be sent again", answer: busy(1_000, 500), waitMs: 1_000 },
    { name: "a time beyond what anybody waits", answer: busy(3_600_000), waitMs: 60_000 },
  ])("sends the same ids again after $name", async ({ answer, waitMs }, { expect }) => {
    const { time, requests, request, idsOf, post, fates } = anIntake({ patienceMs: 600_000 });
    for (const id of ["a", "b"]) post(id);
    time.advance(BATCH_WAIT_MS);
    await request(0).answer(answer);
    time.advance(waitMs - 1);
    expect(requests).toHaveLength(1);
    time.advance(1);
    expect(idsOf(1)).toEqual(["a", "b"]);
    await request(1).answer(taken(request(1)));
    expect(fates).toEqual({ a: "t0", b: "t1" });
  });

  it("sends what was refused before what came later, one request until there is an answer", async ({ expect }) => {
    const { time, requests, request, idsOf, post } = anIntake({ inFlightMax: 3 });
    for (const id of many(BATCH_MESSAGES_MAX * 2)) post(id);
    await request(0).answer(busy(1_000));
    await request(1).answer(busy(1_000));
    for (const id of many(BATCH_MESSAGES_MAX, 500)) post(id);
    time.advance(999);
    expect(requests).toHaveLength(2);
    time.advance(1);
    expect([requests.length, idsOf(2)]).toEqual([3, many(BATCH_MESSAGES_MAX)]);
    await request(2).answer(taken(request(2)));
    expect(idsOf(3)).toEqual(many(BATCH_MESSAGES_MAX, BATCH_MESSAGES_MAX));
    expect(idsOf(4)).toEqual(many(BATCH_MESSAGES_MAX, 500));
  });

  it("waits longer after each failure in a row, and counts those of one moment once", async ({ expect }) => {
    const { time, requests, request, post } = anIntake({ inFlightMax: 2 });
    for (const id of many(BATCH_MESSAGES_MAX * 2)) post(id);
    await request(0).answer(failure("network", 0));
    await request(1).answer(failure("network", 0));
    time.advance(500);
    await request(2).answer(failure("network", 0));
    time.advance(999);
    expect(requests).toHaveLength(3);
    time.advance(1);
    expect(requests).toHaveLength(4);
  });

  it.for([
    { name: "a refusal that stands", answer: failure("forbidden", 403), code: "forbidden" },
    { name: "an answer that is none", answer: failure("not_an_answer", 200), code: "not_an_answer" },
  ])("gives up after $name, with its code", async ({ answer, code }, { expect }) => {
    const { intake, time, requests, request, post, fates } = anIntake();
    for (const id of ["a", "b"]) post(id);
    time.advance(BATCH_WAIT_MS);
    await request(0).answer(answer);
    expect(fates).toEqual({ a: code, b: code });
    expect([intake.pending, time.pendingCount, requests.length]).toEqual([0, 0, 1]);
  });

  it("finds the one message that the API does not take, and sends the others", async ({ expect }) => {
    const { intake, time, requests, post, fates } = anIntake();
    const ids = many(9);
    for (const id of ids) post(id);
    time.advance(BATCH_WAIT_MS);
    for (let index = 0; index < requests.length; index += 1) {
      const request = requests[index];
      const isBad = request?.messages.some(({ id }) => id === "m4") ?? false;
      if (request !== undefined) await request.answer(isBad ? failure("invalid_request", 400) : taken(request));
    }
    expect(Object.keys(fates).toSorted()).toEqual(ids);
    expect(ids.filter((id) => fates[id] === "invalid_request")).toEqual(["m4"]);
    expect([intake.pending, requests.length]).toEqual([0, 7]);
  });

  it("refuses what does not fit, at once, and has room again after an answer", async ({ expect }) => {
    const { intake, time, request, post, fates } = anIntake({ pendingMax: 2 });
    for (const id of ["a", "b"]) post(id);
    expect(intake.isFull).toBe(true);
    post("c");
    await settled();
    expect(fates).toEqual({ c: "queue_full" });
    time.advance(BATCH_WAIT_MS);
    expect(intake.isFull).toBe(true);
    await request(0).answer(taken(request(0)));
    expect([intake.isFull, intake.pending]).toEqual([false, 0]);
  });

  it("drops the oldest that waits when it is to, and never what is in flight", async ({ expect }) => {
    const { time, request, post, fates, idsOf } = anIntake({ pendingMax: 3, inFlightMax: 1, whenFull: "drop-oldest" });
    for (const id of ["a", "b"]) post(id);
    time.advance(BATCH_WAIT_MS);
    for (const id of ["c", "d"]) post(id);
    await settled();
    expect(fates).toEqual({ c: "queue_full" });
    await request(0).answer(taken(request(0)));
    time.advance(BATCH_WAIT_MS);
    expect(idsOf(1)).toEqual(["d"]);
  });

  it("refuses the new one when all that is pending is in flight", async ({ expect }) => {
    const { time, post, fates } = anIntake({ pendingMax: 1, whenFull: "drop-oldest" });
    post("a");
    time.advance(BATCH_WAIT_MS);
    post("b");
    await settled();
    expect(fates).toEqual({ b: "queue_full" });
  });

  it("tells once that the room is away, and once that it is back", async ({ expect }) => {
    const { time, request, post, away } = anIntake();
    post("a");
    time.advance(BATCH_WAIT_MS);
    await request(0).answer(failure("network", 0));
    time.advance(500);
    await request(1).answer(busy(1_000));
    expect(away).toEqual(["network"]);
    time.advance(1_000);
    await request(2).answer(taken(request(2)));
    expect(away).toEqual(["network", null]);
  });

  it("finishes at once: sends what waits, nothing again, and takes no more", async ({ expect }) => {
    const { intake, time, request, post, fates } = anIntake({ inFlightMax: 1 });
    for (const id of many(BATCH_MESSAGES_MAX)) post(id);
    post("waits");
    const finished = intake.finish().then(() => void (fates["all"] = "finished"));
    post("late");
    await request(0).answer(taken(request(0)));
    expect([fates["late"], fates["all"], request(1).messages.length]).toEqual(["closed", undefined, 1]);
    await request(1).answer(busy(1_000));
    await finished;
    expect([fates["m0"], fates["waits"], time.pendingCount]).toEqual(["t0", "closed", 0]);
  });

  it("gives up all that waits when it finishes and the room is away", async ({ expect }) => {
    const { intake, requests, request, post, fates } = anIntake({ inFlightMax: 1 });
    for (const id of many(BATCH_MESSAGES_MAX + 1)) post(id);
    const finished = intake.finish();
    await request(0).answer(failure("network", 0));
    await finished;
    expect([requests.length, fates["m0"], fates[`m${BATCH_MESSAGES_MAX}`]]).toEqual([1, "closed", "closed"]);
  });

  it("finishes at once where nothing is pending", async ({ expect }) => {
    await expect(anIntake().intake.finish()).resolves.toBeUndefined();
  });

  it("gives up messages that are too old, each by its own time, and tells the room what time is left", async ({
    expect,
  }) => {
    const { time, request, post, fates } = anIntake({ patienceMs: 4_000 });
    post("short", { ttlMs: 1_000 });
    post("patient");
    post("long", { ttlMs: 10_000 });
    time.advance(BATCH_WAIT_MS);
    await request(0).answer(busy(2_000));
    time.advance(2_000);
    await settled();
    expect(fates).toEqual({ short: "expired" });
    expect(request(1).messages).toEqual([
      { id: "patient", text: "在吗" },
      { id: "long", text: "在吗", ttlMs: 7_900 },
    ]);
    await request(1).answer(busy(2_000));
    time.advance(2_000);
    await settled();
    expect(fates).toEqual({ short: "expired", patient: "expired" });
  });

  it("gives up what waits when it closes, and lets what is in flight be answered", async ({ expect }) => {
    const { intake, time, request, post, fates } = anIntake({ inFlightMax: 2 });
    for (const id of many(BATCH_MESSAGES_MAX * 2)) post(id);
    post("waits");
    intake.close();
    post("late");
    await request(0).answer(taken(request(0)));
    await request(1).answer(busy(1_000));
    expect([fates["waits"], fates["late"], fates["m0"], fates["m100"]]).toEqual(["closed", "closed", "t0", "closed"]);
    expect([intake.pending, time.pendingCount]).toEqual([0, 0]);
  });
});
