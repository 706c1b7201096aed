import { describe, it } from "vitest";
import { runEndpoint } from "../../../../../workers/cli/endpoint/endpoint-command.ts";
import { parseEndpoint } from "../../../../../workers/cli/endpoint/endpoint-options.ts";
import { anEndpoint } from "./an-endpoint.ts";

const NOT_FOUND = { code: "endpoint_not_found", title: "The endpoint does not exist", status: 404, details: {} };

describe("runEndpoint", () => {
  it("lists and shows for people", async ({ expect }) => {
    const listed = await run("list", { "GET /v1/endpoints": { endpoints: [anEndpoint()] } });
    expect(listed.printed).toMatch(/^name .*\nh20 /);
    const shown = await run("show h20", { "GET /v1/endpoints/h20": anEndpoint() });
    expect(shown.printed).toMatch(/^h20: changed/);
  });

  it("prints the answer as one line of JSON when asked to", async ({ expect }) => {
    const { printed } = await run("show h20 --json", { "GET /v1/endpoints/h20": anEndpoint() });
    expect(JSON.parse(printed)).toEqual(anEndpoint());
    expect(printed.match(/\n/g)).toHaveLength(1);
  });

  it("makes a new endpoint, with the defaults for what was not given", async ({ expect }) => {
    const { sent, printed } = await run("set h20 --url http://gpu:8000/v1/ --model Qwen3", {
      "GET /v1/endpoints/h20": NOT_FOUND,
      "PUT /v1/endpoints/h20": { ...anEndpoint(), warnings: [] },
    });
    expect(sent.at(-1)).toEqual(["PUT /v1/endpoints/h20", anEndpoint().config, undefined]);
    expect(printed).toContain("h20 was checked and saved");
  });

  it("keeps what a change does not name, and takes back what it clears", async ({ expect }) => {
    const stored = anEndpoint({ config: { slots: 8, keyBinding: "INFERENCE_KEY_A", fields: ["priority"] } });
    const { sent } = await run("set h20 --tier fallback --key-binding none --fields auto", {
      "GET /v1/endpoints/h20": stored,
      "PUT /v1/endpoints/h20": { ...stored, warnings: [] },
    });
    expect(sent.at(-1)?.[1]).toEqual(anEndpoint({ config: { slots: 8, tier: "fallback" } }).config);
  });

  it.for([
    [anEndpoint({ revision: 7 }), '"7"'],
    [anEndpoint({ revision: null, source: "settings" }), undefined],
    [NOT_FOUND, undefined],
  ] as const)("changes only what it has read: %#", async ([stored, tag], { expect }) => {
    const { sent } = await run("set h20 --url http://gpu:8000/v1 --model Qwen3", {
      "GET /v1/endpoints/h20": stored,
      "PUT /v1/endpoints/h20": { ...anEndpoint(), warnings: [] },
    });
    expect(sent.at(-1)?.[2]).toBe(tag);
  });

  it("says to look again when another operator was faster", async ({ expect }) => {
    const setting = run("set h20 --slots 8", {
      "GET /v1/endpoints/h20": anEndpoint(),
      "PUT /v1/endpoints/h20": {
        code: "endpoint_changed",
        title: "The endpoint has changed since; read it again",
        status: 409,
        details: { name: "h20", expectedRevision: 3 },
      },
    });
    await expect(setting).rejects.toMatchObject({
      message: "Endpoint h20 was not saved.",
      next: expect.stringContaining("Look again (npx kaibo endpoint show"),
      exitCode: 1,
    });
  });

  it("does not make an endpoint without its address and model", async ({ expect }) => {
    const setting = run("set h20 --slots 8", { "GET /v1/endpoints/h20": NOT_FOUND });
    await expect(setting).rejects.toMatchObject({ message: "There is no endpoint h20 yet.", exitCode: 2 });
  });

  it("repeats why a server was refused", async ({ expect }) => {
    const problems = "kind: Tool calls come as text";
    const refusal = {
      code: "endpoint_refused",
      title: "The server cannot serve turns",
      status: 422,
      details: { problems },
    };
    const setting = run("set h20 --slots 8", {
      "GET /v1/endpoints/h20": anEndpoint(),
      "PUT /v1/endpoints/h20": refusal,
    });
    await expect(setting).rejects.toMatchObject({
      message: "Endpoint h20 was not saved.",
      why: expect.stringContaining(problems),
      next: expect.stringContaining("kaibo endpoint set"),
    });
  });

  it("prints a check and fails when it found a problem", async ({ expect }) => {
    const good = { ...anEndpoint(), problems: [], warnings: [] };
    const { printed } = await run("check h20", { "POST /v1/endpoints/h20/check": good });
    expect(printed).toMatch(/^✓ tools\n[\s\S]*h20: good\n$/);
    const bad = { ...good, problems: [{ field: "model", reason: "The server has no model." }] };
    const lines: string[] = [];
    const checking = run("check h20", { "POST /v1/endpoints/h20/check": bad }, lines);
    await expect(checking).rejects.toMatchObject({ message: "Turns cannot rely on h20.", exitCode: 1 });
    expect(lines.join("")).toContain("problem model: The server has no model.\n");
  });

  it("removes one, whatever the body of the answer", async ({ expect }) => {
    const { sent, printed } = await run("remove h20", { "DELETE /v1/endpoints/h20": null });
    expect(sent).toEqual([["DELETE /v1/endpoints/h20", undefined, undefined]]);
    expect(printed).toBe("h20 was removed\n");
    await expect(run("remove h20", { "DELETE /v1/endpoints/h20": NOT_FOUND })).rejects.toMatchObject({
      next: "npx kaibo endpoint list",
    });
  });
});

/** Runs a command against an instance with these answers; one with a `status` is a refusal, `null` is no body. */
async function run(command: string, answers: Readonly<Record<string, unknown>>, lines: string[] = []) {
  const sent: [call: string, body: unknown, ifMatch: string | undefined][] = [];
  await runEndpoint(
    parseEndpoint(command.split(" ")),
    { url: "http://127.0.0.1:8787", token: "t.o.k" },
    {
      out: (text) => void lines.push(text),
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const call = `${request.method} ${new URL(request.url).pathname}`;
        const body = request.body === null ? undefined : await request.json();
        sent.push([call, body, request.headers.get("if-match") ?? undefined]);
        const answer = answers[call];
        if (answer === undefined) throw new Error(`${call} was not expected`);
        return answer === null
          ? new Response(null, { status: 204 })
          : Response.json(answer, { status: statusOf(answer) });
      },
    },
  );
  return { sent, printed: lines.join("") };
}

function statusOf(answer: unknown): number {
  const hasStatus = typeof answer === "object" && answer !== null && "status" in answer;
  return hasStatus && typeof answer.status === "number" ? answer.status : 200;
}
