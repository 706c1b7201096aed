import { describe, it } from "vitest";
import type { EndpointCall } from "../../../../shared/inference/endpoint-client.ts";
import { OpenCall } from "../../../../shared/inference/open-call.ts";
import { FakeEndpoint, done, failed, text, type ScriptedStream } from "../../../helpers/fake-endpoints.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";

const usage = {
  type: "usage",
  usage: { inputTokens: 8_000, outputTokens: 20, cachedTokens: 7_680, estimated: false, meanAcceptanceLength: 1.8 },
} as const;

function open(...stream: ScriptedStream) {
  const time = new FakeTime();
  const endpoint = new FakeEndpoint("m", stream);
  const call: EndpointCall = {
    messages: [],
    tools: [],
    temperature: 0.3,
    topP: null,
    maxOutputTokens: 100,
    thinking: false,
    firstByteTimeoutMs: 1_000,
    betweenChunksTimeoutMs: 1_000,
    callIdPrefix: "t1_0",
    priority: 4,
    cacheSalt: null,
    totalTimeoutMs: 5_000,
    signal: new AbortController().signal,
  };
  return { opened: new OpenCall(endpoint, call, time), endpoint, time };
}

async function drain(opened: OpenCall): Promise<number> {
  await opened.first;
  let lists = 1;
  for await (const _parts of opened.rest()) lists += 1;
  return lists;
}

describe("OpenCall", () => {
  it("reports tokens, times and acceptance of a call that served the turn", async ({ expect }) => {
    const { opened, time } = open(...text("有货。"), [usage, ...done]);
    await opened.first;
    time.advance(300);
    await drain(opened);
    time.advance(5_000);
    expect(opened.report(true)).toEqual({
      failure: null,
      startedAtMs: 0,
      firstTokenMs: 0,
      totalMs: 300,
      inputTokens: 8_000,
      cachedTokens: 7_680,
      outputTokens: 20,
      acceptanceLength: 1.8,
      expectsCache: true,
    });
  });

  it("has no first token where none came, and says how long the server wants to be left alone", async ({ expect }) => {
    const { opened } = open(failed("model_rate_limited", 2_000));
    await opened.first;
    expect(opened.report(false)).toMatchObject({
      failure: { code: "model_rate_limited", retryAfterMs: 2_000 },
      firstTokenMs: null,
    });
  });

  it("counts a stream that stops without an end as broken", async ({ expect }) => {
    const { opened } = open(...text("这款"));
    await drain(opened);
    expect(opened.report(false).failure).toEqual({ code: "model_stream_broken", retryAfterMs: null });
  });

  it("closes the connection when its reader leaves, and counts that as the turn's own wish", async ({ expect }) => {
    const { opened, endpoint } = open(...text("这款", "有", "货"), "hangs");
    await opened.first;
    for await (const _parts of opened.rest()) break;
    expect([endpoint.aborted, opened.report(false).failure?.code]).toEqual([[0], "aborted"]);
  });

  it("closing a call that has ended changes nothing", async ({ expect }) => {
    const { opened } = open(...text("有。"), done);
    await drain(opened);
    await opened.close();
    expect(opened.report(false).failure).toBeNull();
  });
});
