/**
 * `npm run bench:turn [-- --json FILE] [--turns N]`: what the product adds to a turn, over the same loop with bare `fetch`.
 *
 * Both run in workerd, the product as its production bundle, against one mock endpoint in its own process. Rounds are
 * interleaved, so a change of the machine's speed meets both. The endpoint's answers are a fixed script: three model calls
 * a turn, two of them tool calls. The client reads the product's answer as server-sent events, to its `turn-end`.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";
import { roomConfigSchema, type RoomConfig } from "../../shared/contract/room-config.ts";
import { buildProduct } from "../../workers/cli/local/build-product.ts";
import { loadSamples } from "../../workers/cli/local/load-samples.ts";
import { startLocalProduct } from "../../workers/cli/local/local-product.ts";
import { cpuMs, residentMib, runtimePids } from "../helpers/process-figures.ts";
import { servePlainly } from "./serve-plainly.ts";
import { mean, percentile, rounded } from "./statistics.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const ROOM = "yanxuan-home";
const PACINGS = (process.env["BENCH_PACINGS"]?.split(",") ?? ["zero", "5ms", "trace"]) as ("zero" | "5ms" | "trace")[];
const WARM_UP_TURNS = 40;
const PREFIX_TURNS = 50;
const CAPACITIES = ["adaptive", "unlimited"] as const;
const ADMISSION_BLOCKS = 8;
const ADMISSION_TURNS = 40;
const ADMISSION_WARM_UPS = 5;

type Pacing = (typeof PACINGS)[number];
type Turn = { readonly totalMs: number; readonly firstSentenceMs: number };
type Variant = {
  readonly name: string;
  readonly pid: number;
  readonly startMs: number;
  readonly ask: (text: string) => Promise<Turn>;
};

const { values } = parseArgs({
  options: { json: { type: "string" }, turns: { type: "string", default: "300" } },
});
const turnsMax = Number(values.turns);

const config = roomConfigSchema.parse(
  JSON.parse(await readFile(path.join(ROOT, `harness-kv/rooms/${ROOM}/room.json`), "utf8")),
);
const questions = (await readFile(path.join(ROOT, `harness-kv/rooms/${ROOM}/comments.jsonl`), "utf8"))
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as { text: string; category: string })
  .filter(({ category }) => category !== "injection")
  .map(({ text }) => text);
const stateFolder = await mkdtemp(path.join(tmpdir(), "kaibo-bench-"));
const stops: (() => unknown)[] = [() => rm(stateFolder, { recursive: true, force: true })];

try {
  const mock = await startMock(finalText(config));
  const product = await startProductVariant(mock.url);
  const bare = await startBareVariant(mock.url);
  const report: Record<string, unknown> = {
    turns: turnsMax,
    startMs: { product: product.startMs, bare: bare.startMs },
  };

  for (const pacing of PACINGS) report[pacing] = await comparePacing(pacing, product, bare, mock);
  report["admissionMs"] = await measureAdmission(product, mock);
  report["prefix"] = await measurePrefix(product, mock);
  report["rowsPerTurn"] = await measureRows(product);
  report["bundleGzKib"] = await bundleGzKib();
  report["residentMib"] = { product: rounded(residentMib(product.pid)), bare: rounded(residentMib(bare.pid)) };
  printReport(report);
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`);
} finally {
  for (const stop of stops.toReversed()) await stop();
}

/** True of the room, so that the product's hooks let it pass; 80 characters or a few more, streamed in 80 chunks. */
function finalText({ products }: RoomConfig): string {
  const first = products.find(({ link }) => link === 1);
  const price = (first?.skus[0]?.priceCents ?? 0) / 100;
  return `您问的1号链接就是${first?.name}哈。现在直播间价格是${price}元，规格选好就能下单。喜欢的宝宝可以直接点下面的链接看看详情，颜色和尺寸都在页面上，选好以后直接下单就行，有问题随时发弹幕问我。`;
}

async function startMock(text: string) {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "mock-endpoint.ts")], {
    env: { ...process.env, MOCK_TEXT: text },
    stdio: ["ignore", "pipe", "inherit"],
  });
  stops.push(() => child.kill());
  const [port] = await new Promise<string[]>((resolve) => {
    createInterface({ input: child.stdout }).once("line", (line) => resolve([line]));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    setPacing: (pacing: Pacing) => fetch(`${url}/pacing/${pacing}`),
    reset: () => fetch(`${url}/reset`),
    stats: async () =>
      (await (await fetch(`${url}/stats`)).json()) as {
        requests: number;
        requestBytes: number;
        prefixShares: number[];
      },
  };
}

