import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "vitest";
import { parseJson } from "../../../../../shared/core/json.ts";
import { createEdgeApi } from "../../../../../workers/cli/edge-api.ts";
import { runHarness } from "../../../../../workers/cli/harness/harness-command.ts";
import { parseHarness } from "../../../../../workers/cli/harness/harness-options.ts";
import { ROOT } from "../../../../../workers/cli/local/project.ts";
import { readHarness } from "../../../../../workers/cli/harness/read-harness.ts";
import { tempFolder } from "../../../../helpers/temp-folder.ts";

const SAMPLE = path.join(ROOT, "harness-kv/bundles/live-host");
const VERSION = "9f".repeat(32);

const world = {
  clock: { nowMs: Date.now },
  timer: {
    after(delayMs: number, fire: () => void) {
      const timeout = setTimeout(fire, delayMs);
      return () => clearTimeout(timeout);
    },
  },
};

/** Runs `kaibo harness …` against an instance that gives these answers by route. */
async function kaibo(args: readonly string[], answers: Readonly<Record<string, unknown>> = {}) {
  let printed = "";
  const called: string[] = [];
  const fetcher: typeof fetch = async (input, options) => {
    const route = `${options?.method} ${new URL(input instanceof Request ? input.url : input).pathname}`;
    called.push(route);
    const found = answers[route];
    if (found !== undefined) return Response.json(found);
    const refusal = { code: "harness_not_found", title: "There is none", status: 404, details: {} };
    return Response.json(refusal, { status: 404 });
  };
  const ports = {
    out: (text: string) => void (printed += text),
    paint: (style: string, text: string) => (style === "dim" ? text : `<${style}>${text}`),
    openApi: async () => createEdgeApi({ url: "http://kaibo.test", token: "t" }, fetcher),
    world,
  };
  const command = parseHarness(args);
  if (command.name !== "harness") throw new Error(`${args.join(" ")} is another command`);
  const failure = await runHarness(command, ports).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { printed, called, failure };
}

async function aFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await tempFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}

const overSample = (files: Readonly<Record<string, string>> = {}) =>
  aFolder({ "harness.json": '{"extends": "live-host", "name": "shop"}', ...files });

describe("kaibo harness init", () => {
  it.for([[[]], [["--over", "live-host"]]] as const)(
    "makes a harness that passes its check and its own examples: %j",
    async ([options], { expect }) => {
      const folder = path.join(await tempFolder(), "my-shop");
      expect((await kaibo(["init", folder, ...options])).failure).toBeNull();
      const { bundle, problems } = await readHarness(folder);
      expect(bundle.name).toBe("my-shop");
      expect(problems).toEqual([]);
      const { printed, failure } = await kaibo(["test", folder]);
      expect(failure).toBeNull();
      expect(printed).toMatch(/(\d+) of \1 passed\n$/);
    },
  );

  it("leaves a folder alone that is there already", async ({ expect }) => {
    const folder = path.join(await tempFolder(), "shop");
    await mkdir(folder);
    expect((await kaibo(["init", folder])).failure).toMatchObject({ why: "There is something of that name already." });
  });
});

describe("kaibo harness check", () => {
  it("prints what the harness costs, section by section, and that it is good", async ({ expect }) => {
    const { printed, failure } = await kaibo(["check", SAMPLE]);
    expect(failure).toBeNull();
    expect(printed).toMatch(/^part +text +tokens\nsystem +identity +\d+\n/);
    expect(printed).toMatch(/\nevery turn +\d+\n/);
    expect(printed).toMatch(/\nlive-host: good; \d+ example\(s\)\n$/);
  });

  it("prints problems with code, file and line, and fails", async ({ expect }) => {
    const folder = await overSample({ "prompt/speech.md": "一\n{{ x }}" });
    const { printed, failure } = await kaibo(["check", folder]);
    expect(printed).toMatch(/^prompt\/speech\.md:2: error\[unknown-variable\]: .+ → .+\n$/);
    expect(failure).toMatchObject({ exitCode: 1 });
    const json = await kaibo(["check", folder, "--json"]);
    expect(parseJson(json.printed)).toMatchObject({
      isGood: false,
      version: null,
      problems: [{ code: "unknown-variable", file: "prompt/speech.md", line: 2, severity: "error" }],
    });
    expect(json.failure).toMatchObject({ exitCode: 1 });
  });
});

