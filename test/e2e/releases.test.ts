/** A version's way through the command line: pushed, tried by a canary, released, rolled back, and all of it in the log. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { startProduct, type RunningProduct } from "../helpers/product.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const ROOM = "yanxuan-home";

let product: RunningProduct;
let folder: string;

beforeAll(async () => {
  product = await startProduct();
  folder = await mkdtemp(path.join(tmpdir(), "kaibo-releases-"));
  const settings = { extends: "live-host", name: "live-host", description: "改过的主播" };
  await writeFile(path.join(folder, "harness.json"), JSON.stringify(settings));
});

afterAll(async () => {
  await product.stop();
  await rm(folder, { recursive: true, force: true });
});

/** One command against the product, as an operator; everything that it printed. */
function kaibo(args: readonly string[], token = product.tokens.operator): Promise<{ code: number; printed: string }> {
  const env = { ...process.env, KAIBO_URL: product.url, KAIBO_TOKEN: token, KAIBO_SIGNING_KEY: "", NO_COLOR: "1" };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["workers/cli/kaibo.mjs", ...args],
      { cwd: ROOT, env },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, printed: stdout + stderr }),
    );
  });
}

/** What a command that works prints with --json. */
async function answerOf<Answer>(args: readonly string[], token?: string): Promise<Answer> {
  const { code, printed } = await kaibo([...args, "--json"], token);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${printed}`);
  return JSON.parse(printed) as Answer;
}

/** The version that the sample's room runs. */
async function versionOfRoom(): Promise<string> {
  const response = await fetch(`${product.url}/v1/rooms/${ROOM}`, {
    headers: { authorization: `Bearer ${product.tokens.operator}` },
  });
  const view = (await response.json()) as { harness: { version: string } };
  return view.harness.version;
}

describe("kaibo harness", () => {
  it("takes a version from a folder to all rooms and back, and the log holds", async ({ expect }) => {
    const before = await versionOfRoom();
    const pushed = await answerOf<{ version: string; parent: string }>([
      "harness",
      "push",
      folder,
      "--notes",
      "试一试",
    ]);
    expect(pushed.parent).toBe(before);
    const short = pushed.version.slice(0, 8);

    const canary = await kaibo(["harness", "canary", "live-host", short, "--rooms", ROOM]);
    expect(canary).toMatchObject({ code: 0, printed: expect.stringContaining("1 room updated") });
    expect(await versionOfRoom()).toBe(pushed.version);

    const released = await kaibo(["harness", "release", "live-host", short]);
    expect(released.printed).toContain(`live-host production: ${before.slice(0, 8)} → ${short}\n`);
    expect(await versionOfRoom()).toBe(pushed.version);

    const rolledBack = await answerOf<{ version: string; previous: string }>(["harness", "rollback", "live-host"]);
    expect(rolledBack).toMatchObject({ version: before, previous: pushed.version });
    expect(await versionOfRoom()).toBe(before);

    const list = await kaibo(["harness", "list", "live-host"]);
    expect(list.printed).toMatch(new RegExp(`\n${short} .* - +试一试\n${before.slice(0, 8)} .* production `));

    const { head } = await answerOf<{ head: { seq: number; hash: string } }>(
      ["audit", "verify"],
      product.tokens.governor,
    );
    const log = await kaibo(["audit", "verify", "--expect-head", `${head.seq}:${head.hash}`], product.tokens.governor);
    expect(log).toMatchObject({ code: 0, printed: expect.stringContaining("The chain holds") });
    expect((await kaibo(["audit", "list"])).printed).toMatch(/ set-canary [^]* move [^]* roll-back /);
  });

  it("gives a version back as a folder that is the same version", async ({ expect }) => {
    const pulled = path.join(folder, "pulled");
    const { version } = await answerOf<{ version: string }>(["harness", "pull", "live-host", "--to", pulled]);
    const again = await answerOf<{ version: string; created: boolean }>(["harness", "push", pulled]);
    expect(again).toMatchObject({ version, created: false });
  });

  it("says what it does not find, and fails", async ({ expect }) => {
    const { code, printed } = await kaibo(["harness", "release", "live-host", "0000000"]);
    expect(code).toBe(1);
    expect(printed).toContain("live-host has no version 0000000.");
  });
});