async function startProductVariant(mockUrl: string) {
  const before = new Set(runtimePids());
  await buildProduct();
  const startedMs = performance.now();
  const env = { INFERENCE_BASE_URL: `${mockUrl}/v1`, INFERENCE_MODEL: "mock" };
  const product = await startLocalProduct({ port: 0, stateFolder, env });
  await fetch(`${product.url}/healthz`);
  const startMs = performance.now() - startedMs;
  stops.push(product.stop);
  await loadSamples({ url: product.url, token: product.tokens.page });
  await servePlainly({ url: product.url, token: product.tokens.page });
  let asked = 0;
  return {
    name: "product",
    pid: newPid(before),
    startMs: rounded(startMs),
    url: product.url,
    token: product.tokens.page,
    ask: (text: string) => askProduct(product.url, product.tokens.room, { id: `bench-${(asked += 1)}`, text }),
  };
}

async function askProduct(url: string, token: string, message: { id: string; text: string }): Promise<Turn> {
  const startedMs = performance.now();
  const response = await fetch(`${url}/v1/rooms/${ROOM}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify(message),
  });
  let firstSentenceMs = Number.NaN;
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (Number.isNaN(firstSentenceMs) && text.includes("event: sentence"))
      firstSentenceMs = performance.now() - startedMs;
  }
  const totalMs = performance.now() - startedMs;
  if (!text.includes('"outcome":"answered"')) throw new Error(`A turn was not answered:\n${text}`);
  return { totalMs, firstSentenceMs };
}

async function startBareVariant(mockUrl: string): Promise<Variant> {
  const before = new Set(runtimePids());
  const startedMs = performance.now();
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      log: new Log(LogLevel.NONE),
      workers: [
        {
          name: "bare",
          modules: true,
          scriptPath: path.join(import.meta.dirname, "bare-worker.js"),
          compatibilityDate: "2026-11-02",
          compatibilityFlags: ["enable_request_signal"],
          bindings: { BASE_URL: `${mockUrl}/v1`, PROMPT: await barePrompt() },
        },
      ],
    }),
  );
  stops.push(() => runtime.dispose());
  const url = (await runtime.ready).origin;
  const startMs = rounded(performance.now() - startedMs);
  return {
    name: "bare",
    pid: newPid(before),
    startMs,
    async ask(text) {
      const askedMs = performance.now();
      const response = await fetch(url, { method: "POST", body: JSON.stringify({ text }) });
      const answer = await response.text();
      // It streams its text a token an event, so no two characters stand together.
      if (!answer.includes("链")) throw new Error("The bare loop did not answer");
      return { totalMs: performance.now() - askedMs, firstSentenceMs: Number.NaN };
    },
  };
}

/** The same bytes to send as the product: its own prompt and tools, as its code builds them for this room. */
async function barePrompt(): Promise<string> {
  const { samplePrompt } = await import("./sample-prompt.ts");
  return JSON.stringify(await samplePrompt(config));
}

function newPid(before: ReadonlySet<number>): number {
  const [pid] = runtimePids().filter((candidate) => !before.has(candidate));
  if (pid === undefined) throw new Error("No runtime was started");
  return pid;
}

async function comparePacing(
  pacing: Pacing,
  product: Variant,
  bare: Variant,
  mock: Awaited<ReturnType<typeof startMock>>,
) {
  await mock.setPacing(pacing);
  const turns = pacing === "zero" ? turnsMax : Math.max(20, Math.round(turnsMax / 5));
  const warmUps = pacing === "zero" ? WARM_UP_TURNS * 4 : 3;
  for (let turn = 0; turn < warmUps; turn += 1)
    for (const variant of [product, bare]) await variant.ask(question(turn));
  const samples = { product: [] as Turn[], bare: [] as Turn[] };
  const cpuBefore = { product: cpuMs(product.pid), bare: cpuMs(bare.pid) };
  for (let turn = 0; turn < turns; turn += 1) {
    // The order alternates, so that neither always runs on what the other left warm.
    const order = turn % 2 === 0 ? [product, bare] : [bare, product];
    for (const variant of order)
      samples[variant === product ? "product" : "bare"].push(await variant.ask(question(turn)));
    if (process.stderr.isTTY) process.stderr.write(`\r${pacing}: ${turn + 1}/${turns} turns `);
  }
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  const totals = (name: "product" | "bare") => samples[name].map(({ totalMs }) => totalMs);
  const at = (share: number) => ({
    product: rounded(percentile(totals("product"), share)),
    bare: rounded(percentile(totals("bare"), share)),
    added: rounded(percentile(totals("product"), share) - percentile(totals("bare"), share)),
  });
  const cpu = {
    product: rounded((cpuMs(product.pid) - cpuBefore.product) / turns),
    bare: rounded((cpuMs(bare.pid) - cpuBefore.bare) / turns),
  };
  return {
    turns,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    firstSentenceP50: rounded(
      percentile(
        samples.product.map(({ firstSentenceMs }) => firstSentenceMs),
        0.5,
      ),
    ),
    cpuMsPerTurn: { ...cpu, ratio: rounded(cpu.product / cpu.bare) },
  };
}

/**
 * What asking for a slot adds to a turn: the same endpoint with its learned limit, and as one that admits every turn
 * without asking. Blocks of turns take turns.
 */
async function measureAdmission(
  product: Awaited<ReturnType<typeof startProductVariant>>,
  mock: Awaited<ReturnType<typeof startMock>>,
) {
  await mock.setPacing("zero");
  const samples = { adaptive: [] as number[], unlimited: [] as number[] };
  for (let block = 0; block < ADMISSION_BLOCKS; block += 1) {
    for (const capacity of block % 2 === 0 ? CAPACITIES : CAPACITIES.toReversed()) {
      await putEndpoint(product, { baseUrl: `${mock.url}/v1`, model: "mock", kind: "vllm", capacity });
      for (let turn = 0; turn < ADMISSION_WARM_UPS; turn += 1) await product.ask(question(turn));
      for (let turn = 0; turn < ADMISSION_TURNS; turn += 1) {
        samples[capacity].push((await product.ask(question(turn))).totalMs);
      }
    }
  }
  const medians = { adaptive: percentile(samples.adaptive, 0.5), unlimited: percentile(samples.unlimited, 0.5) };
  return {
    turns: samples.adaptive.length,
    withP50: rounded(medians.adaptive),
    withoutP50: rounded(medians.unlimited),
    addedP50: rounded(medians.adaptive - medians.unlimited),
  };
}

async function putEndpoint({ url, token }: { url: string; token: string }, config: object): Promise<void> {
  const response = await fetch(`${url}/v1/endpoints/mock`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(config),
  });
  if (!response.ok) throw new Error(`The endpoint was refused: ${await response.text()}`);
}

async function measurePrefix(
  product: Awaited<ReturnType<typeof startProductVariant>>,
  mock: Awaited<ReturnType<typeof startMock>>,
) {
  await mock.setPacing("zero");
  await mock.reset();
  for (let turn = 0; turn < PREFIX_TURNS; turn += 1) await product.ask(question(turn * 7));
  const { prefixShares, requests, requestBytes } = await mock.stats();
  return {
    turns: PREFIX_TURNS,
    meanShare: rounded(mean(prefixShares)),
    minShare: rounded(Math.min(...prefixShares)),
    requestKib: rounded(requestBytes / requests / 1_024),
  };
}

/** Rows that the room's object wrote, by its own count, over turns that followed each other. */
async function measureRows(product: Awaited<ReturnType<typeof startProductVariant>>) {
  const read = async () => {
    const response = await fetch(`${product.url}/v1/rooms/${ROOM}`, {
      headers: { authorization: `Bearer ${product.token}` },
    });
    return ((await response.json()) as { rowsWritten: number }).rowsWritten;
  };
  const before = await read();
  const turns = 20;
  for (let turn = 0; turn < turns; turn += 1) await product.ask(question(turn));
  return rounded(((await read()) - before) / turns);
}

async function bundleGzKib() {
  const { workerFolder } = await buildProduct();
  return rounded(gzipSync(await readFile(path.join(workerFolder, "index.js"))).byteLength / 1_024);
}

function question(index: number): string {
  return questions[index % questions.length] ?? "1号链接多少钱";
}

function printReport(report: Record<string, unknown>): void {
  const rows = PACINGS.flatMap((pacing) => {
    const result = report[pacing] as Awaited<ReturnType<typeof comparePacing>>;
    return (["p50", "p95", "p99"] as const).map((name) => ({
      pacing,
      figure: `turn ${name}, ms`,
      product: result[name].product,
      bare: result[name].bare,
      added: result[name].added,
      "added, %": rounded((result[name].added / result[name].bare) * 100),
    }));
  });
  console.table(rows);
  console.table(
    PACINGS.map((pacing) => {
      const result = report[pacing] as Awaited<ReturnType<typeof comparePacing>>;
      return {
        pacing,
        "first sentence p50, ms": result.firstSentenceP50,
        ...prefixed(result.cpuMsPerTurn, "CPU ms/turn "),
      };
    }),
  );
  const { zero: _zero, "5ms": _five, trace: _trace, ...rest } = report;
  for (const [name, value] of Object.entries(rest)) console.log(`${name}: ${JSON.stringify(value)}`);
}

function prefixed(figures: Readonly<Record<string, number>>, prefix: string): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}${name}`, value]));
}
