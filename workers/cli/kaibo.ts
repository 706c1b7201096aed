/** The command `kaibo`, under the project's own Node. Reads the command line, runs one command, says how it ended. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { styleText } from "node:util";
import { parseJson } from "../../shared/core/json.ts";
import type { Timer } from "../../shared/core/timer.ts";
import { CliError, formatError, systemCode } from "./cli-error.ts";
import { HELP, parseCommand, type Command } from "./command-line.ts";
import { findTarget } from "./find-target.ts";
import type { Paint } from "./harness-output.ts";
import type { InstanceOptions } from "./read-options.ts";
import { ROOT, stateFolderOf } from "./local/project.ts";

const out = (text: string) => void process.stdout.write(text);
const err = (text: string) => void process.stderr.write(text);
const nowMs = () => performance.now();

const systemTimer: Timer = {
  after(delayMs, fire) {
    const timeout = setTimeout(fire, delayMs);
    return () => clearTimeout(timeout);
  },
};

/** True when `kaibo.mjs` started this process and holds a channel to it. */
const isLaunched = process.connected ?? false;

/** Commands load what they need themselves: `ask` should not wait for the runtime's code. */
async function run(command: Command): Promise<void> {
  switch (command.name) {
    case "help":
      return out(HELP);
    case "version":
      return out(`${await readVersion()}\n`);
    case "start": {
      const { start } = await import("./start.ts");
      return start({ env: process.env, out, log: (line) => err(`${line}\n`), nowMs, stopAsked });
    }
    case "ask": {
      const { ask } = await import("./ask.ts");
      const target = await findTarget(command, process.env, "room");
      return ask(command, target, { out, nowMs, newId: () => `cli-${randomUUID()}` });
    }
    case "token":
      return printToken(command);
    case "harness":
      return handleHarness(command);
    case "completion": {
      const [{ completionScript }, { COMMANDS }] = await Promise.all([
        import("./completion.ts"),
        import("./command-table.ts"),
      ]);
      return out(completionScript(command.shell, COMMANDS));
    }
    case "endpoint": {
      const { runEndpoint } = await import("./endpoint-command.ts");
      return runEndpoint(command, await findTarget(command, process.env, "operator"), { out });
    }
    case "chat":
      return followChat(command);
  }
}

async function printToken({ json, ...asked }: Extract<Command, { name: "token" }>): Promise<void> {
  const token = await makeToken(asked);
  out(json ? `${JSON.stringify({ token })}\n` : `${token}\n`);
}

async function makeToken({
  audiences,
  room,
  ttlMs,
}: Omit<Extract<Command, { name: "token" }>, "json">): Promise<string> {
  const { loadDevSecret, pickSettings, readDevVars } = await import("./local/dev-settings.ts");
  const { signToken } = await import("./dev-tokens.ts");
  const settings = pickSettings(process.env, await readDevVars(ROOT));
  const secret = settings["TOKEN_SECRET"] ?? (await loadDevSecret(stateFolderOf(process.env)));
  return signToken(secret, Date.now(), { audiences, room, ttlMs, subject: "kaibo-cli" });
}

async function handleHarness(command: Extract<Command, { name: "harness" }>): Promise<void> {
  const { runHarness } = await import("./harness-command.ts");
  const { createEdgeApi } = await import("./edge-api.ts");
  const openApi = async (options: InstanceOptions) => createEdgeApi(await findTarget(options, process.env, "operator"));
  // Checked against the stream: a pipe, NO_COLOR and FORCE_COLOR count.
  const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout });
  return runHarness(command, { out, paint, openApi, world: { clock: { nowMs: Date.now }, timer: systemTimer } });
}

async function followChat(command: Extract<Command, { name: "chat" }>): Promise<void> {
  const { runChat } = await import("./chat-command.ts");
  const { openWebSocket } = await import("./chat-socket.ts");
  const clock = { nowMs: Date.now };
  const target = await findTarget(command, process.env, "room");
  const world = { clock, timer: systemTimer, elapsedMs: () => performance.now(), random: Math.random };
  return runChat(command, target, { ...world, out, openSocket: openWebSocket, stopAsked });
}

/**
 * Takes over the signals that end a process. The runtime's library ends the process at once on them, before the
 * runtime has closed its files; this waits for it instead. Repeated signals change nothing: npm and the terminal
 * send the same one twice.
 */
function stopAsked(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => resolve());
  }
  // The process that started this one is gone: nobody could end it any more.
  process.once("disconnect", () => resolve());
  if (isLaunched && !process.connected) resolve();
  return promise;
}

async function readVersion(): Promise<string> {
  const parsed = parseJson(await readFile(path.join(ROOT, "package.json"), "utf8"));
  return typeof parsed === "object" && parsed !== null && "version" in parsed ? String(parsed.version) : "unknown";
}

// A reader that has seen enough (`| head -1`) is no failure.
process.stdout.on("error", (thrown) => {
  if (systemCode(thrown) === "EPIPE") process.exit(0);
  throw thrown;
});

try {
  await run(parseCommand(process.argv.slice(2)));
} catch (thrown) {
  err(formatError(thrown));
  process.exitCode = thrown instanceof CliError ? thrown.exitCode : 1;
}
// Libraries may hold timers and sockets; what was asked for is done, once its last line has left.
process.stdout.write("", () => process.exit());
