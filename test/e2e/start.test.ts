/**
 * What a person does on a fresh machine: start, ask, stop. The real commands, in processes of their own, with the real
 * Worker in workerd. No test waits for a time: each waits for a line, an answer or an exit.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../..");

type Running = {
  readonly child: ChildProcess;
  /** All that was printed so far. */
  readonly printed: () => string;
  /** Settles when the text has been printed; fails when the command ends first. */
  readonly says: (text: string) => Promise<void>;
  readonly ended: Promise<{ code: number | null; printed: string }>;
};

let stateFolder: string;
let port: number;
let product: Running;

beforeAll(async () => {
  stateFolder = await mkdtemp(path.join(tmpdir(), "kaibo-start-"));
  port = await findFreePort();
  product = kaibo(["start"]);
  await product.says("Ctrl-C ends everything");
});

afterAll(async () => {
  product.child.kill("SIGTERM");
  await product.ended;
  await rm(stateFolder, { recursive: true, force: true, maxRetries: 3 });
});

describe("kaibo start", () => {
  it("shows every stage, the page's address and what to try", ({ expect }) => {
    const printed = product.printed();
    for (const stage of ["1/4", "2/4", "3/4", "4/4"]) expect(printed).toContain(`  ${stage} `);
    expect(printed).toMatch(new RegExp(`http://127\\.0\\.0\\.1:${port}/#token=[\\w-]+\\.[\\w-]+\\.[\\w-]+`));
    expect(printed).toContain("the offline policy");
  });

  it("serves the page", async ({ expect }) => {
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("<!doctype html>");
  });

  it("refuses a second instance on the same rooms, and says where the first is", async ({ expect }) => {
    const { code, printed } = await kaibo(["start"], { PORT: String(await findFreePort()) }).ended;
    expect(code).toBe(1);
    expect(printed).toContain(`Kaibo already runs at http://127.0.0.1:${port}.`);
  });

  it("refuses a busy port, and says which one would do", async ({ expect }) => {
    const { code, printed } = await kaibo(["start"], { KAIBO_STATE_DIR: path.join(stateFolder, "other") }).ended;
    expect(code).toBe(1);
    expect(printed).toContain(`Port ${port} is busy.`);
    expect(printed).toMatch(/Next: PORT=\d+ npm start/);
  });

  it("refuses a PORT that is none", async ({ expect }) => {
    const { code, printed } = await kaibo(["start"], { PORT: "http", KAIBO_STATE_DIR: "/nonexistent" }).ended;
    expect(code).toBe(2);
    expect(printed).toContain("PORT=http is no port.");
  });
});

describe("kaibo ask", () => {
  it("prints what is said about a product, then the timings", async ({ expect }) => {
    const { code, printed } = await kaibo(["ask", "1号链接多少钱"]).ended;
    expect(printed).toMatch(/\p{Script=Han}[^\n]*\n[^]*first sentence \d+ ms/u);
    expect(printed).toContain("live-host@");
    expect(code).toBe(0);
  });

  it("prints every event as a line of JSON with --json", async ({ expect }) => {
    const { code, printed } = await kaibo(["ask", "有什么优惠", "--json"]).ended;
    const types = printed
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types[0]).toBe("turn-start");
    expect(types).toContain("sentence");
    expect(types.at(-1)).toBe("turn-end");
    expect(code).toBe(0);
  });

  it("fails for a room that does not exist, with a sentence", async ({ expect }) => {
    const { code, printed } = await kaibo(["ask", "在吗", "--room", "no-such-room"]).ended;
    expect(code).toBe(1);
    expect(printed).toContain("room_not_found");
  });

  it("fails when no instance runs here, with a sentence", async ({ expect }) => {
    const { code, printed } = await kaibo(["ask", "在吗"], { KAIBO_STATE_DIR: path.join(stateFolder, "other") }).ended;
    expect(code).toBe(1);
    expect(printed).toContain("No instance runs on this machine.");
    expect(printed).toContain("npm start");
  });
});

describe("Ctrl-C", () => {
  it("ends everything that was started, frees the port, and keeps the rooms for the next start", async ({ expect }) => {
    const own = { KAIBO_STATE_DIR: path.join(stateFolder, "ctrl-c"), PORT: String(await findFreePort()) };
    const first = kaibo(["start"], own);
    await first.says("Ctrl-C ends everything");
    const family = childrenOf(first.child.pid ?? 0);
    expect(family.length).toBeGreaterThanOrEqual(2);
    first.child.kill("SIGINT");
    const { code, printed } = await first.ended;
    expect(code).toBe(0);
    expect(printed).toContain("stopped");
    expect(family.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
    expect(existsSync(path.join(own.KAIBO_STATE_DIR, "kaibo/instance.json"))).toBe(false);

    const second = kaibo(["start"], own);
    await second.says("Ctrl-C ends everything");
    expect(second.printed()).toContain("registry database … up to date");
    second.child.kill("SIGTERM");
    expect((await second.ended).code).toBe(0);
  });
});

function kaibo(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, ["workers/cli/kaibo.mjs", ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      KAIBO_STATE_DIR: stateFolder,
      PORT: String(port),
      INFERENCE_BASE_URL: "",
      KAIBO_URL: "",
      KAIBO_TOKEN: "",
      ...env,
    },
  });
  let printed = "";
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      for (const look of waiting) look();
    });
  }
  const ended = once(child, "close").then(([code]: unknown[]) => ({
    code: typeof code === "number" ? code : null,
    printed,
  }));
  const says = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!printed.includes(text)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
      void ended.then(() => reject(new Error(`ended without "${text}":\n${printed}`)));
    });
  return { child, printed: () => printed, says, ended };
}

/** Processes below one, at any depth, from the kernel's own list. */
function childrenOf(pid: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const status = readStatus(name);
      return status === null ? [] : [{ pid: Number(name), parent: status }];
    });
  const below = (parent: number): number[] =>
    parents.filter((entry) => entry.parent === parent).flatMap((entry) => [entry.pid, ...below(entry.pid)]);
  return below(pid);
}

/** The parent of a process, or null when it has ended meanwhile. */
function readStatus(pid: string): number | null {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return null;
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}
