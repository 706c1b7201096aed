/** The command `kaibo`, under the project's own Node. Reads the command line, runs one command, says how it ended. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { styleText } from "node:util";
import { parseJson } from "../../shared/core/json.ts";
import type { Timer } from "../../shared/core/timer.ts";
import { CliError, formatError, systemCode } from "./cli-error.ts";
import { formatHelp } from "./command-help.ts";
import { parseCommand, type Command } from "./command-line.ts";
import { COMMANDS } from "./command-table.ts";
import { findTarget, type TokenKind } from "./find-target.ts";
import type { EdgeApi } from "./edge-api.ts";
import type { Paint } from "./harness/harness-output.ts";
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

/** Checked against the stream: a pipe, NO_COLOR and FORCE_COLOR count. */
const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout });

/** True when `kaibo.mjs` started this process and holds a channel to it. */
const isLaunched = process.connected ?? false;

/** Commands load what they need themselves: `ask` should not wait for the runtime's code. */
async function run(command: Command): Promise<void> {
  if (isRegistryCommand(command)) return runOnRegistry(command);
  switch (command.name) {
    case "help":
      return out(formatHelp(COMMANDS, command.about));
    case "version":
      return out(`${await readVersion()}\n`);
    case "start": {
      const { start } = await import("./local/start.ts");
      return start(command, { env: process.env, out, err, nowMs, stopAsked });
    }
    case "ask": {
      const { ask } = await import("./ask.ts");
      const target = await findTarget(command, process.env, "room");
      return ask(command, target, { out, nowMs, newId: () => `cli-${randomUUID()}` });
    }
    case "token":
      return printToken(command);
    case "completion": {
      const { completionScript } = await import("./completion.ts");
      return out(completionScript(command.shell, COMMANDS));
    }
    case "room":
      return handleRoom(command);
    case "turn":
      return handleTurn(command);
    case "chat":
      return followChat(command);
    case "deploy": {
      const [{ runDeploy }, { deployPorts }] = await Promise.all([
        import("./deploy/deploy-command.ts"),
        import("./deploy/open-ports.ts"),
      ]);
      return runDeploy(command, { ...deployPorts, env: process.env, out, nowMs, timer: systemTimer });
    }
  }
}

/** What an instance keeps for all of its rooms: harness versions with all that is said of them, and endpoints. */
type RegistryCommand = Extract<Command, { name: (typeof REGISTRY_COMMANDS)[number] }>;
const REGISTRY_COMMANDS = ["harness", "release", "plan", "governance", "keys", "audit", "endpoint"] as const;

function isRegistryCommand(command: Command): command is RegistryCommand {
  return REGISTRY_COMMANDS.some((name) => name === command.name);
}

async function runOnRegistry(command: RegistryCommand): Promise<void> {
  switch (command.name) {
    case "harness":
      return handleHarness(command);
    case "release": {
      const { runRelease } = await import("./release/release-command.ts");
      return runRelease(command, { out, paint, openApi });
    }
    case "plan": {
      const { runPlan } = await import("./release/plan-command.ts");
      return runPlan(command, { out, paint, openApi, clock: { nowMs: Date.now } });
    }
    case "governance": {
      const { runGovernance } = await import("./release/governance-command.ts");
      return runGovernance(command, { out, paint, openApi });
    }
    case "keys": {
      const { runKeys } = await import("./harness/keys-command.ts");
      return runKeys(command, { out });
    }
    case "audit": {
      const { runAudit } = await import("./release/audit-command.ts");
      const progress = process.stderr.isTTY ? { progress: (line: string) => err(`\r\u001b[K${line}`) } : {};
      return runAudit(command, { out, ...progress, openApi: (options) => openApi(options, "governor") });
    }
    case "endpoint": {
      const { runEndpoint } = await import("./endpoint/endpoint-command.ts");
      return runEndpoint(command, await findTarget(command, process.env, "operator"), { out });
    }
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
  subject,
  secretFile,
}: Omit<Extract<Command, { name: "token" }>, "json">): Promise<string> {
  const { readTokenSecret } = await import("./deploy/token-secret.ts");
  const { signToken } = await import("./local/dev-tokens.ts");
  const secret = secretFile === undefined ? await loadLocalSecret() : await readTokenSecret(secretFile);
  return signToken(secret, Date.now(), { audiences, room, ttlMs, subject });
}

async function loadLocalSecret(): Promise<string> {
  const { loadDevSecret, pickSettings, readDevVars } = await import("./local/dev-settings.ts");
  const settings = pickSettings(process.env, await readDevVars(ROOT));
  return settings["TOKEN_SECRET"] ?? (await loadDevSecret(stateFolderOf(process.env)));
}

async function openApi(options: InstanceOptions, kind: TokenKind): Promise<EdgeApi> {
  const { createEdgeApi } = await import("./edge-api.ts");
  return createEdgeApi(await findTarget(options, process.env, kind));
}

async function handleHarness(command: Extract<Command, { name: "harness" }>): Promise<void> {
  const { runHarness } = await import("./harness/harness-command.ts");
  return runHarness(command, {
    out,
    paint,
    openApi: (options) => openApi(options, "operator"),
    world: { clock: { nowMs: Date.now }, timer: systemTimer },
    keyFile: process.env["KAIBO_SIGNING_KEY"],
  });
}

async function handleRoom(command: Extract<Command, { name: "room" }>): Promise<void> {
  const { runRoom } = await import("./room/room-command.ts");
  const { platformPorts } = await import("../../shared/client/platform-ports.ts");
  // What people say in a room comes from the room's client, whoever operates it.
  const target = await findTarget(command, process.env, command.action === "host-speech" ? "room" : "operator");
  return runRoom(command, target, { out, err, paint, stopAsked, client: platformPorts(globalThis, performance) });
}

async function handleTurn(command: Extract<Command, { name: "turn" }>): Promise<void> {
  const { runTurnCommand } = await import("./room/turn-command.ts");
  const target = await findTarget(command, process.env, "operator");
  return runTurnCommand(command, target, { out, paint, columns: process.stdout.isTTY ? process.stdout.columns : null });
}

async function followChat(command: Extract<Command, { name: "chat" }>): Promise<void> {
  const { runChat } = await import("./chat/chat-command.ts");
  const { openWebSocket } = await import("./chat/chat-socket.ts");
  const clock = { nowMs: Date.now };
  const target = await findTarget(command, process.env, "room");
  const world = { clock, timer: systemTimer, elapsedMs: () => performance.now(), random: Math.random };
  return runChat(command, target, { ...world, out, err, openSocket: openWebSocket, stopAsked });
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
