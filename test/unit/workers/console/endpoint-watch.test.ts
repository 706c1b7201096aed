import { describe, it } from "vitest";
import { type Result, fail, ok } from "../../../../shared/core/result.ts";
import type { ApiFailure } from "../../../../shared/client/client-error.ts";
import type { KaiboApi } from "../../../../workers/console/api.ts";
import { REFRESH_MS, createEndpointWatch } from "../../../../workers/console/endpoint-watch.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";
import { anEndpointView } from "./an-endpoint-view.ts";

type Answer = Awaited<ReturnType<KaiboApi["listEndpoints"]>>;

/** A watch whose every reading waits for the test's answer. */
function aWatch() {
  const time = new FakeTime();
  const readings: ((answer: Answer) => void)[] = [];
  let changes = 0;
  const watch = createEndpointWatch({
    load: () => new Promise((resolve) => void readings.push(resolve)),
    timer: time,
    onChange: () => (changes += 1),
  });
  /** Answers a reading, the last one unless told which, and lets the watch take the answer in. */
  const answer = async (given: Answer, reading = readings.length - 1): Promise<void> => {
    readings[reading]?.(given);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { watch, time, answer, readingCount: () => readings.length, changeCount: () => changes };
}

const list = (...names: string[]): Answer => ok({ endpoints: names.map((name) => anEndpointView({ name })) });
const failure = (code: string, status: number): Result<never, ApiFailure> =>
  fail({ code, status, title: "", retryAfterMs: null });

describe("createEndpointWatch", () => {
  it("reads once for a new token, and no more while nobody looks", async ({ expect }) => {
    const { watch, time, answer, readingCount, changeCount } = aWatch();
    watch.restart();
    await answer(list("h20"));
    expect(watch.seen().endpoints?.map(({ name }) => name)).toEqual(["h20"]);
    expect([readingCount(), time.pendingCount, changeCount()]).toEqual([1, 0, 1]);
  });

  it("reads at once when somebody looks, then again after each answer, until nobody does", async ({ expect }) => {
    const { watch, time, answer, readingCount } = aWatch();
    watch.watch(true);
    expect(readingCount()).toBe(1);
    time.advance(REFRESH_MS);
    expect(readingCount()).toBe(1);
    await answer(list());
    time.advance(REFRESH_MS);
    expect(readingCount()).toBe(2);
    await answer(list());
    watch.watch(false);
    time.advance(REFRESH_MS);
    expect([readingCount(), time.pendingCount]).toEqual([2, 0]);
  });

  it("asks one question at a time, however often one looks and looks away", async ({ expect }) => {
    const { watch, time, answer, readingCount } = aWatch();
    for (const isLookedAt of [true, false, true]) watch.watch(isLookedAt);
    await answer(list());
    expect([readingCount(), time.pendingCount]).toEqual([1, 1]);
  });

  it("keeps what it saw when a reading fails, says why, and goes on", async ({ expect }) => {
    const { watch, time, answer } = aWatch();
    watch.watch(true);
    await answer(list("h20"));
    time.advance(REFRESH_MS);
    await answer(failure("network", 0));
    expect(watch.seen()).toMatchObject({ failure: { code: "network" }, isRefused: false });
    expect(watch.seen().endpoints).toHaveLength(1);
    time.advance(REFRESH_MS);
    await answer(list("h20", "l40"));
    expect(watch.seen().failure).toBeNull();
    expect(watch.seen().endpoints).toHaveLength(2);
  });

  it.for([401, 403, 404])("asks no more once it is refused with %d", async (status, { expect }) => {
    const { watch, time, answer } = aWatch();
    watch.watch(true);
    await answer(failure("forbidden", status));
    expect([watch.seen().isRefused, time.pendingCount]).toEqual([true, 0]);
  });

  it("does not take the answer to an earlier token for one to a later", async ({ expect }) => {
    const { watch, answer, readingCount } = aWatch();
    watch.restart();
    watch.restart();
    expect(readingCount()).toBe(2);
    await answer(list("of-the-first"), 0);
    expect(watch.seen().endpoints).toBeNull();
    await answer(list("of-the-second"), 1);
    expect(watch.seen().endpoints?.[0]?.name).toBe("of-the-second");
    watch.stop();
    expect(watch.seen()).toEqual({ endpoints: null, failure: null, isRefused: false });
  });
});
