/** A stand-in for the product's API, just enough to develop the page against. */
import type { RoomFrame, RoomFrameBody } from "../../shared/contract/room-frame.ts";
import type { ViewerMessage } from "../../shared/contract/message.ts";
import type { TurnRecord } from "../../shared/contract/turn-record.ts";

const HARNESS = { name: "live-host", version: "3f9c2ab7d41e".padEnd(64, "0") };
const sku = (id: string, priceCents: number, stock: number) => ({ id, specs: ["默认"], priceCents, stock });
const product = (
  link: number,
  name: string,
  [priceCents, listPriceCents, stock]: readonly [number, number, number],
) => ({
  id: `p${link}`,
  link,
  name,
  aliases: [],
  category: ["服饰"],
  unit: "件",
  listPriceCents,
  specNames: ["款式"],
  skus: [sku(`p${link}-a`, priceCents, stock), sku(`p${link}-b`, priceCents + (link % 2) * 1000, link === 4 ? 0 : 3)],
  attributes: [],
  promotions: [],
});
const CONFIG = {
  title: "暖冬专场 · 羊毛衫与面膜",
  merchant: { id: "m1", name: "小暖家" },
  locale: "zh-CN",
  currency: "CNY",
  harness: { name: "live-host", channel: "production" },
  rules: [],
  products: [
    product(1, "山羊绒混纺圆领毛衣 女款宽松秋冬", [29900, 59900, 120]),
    product(2, "玻尿酸补水面膜 10 片装", [3990, 9900, 3]),
    product(3, "加绒阔腿裤 显瘦高腰", [15900, 15900, 88]),
    product(4, "真丝睡衣两件套", [45900, 89900, 0]),
    product(5, "儿童保暖内衣套装（90–150 码）A 类面料无骨缝制", [9950, 12800, 640]),
    product(6, "纯棉四件套", [26900, 39900, 25]),
    product(7, "羊羔毛外套", [39900, 69900, 12]),
    product(8, "羊毛袜 5 双", [4990, 7990, 300]),
  ],
  coupons: [],
  faq: [],
};

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export class StubRoom {
  #frames: RoomFrame[] = [];
  #records = new Map<string, TurnRecord>();
  #ids = new Map<string, string>();
  #sockets = new Set<WebSocket>();
  #onScreen: string | null = "p1";
  #overrides: Record<string, { stock?: number; priceCents?: number }> = {};
  #queue: Promise<void> = Promise.resolve();

  #emit(body: RoomFrameBody): RoomFrame {
    const frame = { ...body, seq: this.#frames.length + 1, atMs: Date.now() } as RoomFrame;
    this.#frames.push(frame);
    for (const socket of this.#sockets) socket.send(JSON.stringify(frame));
    return frame;
  }

  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const [, , , room = "", noun = "", id = ""] = url.pathname.split("/");
    if (noun === "stream" && request.headers.get("upgrade") === null)
      return Response.json({ code: "upgrade_required", title: "upgrade", status: 426 }, { status: 426 });
    if (noun === "stream") return this.#stream(room, Number(url.searchParams.get("after")));
    if (noun === "messages") return this.#messages(await request.json());
    if (noun === "host-speech") {
      const { text, speaker } = await request.json<{ text: string; speaker: string }>();
      this.#emit({ type: "host-speech", text, speaker });
      return Response.json({}, { status: 202 });
    }
    if (noun === "state") {
      const patch = await request.json<{ onScreenProductId?: string | null }>();
      if (patch.onScreenProductId !== undefined) this.#onScreen = patch.onScreenProductId;
      this.#emit({ type: "state", patch });
      return Response.json({});
    }
    if (noun === "turns") return this.#turn(id);
    return this.#view(room);
  }

  #turn(id: string): Response {
    const record = this.#records.get(id);
    return record
      ? Response.json(record)
      : Response.json({ code: "turn_not_found", title: "no turn", status: 404 }, { status: 404 });
  }

  #view(room: string): Response {
    return Response.json({
      room,
      seq: this.#frames.length,
      config: CONFIG,
      revision: 1,
      harness: HARNESS,
      snapshot: { onScreenProductId: this.#onScreen, skuOverrides: this.#overrides, heard: [] },
      openTurns: [],
    });
  }

  #stream(room: string, after: number): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    server.send(
      JSON.stringify({
        type: "hello",
        protocol: "kaibo.v1",
        room,
        seq: this.#frames.length,
        firstSeq: 1,
        openTurns: [],
      }),
    );
    for (const frame of this.#frames.slice(after)) server.send(JSON.stringify(frame));
    this.#sockets.add(server);
    server.addEventListener("message", ({ data }) => data === "ping" && server.send("pong"));
    server.addEventListener("close", () => this.#sockets.delete(server));
    return new Response(null, { status: 101, webSocket: client, headers: { "sec-websocket-protocol": "kaibo.v1" } });
  }

  #messages(message: ViewerMessage): Response {
    const known = this.#ids.get(message.id);
    if (known)
      return Response.json(
        { results: [{ id: message.id, disposition: "duplicate", turn: known, seq: 1 }] },
        { status: 202 },
      );
    const turn = `t${this.#frames.length + 1}`;
    this.#ids.set(message.id, turn);
    const frame = this.#emit({ type: "message", turn, message });
    this.#queue = this.#queue.then(() => this.#answer(turn, message, frame.atMs));
    return Response.json(
      { results: [{ id: message.id, disposition: "queued", turn, seq: frame.seq }] },
      { status: 202 },
    );
  }

  async #answer(turn: string, message: ViewerMessage, acceptedAtMs: number): Promise<void> {
    const waitedMs = Date.now() - acceptedAtMs;
    const isSlow = message.text.includes("慢");
    if (message.text.includes("过期")) {
      const timings = { waitedMs: 30_000, firstSentenceMs: null, totalMs: 30_000 };
      this.#emit({ type: "turn-end", turn, outcome: "expired", reason: "ttl_passed", timings, activity: null });
      return;
    }
    this.#emit({ type: "turn-start", turn, attempt: 1, messageIds: [message.id], harness: HARNESS, waitedMs });
    await sleep(isSlow ? 2500 : 60 + Math.random() * 90);
    const texts = [
      `这款库存还有 3 件，`,
      `今天直播间 ¥39.9，原价 ¥99，`,
      `现在拍下三到五天就能发货，`,
      `喜欢的宝宝抓紧拍下吧。`,
    ];
    const said = [];
    for (const [seq, text] of texts.entries()) {
      const kind = seq === 0 && isSlow ? ("filler" as const) : ("answer" as const);
      const sentence = { seq, text: kind === "filler" ? "我帮你看下库存哈，" : text, speech: text, kind };
      said.push({ ...sentence, atMs: Date.now() - acceptedAtMs });
      this.#emit({ type: "sentence", turn, sentence });
      await sleep(isSlow ? 400 : 70);
    }
    const totalMs = Date.now() - acceptedAtMs;
    const timings = { waitedMs, firstSentenceMs: said[0]?.atMs ?? null, totalMs };
    this.#records.set(turn, {
      schema: "kaibo.turn/1",
      room: "demo",
      turn,
      attempt: 1,
      messages: [message],
      harness: HARNESS,
      configRevision: 1,
      snapshot: { onScreenProductId: "p1", skuOverrides: {}, heard: [] },
      acceptedAtMs,
      endedAtMs: Date.now(),
      outcome: "answered",
      reason: null,
      timings,
      sentences: said,
      trace: {
        prefixDigest: "x",
        turnPrompt: `<question>${message.text}</question>`,
        continuation: [],
        model: { endpoint: "offline", model: "kaibo-offline" },
        steps: [
          {
            index: 0,
            startedMs: 2,
            firstDeltaMs: 20,
            endedMs: 40,
            finish: "tool_calls",
            code: null,
            text: "",
            usage: { inputTokens: 2312, outputTokens: 24, cachedTokens: 2048, estimated: false },
            toolCalls: [
              {
                callId: "c1",
                tool: "product_lookup",
                argumentsText: `{"link":2,"fields":["price","stock"]}`,
                outcome: "tool-result",
                code: null,
                output: `{"priceCents":3990,"stock":3}`,
                startedMs: 40,
                endedMs: 58,
              },
            ],
          },
          {
            index: 1,
            startedMs: 59,
            firstDeltaMs: 80,
            endedMs: totalMs - waitedMs - 5,
            finish: "stop",
            code: null,
            text: texts.join(""),
            usage: null,
            toolCalls: [],
          },
        ],
        hooks: [
          {
            hook: "price-grounding",
            event: "PreUtterance",
            verdict: "rewrite",
            reason: "价格要与证据一致：39.9",
            atMs: 120,
            subject: "今天只要四十块",
          },
        ],
        hookRuns: 12,
      },
    });
    const tools = [{ tool: "product_lookup", ms: 18, outcome: "tool-result" }];
    const hooks = [{ hook: "price-grounding", verdict: "rewrite", reason: "价格要与证据一致：39.9" }];
    this.#emit({
      type: "turn-end",
      turn,
      outcome: "answered",
      reason: null,
      timings,
      activity: { steps: 2, tools, hooks },
    });
  }
}

