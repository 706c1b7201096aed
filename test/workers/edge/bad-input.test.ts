/** What a client may get wrong, and that nothing else changes when it does. */
import { describe, it } from "vitest";
import { aBundle } from "../../helpers/harnesses.ts";
import { aRoomConfig } from "../../helpers/rooms.ts";
import { aToken, call, openRoom } from "../api.ts";

const path = (room: string) => `/v1/rooms/${room}/messages`;
const message = (fields: object = {}) => ({ id: "m1", text: "1号多少钱", ...fields });
const seqOf = async (room: string) => (await (await call(`/v1/rooms/${room}`)).json<{ seq: number }>()).seq;

describe("POST /v1/rooms/:room/messages", () => {
  it.for([
    { name: "text that is no JSON", raw: "{", status: 400, code: "invalid_json" },
    { name: "an empty body", raw: "", status: 400, code: "invalid_json" },
    { name: "bytes that are no UTF-8", raw: new Uint8Array([0x22, 0xff, 0x22]), status: 400, code: "invalid_json" },
    { name: "JSON of another shape", body: [], status: 400, code: "invalid_request" },
    { name: "an unknown field", body: message({ shout: true }), status: 400, code: "invalid_request" },
    { name: "a lone surrogate", raw: '{"id":"m1","text":"\\ud83d"}', status: 400, code: "invalid_request" },
    { name: "a control character", body: message({ text: "a\u0000b" }), status: 400, code: "invalid_request" },
    { name: "blank text", body: message({ text: " \n" }), status: 400, code: "invalid_request" },
    {
      name: "text over 300 characters",
      body: message({ text: "好".repeat(301) }),
      status: 400,
      code: "invalid_request",
    },
    { name: "an id with a space", body: message({ id: "a b" }), status: 400, code: "invalid_request" },
    { name: "1 MB of text", body: message({ text: "好".repeat(340_000) }), status: 413, code: "body_too_large" },
    {
      name: "101 messages",
      body: { messages: Array.from({ length: 101 }, (_, index) => message({ id: `m${index}` })) },
      status: 413,
      code: "batch_too_large",
    },
    {
      name: "10,000 messages",
      body: { messages: Array.from({ length: 10_000 }, (_, index) => ({ id: `${index}`, text: "1" })) },
      status: 413,
      code: "batch_too_large",
    },
    { name: "no message", body: { messages: [] }, status: 400, code: "invalid_request" },
    {
      name: "one bad message among good ones",
      body: { messages: [message(), message({ id: "m2", text: "" })] },
      status: 400,
      code: "invalid_request",
    },
    {
      name: "a form",
      raw: "text=1",
      headers: { "content-type": "text/plain" },
      status: 415,
      code: "unsupported_media_type",
    },
  ])("answers $status $code to $name, and the room stays as it is", async ({ status, code, ...rest }, { expect }) => {
    const room = `bad-${crypto.randomUUID()}`;
    await openRoom(room);
    const before = await seqOf(room);
    const response = await call(path(room), { method: "POST", ...rest });
    expect([response.status, (await response.json<{ code: string }>()).code]).toEqual([status, code]);
    expect(await seqOf(room)).toBe(before);
  });

  it.for([
    [{ text: "没有 id" }, /^id: /u],
    [{ id: "m1", text: "好", shout: true }, /shout/u],
    [{ messages: [{ id: "m1" }] }, /^messages\.0\.text: /u],
    [{ messages: Array.from({ length: 101 }, (_, index) => message({ id: `m${index}` })) }, /^messages: .*100/u],
    [[], /^body: /u],
  ] as const)("says of %j what is wrong with it", async ([body, problem], { expect }) => {
    const response = await call(path("any"), { method: "POST", body });
    const { details } = await response.json<{ details: { problems: string } }>();
    expect(details.problems).toMatch(problem);
  });

  it("takes the longest text that fits, and a batch of 100", async ({ expect }) => {
    await openRoom("fits");
    const long = await call(path("fits"), { method: "POST", body: message({ text: "好".repeat(300) }) });
    const batch = { messages: Array.from({ length: 100 }, (_, index) => message({ id: `b${index}` })) };
    expect([long.status, (await call(path("fits"), { method: "POST", body: batch })).status]).toEqual([202, 202]);
  });

  it("answers room_not_found for a room that nobody created, and does not create it", async ({ expect }) => {
    const response = await call(path("nowhere"), { method: "POST", body: message() });
    expect([response.status, (await response.json<{ code: string }>()).code]).toEqual([404, "room_not_found"]);
    expect((await call("/v1/rooms/nowhere")).status).toBe(404);
  });

  it("refuses a room id that is no id", async ({ expect }) => {
    expect((await call("/v1/rooms/No%20Room/messages", { method: "POST", body: message() })).status).toBe(400);
  });
});

