import { describe, it } from "vitest";
import { ANSWER_MAX_MS, createApiCall, isAnything, type RequestParts } from "../../../../shared/client/api-call.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";

type Sent = { readonly url: string; readonly init: RequestParts };

function aCall(answer: (sent: Sent) => Response | Promise<Response>) {
  const time = new FakeTime();
  const sent: Sent[] = [];
  const call = createApiCall({
    origin: "http://kaibo.test",
    token: "a.b.c",
    timer: time,
    request: async (url, init) => {
      sent.push({ url, init });
      return answer({ url, init });
    },
  });
  return { call, sent, time };
}

const PING = { method: "GET", path: "/v1/rooms" } as const;
const isText = (value: unknown): value is string => typeof value === "string";

describe("createApiCall", () => {
  it("sends the token in a header, a body as JSON, and leaves no timer", async ({ expect }) => {
    const { call, sent, time } = aCall(() => Response.json("fine"));
    const request = { method: "POST", path: "/v1/rooms/r/messages", body: { id: "m1" } } as const;
    expect(await call(request, isText)).toEqual({ ok: true, value: "fine" });
    expect(sent).toMatchObject([
      {
        url: "http://kaibo.test/v1/rooms/r/messages",
        init: {
          method: "POST",
          body: '{"id":"m1"}',
          headers: { authorization: "Bearer a.b.c", "content-type": "application/json" },
        },
      },
    ]);
    expect(time.pendingCount).toBe(0);
  });

  it.for([
    { name: "seconds", header: "3", retryAfterMs: 3_000 },
    { name: "a date, which it does not read", header: "Fri, 31 Dec 2027 23:59:59 GMT", retryAfterMs: null },
    { name: "nothing", header: null, retryAfterMs: null },
  ])("gives the API's code, status and words, and when to come again: $name", async (given, { expect }) => {
    const headers = given.header === null ? {} : { "retry-after": given.header };
    const body = { code: "room_backlog_full", title: "Too many wait", status: 429, details: {} };
    const { call } = aCall(() => Response.json(body, { status: 429, headers }));
    const error = { code: "room_backlog_full", status: 429, title: "Too many wait", retryAfterMs: given.retryAfterMs };
    expect(await call(PING, isText)).toEqual({ ok: false, error });
  });

  it.for([
    { name: "a page of another site", body: "<html>", status: 200 },
    { name: "an answer of another shape", body: "{}", status: 200 },
    { name: "an error without a body", body: "", status: 502 },
  ])("does not take $name for an answer", async ({ body, status }, { expect }) => {
    const { call } = aCall(() => new Response(body, { status }));
    expect(await call(PING, isText)).toMatchObject({ ok: false, error: { code: "not_an_answer", status } });
  });

  it("tells a network that is away", async ({ expect }) => {
    const { call, time } = aCall(() => Promise.reject(new TypeError("Failed to fetch")));
    expect(await call(PING, isAnything)).toMatchObject({ ok: false, error: { code: "network", status: 0 } });
    expect(time.pendingCount).toBe(0);
  });

  it("gives up a server that takes too long", async ({ expect }) => {
    const { call, time } = aCall(
      ({ init }) =>
        new Promise((_, reject) => {
          init.signal.addEventListener("abort", () => reject(new DOMException("gone", "AbortError")));
        }),
    );
    const answer = call(PING, isAnything);
    time.advance(ANSWER_MAX_MS);
    expect(await answer).toMatchObject({ ok: false, error: { code: "timed_out", status: 0 } });
  });
});
