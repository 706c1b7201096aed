/** The live page in a real browser, against the running product. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { parseStreamText, STREAM_PROTOCOL } from "../../shared/client/wire.ts";
import { startCuttableProxy, type CuttableProxy } from "./cuttable-proxy.ts";
import { enter, launchBrowser, openPage, type Desk } from "./launch-browser.ts";
import { aBundle } from "../helpers/harnesses.ts";
import { startProduct } from "../helpers/product.ts";
import { aRoomConfig } from "../helpers/rooms.ts";

/** What a browser says about a line that the test itself has cut. */
const CUT_LINE = /ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET|WebSocket connection to/;

/** Longest time without a frame of the screen, ms. A page that is stuck is so for seconds; browser and server share the machine. */
const FREEZE_MS_MAX = 1_000;

let product: Awaited<ReturnType<typeof startProduct>>;
let proxy: CuttableProxy;
let browser: Browser;
beforeAll(async () => {
  product = await startProduct();
  proxy = await startCuttableProxy(product.url);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await proxy.stop();
  await product.stop();
});

/** A visitor in the first room of the product. */
async function openDesk(options: BrowserContextOptions = {}): Promise<Desk> {
  const desk = await openPage(browser, options);
  await enter(desk.page, proxy.url, product.tokens.page);
  return desk;
}

/** A question that no other test asks. */
function aQuestion(text: string): string {
  return `${text}（${crypto.randomUUID().slice(0, 8)}）`;
}

function theMessage(page: Page, text: string) {
  return page.locator("#messages .message").filter({ has: page.getByText(text, { exact: true }) });
}

/** Waits until the turn that answers this question has ended. */
async function waitForAnswer(page: Page, text: string): Promise<void> {
  await theMessage(page, text).locator('.badge[data-phase="answered"], .badge[data-phase="fallback"]').waitFor();
}

async function ask(page: Page, text: string): Promise<void> {
  await page.locator("#ask-text").fill(text);
  await page.locator("#ask-send").click();
}

const roomOf = (page: Page): string => new URLSearchParams(new URL(page.url()).hash.slice(1)).get("room") ?? "";