describe("tokens", () => {
  it.for([
    { name: "none", token: async () => "", status: 401, code: "unauthenticated" },
    { name: "one that is no token", token: async () => "abc", status: 401, code: "unauthenticated" },
    {
      name: "one signed by someone else",
      token: () => aToken({ secret: "x".repeat(32) }),
      status: 401,
      code: "unauthenticated",
    },
    { name: "an expired one", token: () => aToken({ expiresInS: -1 }), status: 401, code: "token_expired" },
    { name: "a viewer's", token: () => aToken({ aud: ["viewer"] }), status: 403, code: "forbidden" },
    { name: "an operator's", token: () => aToken({ aud: ["operator"] }), status: 403, code: "forbidden" },
    { name: "another room's", token: () => aToken({ room: "other" }), status: 403, code: "forbidden" },
  ])("answers $status $code to a message with $name", async ({ token, status, code }, { expect }) => {
    const response = await call(path("any"), { method: "POST", body: message(), token: await token() });
    expect([response.status, (await response.json<{ code: string }>()).code]).toEqual([status, code]);
  });

  it("lets each audience do its own work only", async ({ expect }) => {
    await openRoom("roles");
    const [room, viewer, analyst, operator] = await Promise.all(
      (["room", "viewer", "analyst", "operator"] as const).map((aud) => aToken({ aud: [aud] })),
    );
    const statuses = async (requests: [string, object, string | undefined][]) =>
      Promise.all(
        requests.map(async ([where, options, token]) => (await call(where, { ...options, token: token ?? "" })).status),
      );
    const patch = { method: "PATCH", body: { onScreenProductId: "p1" } };
    expect(
      await statuses([
        ["/v1/rooms/roles", {}, viewer],
        ["/v1/rooms/roles", {}, analyst],
        ["/v1/rooms/roles/state", patch, analyst],
        ["/v1/rooms/roles/state", patch, room],
        ["/v1/harnesses/live-host/versions", {}, room],
        ["/v1/harnesses/live-host/versions", {}, operator],
      ]),
    ).toEqual([403, 200, 403, 200, 403, 200]);
  });
});

describe("releases", () => {
  it("are not for a token of one room", async ({ expect }) => {
    const token = await aToken({ aud: ["operator"], room: "only-mine" });
    const pushed = await call("/v1/harnesses", { method: "POST", body: aBundle(), token });
    const listed = await call("/v1/harnesses/live-host/versions", { token });
    expect([pushed.status, listed.status]).toEqual([403, 403]);
  });

  it("are not gone round by a room's own client", async ({ expect }) => {
    await openRoom("merchant");
    const token = await aToken({ aud: ["room"], room: "merchant" });
    const put = (harness: object) =>
      call("/v1/rooms/merchant", { method: "PUT", body: { ...aRoomConfig(), harness }, token });
    const version = (await (await call("/v1/rooms/merchant")).json<{ harness: { version: string } }>()).harness.version;
    expect((await put({ name: "live-host", version })).status).toBe(403);
    expect((await put({ name: "live-host", channel: "candidate" })).status).toBe(403);
    expect((await put({ name: "live-host", channel: "production" })).status).toBe(200);
  });

  it.for([
    ["does not parse", "this is not {{ js"],
    ["has no default function", "export const other = 1;"],
  ] as const)("refuse a harness whose hook's code %s, and add nothing", async ([why, code], { expect }) => {
    const bundle = {
      ...aBundle({ description: why }),
      hooks: [{ type: "code", name: "c", event: "PreUtterance", code }],
    };
    const response = await call("/v1/harnesses", { method: "POST", body: bundle });
    expect([response.status, (await response.json<{ code: string }>()).code]).toEqual([422, "harness_invalid"]);
    const listed = await (await call("/v1/harnesses/live-host/versions")).text();
    expect(listed).not.toContain(why);
  });
});

