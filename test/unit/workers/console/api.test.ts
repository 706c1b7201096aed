import { describe, it } from "vitest";
import { createApi } from "../../../../workers/console/api.ts";
import { aView } from "./frames.ts";

type Call = { readonly url: string; readonly init: RequestInit };

function anApi(answer: (call: Call) => Response | Promise<Response>) {
  const calls: Call[] = [];
  const api = createApi({
    origin: "http://kaibo.test",
    token: "a.b.c",
    fetch: async (url, init) => {
      const call = { url, init };
      calls.push(call);
      return answer(call);
    },
  });
  return { api, calls };
}

const problem = (code: string, status: number) => () =>
  Response.json({ code, title: "no", status, details: {} }, { status });

describe("createApi", () => {
  it("sends the token in a header and the message as it is", async ({ expect }) => {
    const { api, calls } = anApi(() => Response.json({ results: [] }, { status: 202 }));
    const message = { id: "m1", text: "1号链接多少钱" };
    expect(await api.sendMessage("room-1", message)).toEqual({ ok: true, value: { results: [] } });
    expect(calls[0]?.url).toBe("http://kaibo.test/v1/rooms/room-1/messages");
    expect(calls[0]?.init).toMatchObject({
      method: "POST",
      body: JSON.stringify(message),
      headers: { authorization: "Bearer a.b.c" },
    });
  });

  it("escapes names in paths", async ({ expect }) => {
    const { api, calls } = anApi(() => Response.json({}));
    await api.loadTurn("a/b", "../t1");
    await api.listRooms("x&y");
    expect(calls.map(({ url }) => url)).toEqual([
      "http://kaibo.test/v1/rooms/a%2Fb/turns/..%2Ft1",
      "http://kaibo.test/v1/rooms?cursor=x%26y",
    ]);
  });

  it("gives the API's code, status and words when it refuses", async ({ expect }) => {
    const { api } = anApi(problem("room_backlog_full", 429));
    const answer = await api.sendMessage("room-1", { id: "m1", text: "在吗" });
    expect(answer).toEqual({ ok: false, error: { code: "room_backlog_full", status: 429, title: "no" } });
  });

  it.for([
    { name: "a page of another site", body: "<html>", status: 200 },
    { name: "an answer of another shape", body: "{}", status: 200 },
    { name: "an error without a body", body: "", status: 502 },
  ])("does not take $name for an answer", async ({ body, status }, { expect }) => {
    const { api } = anApi(() => new Response(body, { status }));
    expect(await api.loadRoom("room-1")).toMatchObject({ ok: false, error: { code: "not_an_answer", status } });
  });

  it.for([
    { name: "a network that is away", thrown: new TypeError("Failed to fetch"), code: "network" },
    { name: "a server that takes too long", thrown: new DOMException("late", "TimeoutError"), code: "timed_out" },
  ])("tells $name from others", async ({ thrown, code }, { expect }) => {
    const { api } = anApi(() => Promise.reject(thrown));
    expect(await api.loadRoom("room-1")).toMatchObject({ ok: false, error: { code, status: 0 } });
  });

  it("reads the endpoints, and takes no other list for one of them", async ({ expect }) => {
    const { api, calls } = anApi(({ url }) => Response.json(url.endsWith("/v1/endpoints") ? { endpoints: [] } : {}));
    expect(await api.listEndpoints()).toEqual({ ok: true, value: { endpoints: [] } });
    expect(calls[0]?.init).toMatchObject({ method: "GET", headers: { authorization: "Bearer a.b.c" } });
    const other = anApi(() => Response.json({ rooms: [] }));
    expect(await other.api.listEndpoints()).toMatchObject({ ok: false, error: { code: "not_an_answer" } });
  });

  it("has no record for a turn that is still open", async ({ expect }) => {
    const { api } = anApi(() => Response.json({ turn: "t1", status: "open" }));
    expect(await api.loadTurn("room-1", "t1")).toEqual({ ok: true, value: null });
  });

  it.for([
    { name: "a token that may not follow", stream: 403, room: 200, refused: "forbidden" },
    { name: "a room that is gone", stream: 426, room: 404, refused: "forbidden" },
    { name: "nothing: a stream that only wants an upgrade", stream: 426, room: 200, refused: null },
    { name: "nothing: a server that is down", stream: 503, room: 503, refused: null },
  ])("finds $name", async ({ stream, room, refused }, { expect }) => {
    const { api } = anApi(({ url }) => {
      const status = url.endsWith("/stream") ? stream : room;
      return status === 200 ? Response.json(aView()) : problem("forbidden", status)();
    });
    expect((await api.findStreamRefusal("room-1"))?.code ?? null).toBe(refused);
  });
});
