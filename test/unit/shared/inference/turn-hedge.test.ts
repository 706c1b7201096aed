/** A second call of a turn, when the first is silent for long. */
import { describe, it } from "vitest";
import { FakeEndpoint, aCandidate, done, failed, text } from "../../../helpers/fake-endpoints.ts";
import { END, SlowAdmissions, aRequest, aTurn, collect, endOf, said, servedBy, settled } from "./turn-bench.ts";

describe("TurnModel, with a hedge", () => {
  it("hears whoever speaks first when a hedge is due, and closes the other call", async ({ expect }) => {
    const slow = new FakeEndpoint("a", ["hangs"]);
    const quick = new FakeEndpoint("b", [...text("有货。"), done]);
    const { model, time, admissions } = aTurn([aCandidate("h20-a", slow), aCandidate("h20-b", quick)], {
      policy: { hedgeAfterMs: 400 },
    });
    const parts = collect(model);
    await settled();
    time.advance(400);
    const all = await parts;
    expect([said(all), slow.aborted]).toEqual(["有货。", [0]]);
    expect(servedBy(all)).toMatchObject({ endpoint: "h20-b", tries: [{ endpoint: "h20-a", code: "hedged" }] });
    expect(admissions.cancelled).toEqual(["h20-a"]);
  });

  it("asks none of two endpoints again that both failed under a hedge", async ({ expect }) => {
    const abort = Promise.withResolvers<void>();
    const slow = new FakeEndpoint("a", ["hangs"]);
    const broken = new FakeEndpoint("b", [failed("model_unavailable")]);
    // The own endpoint fails after the hedge has.
    slow.stream = async function* (call) {
      slow.calls.push(call);
      await abort.promise;
      yield failed("model_timed_out");
    };
    const { model, time, admissions } = aTurn([aCandidate("h20-a", slow), aCandidate("h20-b", broken)], {
      policy: { hedgeAfterMs: 400 },
    });
    const parts = collect(model);
    await settled();
    time.advance(400);
    await settled();
    abort.resolve();
    const all = await parts;
    expect([said(all), slow.calls.length, broken.calls.length]).toEqual(["库存充足。", 1, 1]);
    expect(servedBy(all)?.tries.map(({ endpoint, code }) => [endpoint, code])).toEqual([
      ["h20-b", "model_unavailable"],
      ["h20-a", "model_timed_out"],
    ]);
    expect(admissions.reports.map(({ endpoint }) => endpoint)).toEqual(["h20-b", "h20-a"]);
    expect(admissions.cancelled).toEqual(["h20-b", "h20-a"]);
  });

  it("goes to the hedge's endpoint when its own fails while the slot there is asked for", async ({ expect }) => {
    const fails = Promise.withResolvers<void>();
    const own = new FakeEndpoint("a");
    own.stream = async function* () {
      await fails.promise;
      yield failed("model_unavailable");
    };
    const other = new FakeEndpoint("b", [...text("有货。"), done]);
    const admissions = new SlowAdmissions("h20-b");
    const { model, time } = aTurn([aCandidate("h20-a", own), aCandidate("h20-b", other)], {
      admissions,
      policy: { hedgeAfterMs: 400 },
    });
    const parts = collect(model);
    await settled();
    time.advance(400);
    await settled();
    fails.resolve();
    await settled();
    admissions.letGo();
    expect([said(await parts), admissions.asked.length, admissions.cancelled]).toEqual(["有货。", 2, ["h20-a"]]);
  });

  it("does not keep words waiting for a hedge's slot, and gives that back", async ({ expect }) => {
    const speaks = Promise.withResolvers<void>();
    const own = new FakeEndpoint("a");
    own.stream = async function* () {
      await speaks.promise;
      yield* [...text("有货。"), done];
    };
    const other = new FakeEndpoint("b");
    const admissions = new SlowAdmissions("h20-b");
    const { model, time } = aTurn([aCandidate("h20-a", own), aCandidate("h20-b", other)], {
      admissions,
      policy: { hedgeAfterMs: 400 },
    });
    const parts = collect(model);
    await settled();
    time.advance(400);
    await settled();
    speaks.resolve();
    expect([said(await parts), other.calls.length]).toEqual(["有货。", 0]);
    const closing = model.close(END);
    admissions.letGo();
    await closing;
    expect([admissions.cancelled, admissions.reports.map(({ endpoint }) => endpoint)]).toEqual([["h20-b"], ["h20-a"]]);
  });

  it("sends no hedge where the harness allows none", async ({ expect }) => {
    const slow = new FakeEndpoint("a", ["hangs"]);
    const other = new FakeEndpoint("b", [...text("有货。"), done]);
    const abort = new AbortController();
    const { model, time } = aTurn([aCandidate("h20-a", slow), aCandidate("h20-b", other)]);
    const parts = collect(model, aRequest({ signal: abort.signal }));
    await settled();
    time.advance(5_000);
    await settled();
    abort.abort();
    expect([endOf(await parts), other.calls.length]).toMatchObject([{ finish: "aborted" }, 0]);
  });
});
