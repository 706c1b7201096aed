/** Where a turn's calls go, what they leave behind, and that no word comes twice. */
import { describe, it } from "vitest";
import { FakeAdmissions, FakeEndpoint, aCandidate, done, failed, text } from "../../../helpers/fake-endpoints.ts";
import {
  DEADLINE_MS,
  END,
  SlowAdmissions,
  aRequest,
  aTurn,
  collect,
  endOf,
  said,
  servedBy,
  settled,
} from "./turn-bench.ts";

describe("TurnModel", () => {
  it("serves a call at the room's endpoint, with its priority, salt and time", async ({ expect }) => {
    const own = new FakeEndpoint("qwen", [...text("39.9", "元。"), done]);
    const { model, admissions } = aTurn([aCandidate("h20-a", own)]);
    const parts = await collect(model);
    expect(said(parts)).toBe("39.9元。");
    expect(own.calls[0]).toMatchObject({ priority: 4, cacheSalt: "5a", totalTimeoutMs: DEADLINE_MS - 350 });
    expect(servedBy(parts)).toMatchObject({ endpoint: "h20-a", model: "qwen", tier: "main", tries: [] });
    await model.close(END);
    expect(admissions.reports).toMatchObject([{ endpoint: "h20-a", report: { calls: [{ failure: null }], end: END } }]);
    expect(model.admission()).toEqual({ endpoint: "h20-a", waitedMs: 0, local: false, refusals: [] });
  });

  it("gives its slot back when it asks no more, and tells of its end later", async ({ expect }) => {
    const { model, admissions } = aTurn([aCandidate("h20-a", new FakeEndpoint("m", [...text("好。"), done]))]);
    await collect(model);
    await model.release();
    expect(admissions.cancelled).toEqual(["h20-a"]);
    await model.close(END);
    expect(admissions.reports).toMatchObject([
      { endpoint: "h20-a", report: { calls: [{ failure: null }], end: null } },
      { endpoint: "h20-a", report: { calls: [], end: END } },
    ]);
  });

  it("asks for its slot before the first call", ({ expect }) => {
    const { admissions } = aTurn([aCandidate("h20-a", new FakeEndpoint("m"))]);
    expect(admissions.asked).toMatchObject([{ endpoint: "h20-a", request: { key: "room-1/t1", merchant: "m1" } }]);
  });

  it("moves to the next endpoint when a call fails before it said anything, and tells of it at once", async ({
    expect,
  }) => {
    const broken = new FakeEndpoint("a", [failed("model_unavailable")]);
    const good = new FakeEndpoint("b", [...text("有货。"), done]);
    const { model, admissions } = aTurn([aCandidate("h20-a", broken), aCandidate("h20-b", good)]);
    const parts = await collect(model);
    expect([said(parts), broken.calls.length]).toEqual(["有货。", 1]);
    expect(servedBy(parts)).toMatchObject({
      endpoint: "h20-b",
      tries: [{ endpoint: "h20-a", code: "model_unavailable" }],
    });
    expect(admissions.reports[0]).toMatchObject({
      endpoint: "h20-a",
      report: { end: null, calls: [{ failure: { code: "model_unavailable" } }] },
    });
    expect(admissions.cancelled).toEqual(["h20-a"]);
    await collect(model);
    expect(broken.calls.length).toBe(1);
  });

  it("never repeats a call that has said something; the next one goes elsewhere", async ({ expect }) => {
    const cut = new FakeEndpoint("a", [...text("这款有"), failed("model_stream_broken")]);
    const good = new FakeEndpoint("b", [...text("货。"), done]);
    const { model } = aTurn([aCandidate("h20-a", cut), aCandidate("h20-b", good)]);
    const first = await collect(model);
    expect([said(first), endOf(first), good.calls.length]).toMatchObject([
      "这款有",
      { code: "model_stream_broken" },
      0,
    ]);
    expect([said(await collect(model)), cut.calls.length]).toEqual(["货。", 1]);
  });

  it("asks an only endpoint that broke off once more; then the policy inside the Worker goes on", async ({
    expect,
  }) => {
    const cut = new FakeEndpoint("a", [...text("这款有"), failed("model_stream_broken")]);
    const { model, offline, admissions } = aTurn([aCandidate("h20-a", cut)]);
    await collect(model);
    expect([said(await collect(model)), offline.calls.length]).toEqual(["这款有", 0]);
    expect([said(await collect(model)), cut.calls.length]).toEqual(["库存充足。", 2]);
    expect(admissions.cancelled).toEqual(["h20-a"]);
  });

  it("does not go back to an only endpoint that stalled, nor away from it where there is no other policy", async ({
    expect,
  }) => {
    for (const [offlineFallback, next] of [
      [true, "库存充足。"],
      [false, "这款有"],
    ] as const) {
      const stalled = new FakeEndpoint("a", [...text("这款有"), failed("model_stalled")]);
      const { model } = aTurn([aCandidate("h20-a", stalled)], { policy: { offlineFallback } });
      await collect(model);
      expect(said(await collect(model))).toBe(next);
    }
  });

  it("asks the policy inside the Worker when every endpoint is out", async ({ expect }) => {
    const { model, admissions } = aTurn([
      aCandidate("h20-a", new FakeEndpoint("a", [failed("model_misconfigured")])),
      aCandidate("small", new FakeEndpoint("b", [failed("model_timed_out")]), "fallback"),
    ]);
    const parts = await collect(model);
    expect(said(parts)).toBe("库存充足。");
    expect(servedBy(parts)).toMatchObject({
      endpoint: "offline",
      tier: "offline",
      tries: [
        { endpoint: "h20-a", code: "model_misconfigured" },
        { endpoint: "small", code: "model_timed_out" },
      ],
    });
    await model.close(END);
    expect(admissions.reports.at(-1)).toMatchObject({ endpoint: "offline", report: { end: END } });
  });

  it("ends with the last endpoint's code where the harness wants no other policy, and tells of it once", async ({
    expect,
  }) => {
    const only = new FakeEndpoint("a", [failed("model_timed_out")]);
    const { model, offline, admissions } = aTurn([aCandidate("h20-a", only)], { policy: { offlineFallback: false } });
    const parts = await collect(model);
    expect(endOf(parts)).toMatchObject({ finish: "error", code: "model_timed_out" });
    expect(servedBy(parts)).toMatchObject({ endpoint: "h20-a", tries: [] });
    expect([offline.calls.length, admissions.reports.length]).toEqual([0, 1]);
  });

  it("ends as unavailable where no endpoint takes the turn and the harness wants no other policy", async ({
    expect,
  }) => {
    const admissions = new FakeAdmissions({ "h20-a": { admitted: false, reason: "queue_full", expectedWaitMs: 0 } });
    const { model } = aTurn([aCandidate("h20-a", new FakeEndpoint("a"))], {
      admissions,
      policy: { offlineFallback: false },
    });
    expect(endOf(await collect(model))).toMatchObject({ finish: "error", code: "model_unavailable" });
  });

  it("asks an only endpoint again after a wait that grows, then gives up on it", async ({ expect }) => {
    const only = new FakeEndpoint("a", [failed("model_unavailable")]);
    const { model, time } = aTurn([aCandidate("h20-a", only)]);
    const parts = collect(model);
    await settled();
    time.advance(149);
    await settled();
    expect(only.calls.length).toBe(1);
    time.advance(1);
    await settled();
    expect(only.calls.length).toBe(2);
    time.advance(300);
    expect([said(await parts), only.calls.length]).toEqual(["库存充足。", 3]);
  });

  it("asks an only endpoint three times a turn at most, in however many calls", async ({ expect }) => {
    const only = new FakeEndpoint("a", [failed("model_timed_out")]);
    const { model } = aTurn([aCandidate("h20-a", only)], { policy: { offlineFallback: false } });
    const codes = [];
    for (let call = 0; call < 4; call += 1) codes.push(endOf(await collect(model)));
    expect(only.calls.length).toBe(3);
    expect(codes.map((end) => end?.type === "end" && end.code)).toEqual([
      "model_timed_out",
      "model_timed_out",
      "model_timed_out",
      "model_unavailable",
    ]);
  });

  it("waits as long as a busy server asks, if the turn has the time", async ({ expect }) => {
    const only = new FakeEndpoint("a", [failed("model_rate_limited", 1_000)], [...text("有。"), done]);
    const { model, time } = aTurn([aCandidate("h20-a", only)]);
    const parts = collect(model);
    await settled();
    time.advance(999);
    await settled();
    expect(only.calls.length).toBe(1);
    time.advance(1);
    expect(said(await parts)).toBe("有。");
  });

  it("does not wait for a server that asks for more than half of the turn's time", async ({ expect }) => {
    const { model } = aTurn([aCandidate("h20-a", new FakeEndpoint("a", [failed("model_rate_limited", 5_000)]))]);
    expect(said(await collect(model))).toBe("库存充足。");
  });

  it("goes where the wait is bearable when nobody is free, then to the fallback tier, and records why", async ({
    expect,
  }) => {
    const fallback = new FakeEndpoint("s", [...text("在的。"), done]);
    const admissions = new FakeAdmissions({
      "h20-a": { admitted: false, reason: "busy", expectedWaitMs: 4_000 },
      "h20-b": { admitted: false, reason: "breaker_open", expectedWaitMs: 0 },
    });
    const { model } = aTurn(
      [
        aCandidate("h20-a", new FakeEndpoint("a")),
        aCandidate("h20-b", new FakeEndpoint("b")),
        aCandidate("small", fallback, "fallback"),
      ],
      { admissions },
    );
    expect(servedBy(await collect(model))).toMatchObject({ endpoint: "small", tier: "fallback" });
    expect(model.admission()?.refusals).toEqual([
      { endpoint: "h20-a", reason: "busy", expectedWaitMs: 4_000 },
      { endpoint: "h20-b", reason: "breaker_open", expectedWaitMs: 0 },
    ]);
  });

  it("says nothing of an endpoint whose call the turn itself took back", async ({ expect }) => {
    const abort = new AbortController();
    const { model, admissions } = aTurn([aCandidate("h20-a", new FakeEndpoint("a", [...text("这款"), "hangs"]))]);
    const parts = collect(model, aRequest({ signal: abort.signal }));
    await settled();
    abort.abort();
    await parts;
    await model.close(END);
    expect(admissions.reports).toMatchObject([{ report: { calls: [{ failure: { code: "aborted" } }] } }]);
  });

  it("closes a call that its reader leaves, and tells of it", async ({ expect }) => {
    for (const lists of [1, 2]) {
      const own = new FakeEndpoint("a", [...text("这款", "有"), "hangs"]);
      const { model, admissions } = aTurn([aCandidate("h20-a", own)]);
      let seen = 0;
      for await (const _parts of model.stream(aRequest())) if ((seen += 1) === lists) break;
      await model.close(END);
      expect(own.aborted).toEqual([0]);
      expect(admissions.reports).toMatchObject([{ report: { calls: [{ failure: { code: "aborted" } }], end: END } }]);
    }
  });

  it("closes a call that failed before it asks the next endpoint", async ({ expect }) => {
    const broken = new FakeEndpoint("a", [failed("500"), "hangs"]);
    const { model } = aTurn([aCandidate("h20-a", broken), aCandidate("h20-b", new FakeEndpoint("b"))]);
    await collect(model);
    expect(broken.aborted).toEqual([0]);
  });

  it("ends at once when the turn is taken back while it waits to ask an only endpoint again", async ({ expect }) => {
    const abort = new AbortController();
    const only = new FakeEndpoint("a", [failed("model_rate_limited", 3_000)]);
    const { model } = aTurn([aCandidate("h20-a", only)]);
    const parts = collect(model, aRequest({ signal: abort.signal }));
    await settled();
    abort.abort();
    expect([endOf(await parts), only.calls.length]).toMatchObject([{ finish: "aborted" }, 1]);
  });

  it("asks nobody for a call that the turn took back before, and counts none", async ({ expect }) => {
    const abort = new AbortController();
    abort.abort();
    const own = new FakeEndpoint("a");
    const { model, offline, admissions } = aTurn([aCandidate("h20-a", own)]);
    const parts = await collect(model, aRequest({ signal: abort.signal }));
    await model.close(END);
    expect([parts, own.calls.length, offline.calls.length]).toMatchObject([[{ finish: "aborted" }], 0, 0]);
    expect([model.endpoint, admissions.reports]).toMatchObject(["h20-a", [{ report: { calls: [], end: END } }]]);
  });

  it("leaves the policy inside the Worker its time when no slot is found until then", async ({ expect }) => {
    const admissions = new SlowAdmissions("h20-a");
    const { model, time, offline } = aTurn([aCandidate("h20-a", new FakeEndpoint("a"))], { admissions });
    const parts = collect(model);
    await settled();
    time.advance(DEADLINE_MS - 351);
    await settled();
    expect(offline.calls.length).toBe(0);
    time.advance(1);
    expect(said(await parts)).toBe("库存充足。");
    const closing = model.close(END);
    admissions.letGo();
    await closing;
    expect(admissions.reports.map(({ endpoint, report }) => [endpoint, report.end])).toEqual([
      ["offline", null],
      ["h20-a", END],
    ]);
  });

  it("expects a cached prompt from the second call on, where the first was longer than any block", async ({
    expect,
  }) => {
    const usage = {
      type: "usage",
      usage: { inputTokens: 8_000, outputTokens: 20, cachedTokens: 0, estimated: false },
    } as const;
    const own = new FakeEndpoint("a", [...text("好。"), [usage, ...done]]);
    const { model, admissions } = aTurn([aCandidate("h20-a", own)]);
    await collect(model);
    await collect(model);
    await model.close(END);
    expect(admissions.reports[0]?.report.calls.map(({ expectsCache }) => expectsCache)).toEqual([false, true]);
  });

  it("without endpoints the policy inside the Worker answers, and nobody is asked for a slot", async ({ expect }) => {
    const { model, admissions } = aTurn([]);
    expect(said(await collect(model))).toBe("库存充足。");
    expect([model.admission(), model.endpoint, admissions.asked]).toEqual([null, "offline", []]);
  });
});