/** Calls the API past the browser. */
async function call(method: string, route: string, body: object): Promise<unknown> {
  const response = await fetch(`${product.url}${route}`, {
    method,
    headers: { authorization: `Bearer ${product.tokens.page}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Comes after the sample room in the list, which stays the first room of the other tests. */
const BUSY_ROOM = "zz-busy-room";
const LONG = "这款毛巾长七十五厘米宽三十五厘米洗脸刚刚好而且一家人用都不嫌小折起来放进包里也不占地方。";
const SIZE = { id: "size", question: "有多大", similar: [], answer: LONG.repeat(3) };
const CARE = { id: "care", question: "怎么洗", similar: [], answer: "冷水手洗就行。" };

/** A room whose voice takes its time, and which is summed up after each turn. */
async function openBusyRoom(): Promise<void> {
  const strategy = { isOn: true, everyTurns: 1, everyMs: 10_000 };
  const bundle = aBundle({ name: "busy-host", answersFaq: true, strategy });
  // The answer of this route.
  const { version } = (await call("POST", "/v1/harnesses", bundle)) as { readonly version: string };
  await call("PUT", "/v1/harnesses/busy-host/channels/production", { version, expected: null });
  const harness = { name: "busy-host", channel: "production" };
  await call("PUT", `/v1/rooms/${BUSY_ROOM}`, aRoomConfig({ harness, title: "忙碌的直播间", faq: [SIZE, CARE] }));
}

/** Speaks what the room says, as slowly as the room expects, until the test ends. */
async function lendVoice(room: string): Promise<{ close(): void }> {
  const url = `${product.url.replace(/^http/, "ws")}/v1/rooms/${room}/stream?speaks=1`;
  const socket = new WebSocket(url, [STREAM_PROTOCOL, `kaibo.token.${product.tokens.room}`]);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("message", () => resolve(), { once: true });
    socket.addEventListener("error", () => reject(new Error("the voice could not follow the room")));
  });
  return socket;
}

function aCrowd(count: number, toText: (index: number) => string): object[] {
  return Array.from({ length: count }, (_, index) => ({
    id: crypto.randomUUID(),
    text: toText(index),
    viewer: { id: crypto.randomUUID(), name: `观众${index}` },
  }));
}

/** Posts a question past the browser, as another viewer would. */
async function askElsewhere(room: string, text: string): Promise<void> {
  await call("POST", `/v1/rooms/${room}/messages`, {
    id: crypto.randomUUID(),
    text,
    viewer: { id: "v-else", name: "路人" },
  });
}

/** Everything that the room has said and been asked, read past the browser until the log's present end. */
async function readLog(room: string): Promise<{ questions: string[]; sentences: string[] }> {
  const log: { questions: string[]; sentences: string[] } = { questions: [], sentences: [] };
  const url = `${product.url.replace(/^http/, "ws")}/v1/rooms/${room}/stream?after=0`;
  const socket = new WebSocket(url, [STREAM_PROTOCOL, `kaibo.token.${product.tokens.page}`]);
  await new Promise<void>((resolve, reject) => {
    let endSeq = Number.POSITIVE_INFINITY;
    socket.addEventListener("error", () => reject(new Error("the log could not be read")));
    socket.addEventListener("message", ({ data }) => {
      for (const frame of parseStreamText(String(data))) {
        if (frame.type === "hello") endSeq = frame.seq;
        if (frame.type === "message") log.questions.push(frame.message.text);
        if (frame.type === "sentence") log.sentences.push(frame.sentence.text);
        if (frame.seq >= endSeq && frame.type !== "hello") resolve();
      }
    });
  });
  socket.close();
  return log;
}

describe("the live page", () => {
  it("shows the host's answer as subtitles, and the turn as a timeline in words and ms", async ({ expect }) => {
    const { page, errors } = await openDesk();
    const question = aQuestion("1号链接多少钱？");
    await ask(page, question);
    await page.locator("#subtitles .line-caption").filter({ hasText: question }).waitFor();
    await waitForAnswer(page, question);
    expect(await page.locator("#subtitles .line.is-latest").count()).toBe(1);
    expect(await page.locator("#subtitles .line.is-latest .line-text").innerText()).not.toBe("");
    expect(await page.locator("#subtitles").getAttribute("aria-live")).toBe("polite");
    const turn = page.locator("#turns .turn").filter({ hasText: question });
    expect(await turn.locator("svg.timeline").first().getAttribute("aria-label")).toMatch(
      /时间线：.*首句 [\d.]+ (ms|s) · 共 [\d.]+ (ms|s)/,
    );
    await turn.locator("summary").first().click();
    await turn.locator(".gantt-row").first().waitFor();
    expect(await turn.locator(".turn-detail").innerText()).toContain("live-host@");
    expect(await page.locator('#figures [data-figure="p50"] dd').innerText()).toMatch(/\d (ms|s)$/);
    expect(errors).toEqual([]);
  });

  it("takes the token out of the address bar and knows it again after a reload", async ({ expect }) => {
    const { page, errors } = await openDesk();
    expect(page.url()).not.toContain(product.tokens.page);
    await page.reload();
    await page.locator('#link-state[data-status="connected"]').waitFor();
    expect(roomOf(page)).not.toBe("");
    expect(errors).toEqual([]);
  });

  it("asks for a token when it has none, and says what is wrong with a bad one", async ({ expect }) => {
    const { page, errors } = await openPage(browser);
    await page.goto(proxy.url);
    await page.locator("#gate-token").fill("not a token");
    await page.keyboard.press("Enter");
    expect(await page.locator("#gate-error").innerText()).toContain("这不像令牌");
    expect(errors).toEqual([]);
    await page.locator("#gate-token").fill(`${proxy.url}/#token=bad.bad.bad`);
    await page.keyboard.press("Enter");
    await page.locator(".notice").filter({ hasText: "令牌无效" }).waitFor();
    await page.locator("#gate-token").waitFor();
  });

  it("loses and doubles nothing when the line is cut", async ({ expect }) => {
    const { page, errors } = await openDesk();
    const room = roomOf(page);
    const [before, during, after] = [aQuestion("几天发货？"), aQuestion("有运费险吗？"), aQuestion("能退吗？")];
    await ask(page, before);
    await waitForAnswer(page, before);
    proxy.cut();
    await page.locator('#link-state[data-status="waiting"]').waitFor();
    await askElsewhere(room, during);
    proxy.mend();
    await page.locator("#retry").click();
    await page.locator('#link-state[data-status="connected"]').waitFor();
    await ask(page, after);
    await waitForAnswer(page, during);
    await waitForAnswer(page, after);
    const log = await readLog(room);
    expect(await page.locator("#messages .message-text").allInnerTexts()).toEqual(log.questions);
    const shown = await page.locator("#subtitles .line-text").allInnerTexts();
    expect(shown).toEqual(log.sentences.slice(-shown.length));
    expect(errors.filter((error) => !CUT_LINE.test(error))).toEqual([]);
  });

  it("sends a question again with its first id when the first try failed", async ({ expect }) => {
    const { page } = await openDesk();
    const question = aQuestion("还有货吗？");
    proxy.cut();
    await page.locator('#link-state[data-status="waiting"]').waitFor();
    await ask(page, question);
    const notice = page.locator(".notice").filter({ hasText: "连不上服务器" });
    await notice.waitFor();
    proxy.mend();
    await notice.getByRole("button", { name: "再试一次" }).click();
    await waitForAnswer(page, question);
    expect(await theMessage(page, question).count()).toBe(1);
  });

  it("can be used with the keyboard alone", async ({ expect }) => {
    const { page, errors } = await openDesk();
    const question = aQuestion("2号链接多少钱？");
    await page.keyboard.press("/");
    expect(await page.locator("#ask-text").evaluate((input) => input.matches(":focus-visible"))).toBe(true);
    await page.keyboard.type(question);
    await page.keyboard.press("Enter");
    await waitForAnswer(page, question);
    await page.keyboard.press("Escape");
    expect(await page.locator("#ask-text").evaluate((input) => input.matches(":focus"))).toBe(false);
    const turn = page.locator("#turns .turn").filter({ hasText: question });
    await theMessage(page, question).locator("button").focus();
    await page.keyboard.press("Enter");
    await turn.locator(".gantt-row").first().waitFor();
    expect(
      await turn
        .locator("summary")
        .first()
        .evaluate((summary) => summary.matches(":focus")),
    ).toBe(true);
    await page.locator("#room-button").focus();
    await page.keyboard.press("Enter");
    await page.locator("dialog[open] .room-row").first().waitFor();
    await page.keyboard.press("Escape");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it("puts a product on screen, for everyone in the room", async ({ expect }) => {
    const [mine, other] = [await openDesk(), await openDesk()];
    const product = (page: Page) => page.locator("#products .product:not(.is-on-screen)").first();
    const name = await product(mine.page).locator(".product-name").innerText();
    await product(mine.page).getByRole("button").click();
    await other.page.locator("#products .is-on-screen").filter({ hasText: name }).waitFor();
    await mine.page.locator("#products-search").fill("没有这种东西");
    await mine.page.locator("#products-empty").filter({ hasText: "没有符合" }).waitFor();
    expect([...mine.errors, ...other.errors]).toEqual([]);
  });

  it("shows hostile text as text", async ({ expect }) => {
    const { page, errors } = await openDesk();
    const question = aQuestion(
      `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>多少钱`,
    );
    await ask(page, question);
    await waitForAnswer(page, question);
    await page.locator("#turns .turn").filter({ hasText: question }).locator("summary").first().click();
    await page.locator("#turns .gantt-row").first().waitFor();
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await page.title()).not.toContain("owned");
    expect(errors).toEqual([]);
  });

  it.for([
    { width: 320, height: 568 },
    { width: 360, height: 740 },
    { width: 740, height: 360 },
  ])("fits $width × $height without scrolling sideways, in every pane", async ({ width, height }, { expect }) => {
    const { page, errors } = await openDesk({ viewport: { width, height }, hasTouch: true });
    await ask(
      page,
      aQuestion("这款羊毛衫的面料成分和洗涤方式可以详细介绍一下吗https://example.com/averyveryverylongaddress"),
    );
    for (const tab of ["messages", "turns", "products"]) {
      await page.locator(`#tab-${tab}`).click();
      await page.locator(`#pane-${tab}`).waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(
        0,
      );
      const send = await page.locator("#ask-send").boundingBox();
      expect((send?.x ?? 0) + (send?.width ?? width + 1)).toBeLessThanOrEqual(width);
    }
    expect(errors).toEqual([]);
  });

  it("follows the system's colours until the reader chooses, and remembers the choice", async ({ expect }) => {
    const { page } = await openDesk({ colorScheme: "dark" });
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const dark = await background();
    await page.emulateMedia({ colorScheme: "light" });
    const light = await background();
    expect(light).not.toBe(dark);
    await page.locator("#theme").click();
    await page.locator("#theme").click();
    expect(await background()).toBe(dark);
    await page.reload();
    await page.locator("#ask-text").waitFor();
    expect(await background()).toBe(dark);
  });

  it("speaks Chinese and English, and remembers which", async ({ expect }) => {
    const { page, errors } = await openDesk();
    expect(await page.locator("#link-state").innerText()).toBe("已连接");
    await page.locator("#locale").click();
    await page.locator("#link-state").getByText("Connected").waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    expect(await page.locator("#turns-title").innerText()).toBe("Turns");
    await page.reload();
    await page.locator("#link-state").getByText("Connected").waitFor();
    expect(errors).toEqual([]);
  });
});

describe("the live page of a busy room", () => {
  beforeAll(openBusyRoom);

  async function openBusyDesk(options: BrowserContextOptions = {}): Promise<Desk> {
    const desk = await openPage(browser, options);
    await desk.page.goto(`${proxy.url}/#token=${product.tokens.page}&room=${BUSY_ROOM}`);
    await desk.page.locator('#link-state[data-status="connected"]').waitFor();
    return desk;
  }

  it("shows what is merged, dropped, stopped and advised, each in its place", async ({ expect, onTestFinished }) => {
    const voice = await lendVoice(BUSY_ROOM);
    onTestFinished(() => voice.close());
    const { page, errors } = await openBusyDesk();
    expect(await page.locator("#stop").isDisabled()).toBe(true);
    await ask(page, SIZE.question);
    await page.locator('#tally[data-state="on-air"]').waitFor();

    const crowd = [
      ...aCrowd(12, () => CARE.question),
      ...aCrowd(3, () => "哈哈哈哈哈哈"),
      ...aCrowd(1, () => "加我微信 abc12345"),
    ];
    await call("POST", `/v1/rooms/${BUSY_ROOM}/messages`, { messages: crowd });
    await theMessage(page, CARE.question).getByText("12 人在问").waitFor();
    expect(await page.locator("#messages .message-text").allInnerTexts()).toEqual([SIZE.question, CARE.question]);
    expect(await page.locator("#dropped summary").innerText()).toBe("4 条不回答：没有问题可答 3 · 像广告 1");
    expect(await page.locator("#dropped .message").count()).toBe(0);
    await page.locator("#dropped summary").click();
    expect(await page.locator("#dropped .message .badge").first().innerText()).toBe("像广告");
    expect(await page.locator('#figures [data-figure="waiting"] dd').innerText()).toMatch(/^1\/\d+$/);

    const impatient = { ...aCrowd(1, () => "几点下播")[0], ttlMs: 1_000 };
    await call("POST", `/v1/rooms/${BUSY_ROOM}/messages`, impatient);
    await theMessage(page, "几点下播").locator('.badge[data-phase="expired"]').click();
    expect(await page.locator("#expired > summary").innerText()).toBe("1 个问题没等到回答：等太久，已过期 1");
    await page.locator("#expired .turn .turn-facts").filter({ hasText: "等太久，已过期" }).waitFor();

    await page.locator("#messages-scroller").focus();
    await page.keyboard.press(".");
    const stopped = page.locator("#turns .turn").filter({ hasText: SIZE.question });
    await stopped.locator('.badge[data-phase="interrupted"]').waitFor();
    expect(await stopped.locator(".turn-interruptions").innerText()).toMatch(
      /被打断：操作员叫停，立即停声，听到 1 句，最后一句播了 .*，不再接着答。$/,
    );
    expect(await stopped.locator("svg.timeline").first().getAttribute("aria-label")).toContain("打断");
    expect(await page.locator("#subtitles .line").filter({ hasText: LONG }).count()).toBe(1);

    await waitForAnswer(page, CARE.question);
    const answered = page.locator("#turns .turn").filter({ hasText: CARE.question });
    expect(await answered.locator(".turn-merged").innerText()).toBe("12 人在问");
    await answered.locator("summary").first().click();
    await answered.locator(".points").filter({ hasText: "多人在问" }).waitFor();

    await page.locator("#strategy").waitFor();
    expect(await page.locator("#strategy-source").innerText()).toMatch(/^离线规则 · \d\d:\d\d:\d\d$/);
    await page.locator("#strategy summary").click();
    expect(await page.locator("#strategy-summary").textContent()).not.toBe("");
    expect(errors).toEqual([]);
  });

  it("says why nothing was stopped", async ({ expect }) => {
    const { page } = await openBusyDesk();
    await page.route("**/interrupt", (route) =>
      route.fulfill({ status: 404, json: { code: "turn_not_found", title: "No turn is being spoken" } }),
    );
    const voice = await lendVoice(BUSY_ROOM);
    await ask(page, SIZE.question);
    await page.locator("#stop:enabled").click();
    await page.locator(".notice").filter({ hasText: "没有停下：现在没有回答可停" }).waitFor();
    await page.unroute("**/interrupt");
    await page.locator("#stop:enabled").click();
    await page.locator("#stop:disabled").waitFor();
    expect(await page.locator(".notice").count()).toBe(1);
    voice.close();
  });

  it("stays alive in a flood of 2,000 messages, and draws no more often than the screen", async ({ expect }) => {
    const { page, errors } = await openBusyDesk();
    await page.evaluate(`
      window.flood = { frames: 0, draws: 0, longestMs: 0 };
      let lastMs = performance.now();
      const tick = (nowMs) => {
        flood.frames += 1;
        flood.longestMs = Math.max(flood.longestMs, nowMs - lastMs);
        lastMs = nowMs;
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
      new MutationObserver(() => { flood.draws += 1; }).observe(document.querySelector("#messages"), { childList: true });
    `);
    const batches = Array.from({ length: 20 }, (_, batch) =>
      aCrowd(100, (index) => `第${batch}批第${index}个问题是什么`),
    );
    await Promise.all(batches.map((messages) => call("POST", `/v1/rooms/${BUSY_ROOM}/messages`, { messages })));
    await call("PATCH", `/v1/rooms/${BUSY_ROOM}/state`, { onScreenProductId: "p1" });
    await page.locator("#products .is-on-screen").waitFor();
    // The page's own count.
    const flood = (await page.evaluate("flood")) as Record<"frames" | "draws" | "longestMs", number>;
    expect(flood.draws).toBeGreaterThan(0);
    expect(flood.draws).toBeLessThanOrEqual(flood.frames);
    expect(flood.longestMs).toBeLessThan(FREEZE_MS_MAX);
    expect(await page.locator("#messages .message").count()).toBeLessThanOrEqual(200);
    expect(errors).toEqual([]);
  });
});
