import { describe, it } from "vitest";
import { createApi } from "../../../../workers/console/api.ts";
import type { RequestParts } from "../../../../shared/client/api-call.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";

type Call = { readonly url: string; readonly init: RequestParts };

function anApi(answer: (call: Call) => Response | Promise<Response>) {
  const calls: Call[] = [];
  const api = createApi({
    origin: "http://kaibo.test",
    token: "a.b.c",
    timer: new FakeTime(),
    request: async (url, init) => {
      const call = { url, init };
      calls.push(call);
      return answer(call);
    },
  });
  return { api, calls };
}

describe("createApi", () => {
  it("sends the token in a header and the message as it is", async ({ expect }) => {
    const { api, calls } = anApi(() => Response.json({ results: [], backlog: {} }, { status: 202 }));
    const message = { id: "m1", text: "1号链接多少钱" };
    expect(await api.sendMessage("room-1", message)).toEqual({ ok: true, value: { results: [], backlog: {} } });
    expect(calls[0]?.url).toBe("http://kaibo.test/v1/rooms/room-1/messages");
    expect(calls[0]?.init).toMatchObject({
      method: "POST",
      body: JSON.stringify(message),
      headers: { authorization: "Bearer a.b.c" },
    });
  });

  it("stops who speaks", async ({ expect }) => {
    const { api, calls } = anApi(() => Response.json({ turn: "t1" }));
    expect(await api.interrupt("room-1")).toMatchObject({ ok: true });
    expect(calls[0]).toMatchObject({ url: "http://kaibo.test/v1/rooms/room-1/interrupt", init: { method: "POST" } });
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

  it.for([
    { name: "a page of another site", body: "<html>" },
    { name: "an answer of another shape", body: "{}" },
  ])("does not take $name for a room", async ({ body }, { expect }) => {
    const { api } = anApi(() => new Response(body));
    expect(await api.loadRoom("room-1")).toMatchObject({ ok: false, error: { code: "not_an_answer", status: 200 } });
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
});