type Env = { readonly ROOM: DurableObjectNamespace; readonly FILES: Fetcher };
const CSP =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Answers as the edge does. */
export async function serveStub(request: Request, env: Env): Promise<Response> {
  const url = new URL(request.url);
  const isStream = url.pathname.endsWith("/stream");
  if (!url.pathname.startsWith("/v1/")) {
    const page = await env.FILES.fetch(request);
    const headers = new Headers(page.headers);
    headers.set("content-security-policy", CSP);
    return new Response(page.body, { status: page.status, headers });
  }
  const token = isStream
    ? (request.headers.get("sec-websocket-protocol") ?? "")
    : (request.headers.get("authorization") ?? "");
  if (!/[.\s]stub\.stub\.stub$/.test(token)) {
    return Response.json({ code: "unauthenticated", title: "no valid token", status: 401 }, { status: 401 });
  }
  if (url.pathname === "/v1/rooms") {
    const harness = { name: "live-host", channel: "production" };
    const rooms = ["demo", "night"].map((id) => ({
      id,
      title: id === "demo" ? CONFIG.title : "夜场试播",
      merchantId: "m1",
      harness,
      updatedAtMs: Date.now(),
    }));
    return Response.json({ rooms, nextCursor: null });
  }
  const room = url.pathname.split("/")[3] ?? "";
  if (room !== "demo" && room !== "night")
    return Response.json({ code: "room_not_found", title: "no such room", status: 404 }, { status: 404 });
  return env.ROOM.get(env.ROOM.idFromName(room)).fetch(request);
}