describe("kaibo harness test", () => {
  it("answers the sample's own examples as they ask", async ({ expect }) => {
    const { printed, failure } = await kaibo(["test", SAMPLE, "--json"]);
    expect(failure).toBeNull();
    expect(parseJson(printed)).toMatchObject({ name: "live-host", failed: 0 });
  });

  it("fails with the reply and what is wrong with it", async ({ expect }) => {
    const skill = "---\nname: price\ndescription: 价格\n---\n报价。";
    const example = '{"question": "1号链接多少钱", "mustContain": ["888元"], "mustNotContain": ["359元"]}';
    const folder = await overSample({ "skills/price/SKILL.md": skill, "skills/price/examples.jsonl": example });
    const { printed, failure } = await kaibo(["test", folder]);
    expect(printed).toContain("<red>✗ 1号链接多少钱 skills/price/examples.jsonl:1\n");
    expect(printed).toContain("<red>does not say 「888元」\n    <red>says 「359元」\n");
    expect(failure).toMatchObject({ message: "1 example(s) failed.", exitCode: 1 });
  });

  it("fails where there is nothing to test", async ({ expect }) => {
    const remove = ["logistics", "price-and-promotion", "stock-and-spec"].map((name) => `skills/${name}`);
    const folder = await aFolder({ "harness.json": JSON.stringify({ extends: "live-host", name: "shop", remove }) });
    expect((await kaibo(["test", folder])).failure).toMatchObject({ why: "A test of nothing proves nothing." });
  });

  it("refuses a room that does not read", async ({ expect }) => {
    expect((await kaibo(["test", SAMPLE, "--room", "nowhere"])).failure).toMatchObject({
      message: "The room nowhere does not read.",
    });
  });
});

describe("kaibo harness diff", () => {
  it("shows two folders as a review", async ({ expect }) => {
    const folder = await overSample({ "prompt/turn-state.md": "现在：\n{{ turn.state }}" });
    const { printed, failure, called } = await kaibo(["diff", folder, SAMPLE]);
    expect(failure).toBeNull();
    expect(called).toEqual([]);
    expect(printed).toContain('<bold>harness.json\n  name: <red>"live-host" → <green>"shop"\n');
    expect(printed).toContain("<bold>prompt/turn-state.md\n<cyan>@@ -1,1 +1,2 @@\n<green>+现在：\n {{ turn.state }}\n");
    expect(printed).toMatch(/turn +turn-state +4 +9 +\+5\nevery turn +\d+ +\d+ +\+5\n$/);
  });

  it("compares with what a channel serves", async ({ expect }) => {
    const { bundle } = await readHarness(SAMPLE);
    const answers = {
      "GET /v1/harnesses/live-host/channels/production": { name: "live-host", channel: "production", version: VERSION },
      [`GET /v1/harnesses/live-host/versions/${VERSION}`]: { name: "live-host", version: VERSION, bundle },
    };
    const { printed, failure, called } = await kaibo(["diff", SAMPLE], answers);
    expect(failure).toBeNull();
    expect(called).toEqual(Object.keys(answers));
    expect(printed).toMatch(/\nNo difference\.\n$/);
    const json = parseJson((await kaibo(["diff", SAMPLE, "--version", VERSION, "--json"], answers)).printed);
    expect(json).toMatchObject({ name: "live-host", changes: [], tokens: [] });
  });

  it("says that a version is not there", async ({ expect }) => {
    const { failure } = await kaibo(["diff", SAMPLE, "--version", VERSION]);
    expect(failure).toMatchObject({ message: `Version ${VERSION} of live-host could not be read.` });
  });
});

describe("kaibo harness push", () => {
  it("pushes what passes, whole and without `extends`, and prints it as JSON", async ({ expect }) => {
    const pushed = { name: "shop", version: VERSION, bytes: 9, created: true, problems: [] };
    const { printed, failure, called } = await kaibo(["push", await overSample(), "--json"], {
      "GET /v1/harnesses/shop/releases": { name: "shop", channels: [], canaries: [], freezes: [] },
      "POST /v1/harnesses": pushed,
    });
    expect(failure).toBeNull();
    expect(called).toEqual(["GET /v1/harnesses/shop/releases", "POST /v1/harnesses"]);
    expect(parseJson(printed)).toMatchObject({ name: "shop", version: VERSION, created: true, moved: null });
  });

  it("asks no instance about a harness that has faults", async ({ expect }) => {
    const { failure, called } = await kaibo(["push", await overSample({ "prompt/speech.md": "{{ x }}" })]);
    expect(failure).toMatchObject({ message: expect.stringContaining("has 1 error(s)") });
    expect(called).toEqual([]);
  });
});
