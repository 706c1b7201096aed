import { createServer, type IncomingHttpHeaders } from "node:http";
import { describe, it, onTestFinished, vi } from "vitest";
import packageJson from "../../../../package.json" with { type: "json" };
import { type FinishedTurn, toOtlpTraces } from "../../../../shared/inference/gen-ai-spans.ts";
import { createSpanExporter, SERVICE } from "../../../../workers/inference/export-spans.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";

const TURN: FinishedTurn = {
  room: "room-1",
  merchant: "m1",
  turn: "t1",
  attempt: 1,
  harness: { name: "live-host", version: "a".repeat(64) },
  startedAtMs: 1_700_000_000_000,
  endedAtMs: 1_700_000_000_900,
  outcome: "answered",
  reason: null,
  firstSentenceMs: 300,
  trace: { steps: [], hooks: [], model: { endpoint: "offline", model: "offline-policy" }, admission: null },
};

type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };

/** A collector that answers with `status`, or, with `null`, never. */
async function startCollector(status: number | null) {
  const received: Received[] = [];
  const asked = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    received.push({ path: `${request.method} ${request.url}`, headers: request.headers, body });
    asked.resolve();
    if (status !== null) response.writeHead(status, { location: "/elsewhere" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, received, asked: asked.promise, stop };
}

/** Lines of the log, until the test ends. */
function listenToLog(): string[] {
  const lines: string[] = [];
  const spy = vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
  onTestFinished(() => spy.mockRestore());
  return lines;
}

const codesOf = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as { code: string }).code);

describe("exportSpans", () => {
  it("posts the turn with the headers of the settings", async ({ expect }) => {
    const lines = listenToLog();
    const { url, received } = await startCollector(200);
    const headers = { authorization: "Bearer k3y", "content-type": "text/plain" };
    await createSpanExporter(new FakeTime())({ endpoint: url, headers }, TURN);
    expect(received).toHaveLength(1);
    expect(received[0]?.headers).toMatchObject({ authorization: "Bearer k3y", "content-type": "application/json" });
    expect(JSON.parse(received[0]?.body ?? "")).toEqual(toOtlpTraces(TURN, SERVICE));
    expect(lines).toEqual([]);
  });

  it.for([
    ["", "/v1/traces"],
    ["/", "/v1/traces"],
    ["/otlp/", "/otlp/v1/traces"],
    ["/v1/traces", "/v1/traces"],
    ["/otlp/v1/traces/", "/otlp/v1/traces"],
    ["/otlp?tenant=a", "/otlp/v1/traces?tenant=a"],
  ] as const)("for the endpoint's path %j, it posts to %s", async ([path, wanted], { expect }) => {
    const { url, received } = await startCollector(200);
    await createSpanExporter(new FakeTime())({ endpoint: `${url}${path}`, headers: {} }, TURN);
    expect(received.map((request) => request.path)).toEqual([`POST ${wanted}`]);
  });

  it("does nothing without settings", async ({ expect }) => {
    const time = new FakeTime();
    const fetched = vi.spyOn(globalThis, "fetch");
    onTestFinished(() => fetched.mockRestore());
    await createSpanExporter(time)(null, TURN);
    expect(fetched).not.toHaveBeenCalled();
  });

  it("gives up on a collector that does not answer in 5 s", async ({ expect }) => {
    const lines = listenToLog();
    const time = new FakeTime();
    const { url, asked } = await startCollector(null);
    const exported = createSpanExporter(time)({ endpoint: url, headers: {} }, TURN);
    await asked;
    time.advance(4_999);
    expect(lines).toEqual([]);
    time.advance(1);
    await exported;
    expect(codesOf(lines)).toEqual(["timed_out x1"]);
  });

  it("leaves no timer behind", async ({ expect }) => {
    const time = new FakeTime();
    const { url } = await startCollector(200);
    await createSpanExporter(time)({ endpoint: url, headers: {} }, TURN);
    expect(time.pendingCount).toBe(0);
  });

  it.for([500, 401, 307])("reports the status %i, and no header", async (status, { expect }) => {
    const lines = listenToLog();
    const { url, received } = await startCollector(status);
    await createSpanExporter(new FakeTime())({ endpoint: url, headers: { authorization: "Bearer k3y" } }, TURN);
    expect(codesOf(lines)).toEqual([`http_${status} x1`]);
    expect(lines.join("")).not.toContain("k3y");
    expect(received).toHaveLength(1);
  });

  it("does not reject where nobody listens or a header cannot be sent", async ({ expect }) => {
    const lines = listenToLog();
    const { url, stop } = await startCollector(200);
    stop();
    await createSpanExporter(new FakeTime())({ endpoint: url, headers: {} }, TURN);
    await createSpanExporter(new FakeTime())({ endpoint: url, headers: { key: "k3y\n" } }, TURN);
    expect(codesOf(lines)).toEqual(["unreachable x1", "unreachable x1"]);
    expect(lines.join("")).not.toContain("k3y");
  });

  it("reports once a minute, with the number of turns since the last line", async ({ expect }) => {
    const lines = listenToLog();
    const time = new FakeTime();
    const { url } = await startCollector(500);
    const exportSpans = createSpanExporter(time);
    const fail = () => exportSpans({ endpoint: url, headers: {} }, TURN);
    await fail();
    await fail();
    time.advance(59_999);
    await fail();
    expect(codesOf(lines)).toEqual(["http_500 x1"]);
    time.advance(1);
    await fail();
    expect(codesOf(lines)).toEqual(["http_500 x1", "http_500 x3"]);
  });

  it("tells the version of the package", ({ expect }) => {
    expect(SERVICE).toEqual({ serviceName: packageJson.name, serviceVersion: packageJson.version });
  });
});
