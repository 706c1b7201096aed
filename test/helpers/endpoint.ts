/** An OpenAI-compatible endpoint that a test scripts: each request gets the next answer, and is kept. */
import { createServer, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

/** Texts to stream; `hangs` leaves the stream open until the other side goes. */
export type EndpointAnswer = { readonly texts: readonly string[]; readonly hangs?: boolean };

export type Endpoint = {
  /** Base URL, with `/v1`. */
  readonly url: string;
  /** Bodies of the turns' calls so far. */
  readonly requests: readonly string[];
  /** Bodies of calls that only fill the cache: they ask for one token and take no answer of the script. */
  readonly warmUps: readonly string[];
  /** Bodies of the slow strategist's calls, which take no answer of the script either. */
  readonly strategies: readonly string[];
  /** Settles when the client of the n-th request (from 0) has closed its connection before the end. */
  readonly left: (request: number) => Promise<void>;
};

/** How the strategist is asked to write. */
const STRATEGY_MARK = "按【小结】【提示】的格式写";

/** @param strategy - What the strategist is answered. */
export async function startEndpoint(
  answers: readonly EndpointAnswer[],
  strategy = "【小结】观众在问商品。【提示】挑一个问得多的先讲。",
): Promise<Endpoint> {
  const requests: string[] = [];
  const warmUps: string[] = [];
  const strategies: string[] = [];
  const closings = answers.map(() => Promise.withResolvers<void>());
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    if (request.method !== "POST") return void response.writeHead(404).end();
    if (body.includes('"max_tokens":1,')) {
      warmUps.push(body);
      return stream(response, { texts: ["好"] });
    }
    if (body.includes(STRATEGY_MARK)) {
      strategies.push(body);
      return stream(response, { texts: [strategy] });
    }
    const index = requests.push(body) - 1;
    response.on("close", () => {
      if (!response.writableFinished) closings[index]?.resolve();
    });
    stream(response, answers[index] ?? { texts: ["没有更多答案了。"] });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    warmUps,
    strategies,
    left: async (request) => closings[request]?.promise,
  };
}

function stream(response: ServerResponse, { texts, hangs = false }: EndpointAnswer): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const event = (delta: object, finish: string | null = null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  for (const content of texts) event({ content });
  if (hangs) return;
  event({}, "stop");
  response.end("data: [DONE]\n\n");
}
