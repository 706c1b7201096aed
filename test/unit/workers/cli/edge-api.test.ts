import { describe, it } from "vitest";
import { z } from "zod";
import { createEdgeApi, expectOk } from "../../../../workers/cli/edge-api.ts";

const target = { url: "http://127.0.0.1:8787/", token: "t.o.k" };
const answer = z.object({ seq: z.int() });

describe("createEdgeApi", () => {
  it("sends JSON with the token and parses the answer", async ({ expect }) => {
    const seen: Request[] = [];
    const api = createEdgeApi(target, async (input, init) => {
      seen.push(new Request(input, init));
      return Response.json({ seq: 3 });
    });
    expect(await api.call("PATCH", "/v1/rooms/r/state", { body: { onScreenProductId: "p1" }, answer })).toEqual({
      ok: true,
      value: { seq: 3 },
    });
    expect(seen[0]?.url).toBe("http://127.0.0.1:8787/v1/rooms/r/state");
    expect(seen[0]?.headers.get("authorization")).toBe("Bearer t.o.k");
    expect(seen[0]?.headers.get("content-type")).toBe("application/json");
    expect(await seen[0]?.json()).toEqual({ onScreenProductId: "p1" });
  });

  it("sends the revision that was read, as an entity tag", async ({ expect }) => {
    const tags: (string | null)[] = [];
    const api = createEdgeApi(target, async (input, init) => {
      tags.push(new Request(input, init).headers.get("if-match"));
      return Response.json({ seq: 3 });
    });
    await api.call("PUT", "/v1/endpoints/h20", { body: {}, ifMatch: 7, answer });
    await api.call("PUT", "/v1/endpoints/h20", { body: {}, answer });
    expect(tags).toEqual(['"7"', null]);
  });

  it("gives a refusal as a value, with its code", async ({ expect }) => {
    const refusal = { code: "room_not_found", title: "The room does not exist", status: 404, details: { room: "r" } };
    const api = createEdgeApi(target, async () => Response.json(refusal, { status: 404 }));
    const result = await api.call("GET", "/v1/rooms/r", { answer });
    expect(result).toEqual({ ok: false, error: refusal });
    expect(() => expectOk(result, "Room r was not found.")).toThrow("Room r was not found.");
  });

  it.for([
    new Response("<html>", { status: 502 }),
    new Response("[]", { status: 200 }),
    new Response("not json", { status: 200 }),
  ])("says that something else answers there", async (response, { expect }) => {
    const api = createEdgeApi(target, async () => response);
    await expect(api.call("GET", "/v1/rooms", { answer })).rejects.toThrow("does not speak Kaibo's API");
  });

  it("says that nothing answers, with the system's reason", async ({ expect }) => {
    const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    const api = createEdgeApi(target, () => Promise.reject(new TypeError("fetch failed", { cause })));
    await expect(api.send("GET", "/")).rejects.toMatchObject({
      message: "Nothing answers at http://127.0.0.1:8787.",
      why: "The system says ECONNREFUSED.",
    });
  });

  it("says that the time is up", async ({ expect }) => {
    const timeout = new DOMException("too late", "TimeoutError");
    const api = createEdgeApi(target, () => Promise.reject(timeout));
    await expect(api.send("GET", "/")).rejects.toThrow("The time is up.");
  });
});