describe("WebSocket", () => {
  const upgrade = async (protocols: string | undefined) => {
    const headers = { upgrade: "websocket", ...(protocols !== undefined && { "sec-websocket-protocol": protocols }) };
    const response = await call("/v1/rooms/sockets/stream", { headers });
    response.webSocket?.accept();
    response.webSocket?.close(1000);
    return [response.status, response.headers.get("sec-websocket-protocol")];
  };

  it("gets back the subprotocol that it offered, and none where it offered none", async ({ expect }) => {
    await openRoom("sockets");
    expect(await upgrade("kaibo.v1, kaibo.token.x")).toEqual([101, "kaibo.v1"]);
    expect(await upgrade(undefined)).toEqual([101, null]);
  });
});

describe("PUT /v1/rooms/:room", () => {
  it.for([
    { name: "two products with one link", config: { products: [product("a", 1), product("b", 1)] } },
    {
      name: "specs that do not match their names",
      config: { products: [{ ...product("a", 1), specNames: ["颜色", "尺码"] }] },
    },
    {
      name: "a channel and a version together",
      config: { harness: { name: "live-host", channel: "production", version: "0".repeat(64) } },
    },
    {
      name: "a price that is no whole number of cents",
      config: { products: [{ ...product("a", 1), skus: [{ id: "s", specs: ["蓝"], priceCents: 1.5, stock: 1 }] }] },
    },
  ])("refuses $name", async ({ config }, { expect }) => {
    const response = await call("/v1/rooms/refused", { method: "PUT", body: { ...aRoomConfig(), ...config } });
    expect([response.status, (await response.json<{ code: string }>()).code]).toEqual([400, "invalid_request"]);
    expect((await call("/v1/rooms/refused")).status).toBe(404);
  });

  it("answers harness_channel_not_found for a channel that does not exist, and creates nothing", async ({ expect }) => {
    const body = aRoomConfig({ harness: { name: "live-host", channel: "no-such" } });
    const response = await call("/v1/rooms/unserved", { method: "PUT", body });
    expect([response.status, (await response.json<{ code: string }>()).code]).toEqual([
      404,
      "harness_channel_not_found",
    ]);
    expect((await call("/v1/rooms/unserved")).status).toBe(404);
  });
});

describe("paths", () => {
  it("answers route_not_found under /v1", async ({ expect }) => {
    const response = await call("/v1/rumours");
    expect([response.status, (await response.json<{ code: string }>()).code]).toEqual([404, "route_not_found"]);
  });

  it("refuses a position that is no number, rather than starting from now", async ({ expect }) => {
    await openRoom("positions");
    const headers = { accept: "text/event-stream", "last-event-id": "abc" };
    expect((await call("/v1/rooms/positions/stream", { headers })).status).toBe(400);
    expect(
      (await call("/v1/rooms/positions/stream?after=-1", { headers: { accept: "text/event-stream" } })).status,
    ).toBe(400);
    expect((await call("/v1/rooms/positions/stream")).status).toBe(426);
  });
});

function product(id: string, link: number) {
  return {
    id,
    link,
    name: "毛巾",
    specNames: ["颜色"],
    skus: [{ id: `${id}-s`, specs: ["蓝"], priceCents: 100, stock: 1 }],
  };
}
