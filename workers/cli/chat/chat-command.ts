/** `kaibo chat`: the comments of a live room on a platform, as messages of a room here, until Ctrl-C. */
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress, inflate } from "node:zlib";
import { OpenLiveChat, type Unpack } from "../../../shared/chat/bilibili/open-live-chat.ts";
import { readStart, type OpenLiveStart } from "../../../shared/chat/bilibili/read-start.ts";
import type { ChatEvent } from "../../../shared/chat/chat-adapter.ts";
import type { Clock } from "../../../shared/core/clock.ts";
import { pause, type Timer } from "../../../shared/core/timer.ts";
import { ChatCounts, formatCounts } from "./chat-counts.ts";
import type { ChatCommand } from "./chat-options.ts";
import type { OpenSocket } from "./chat-socket.ts";
import { CliError, systemCode } from "../cli-error.ts";
import { createEdgeApi, expectOk, type ApiTarget } from "../edge-api.ts";
import { holdConnection, type ConnectionEnd } from "./hold-connection.ts";
import { MessagePoster } from "./message-poster.ts";

/** Time between lines, ms. */
const LINE_MS = 1_000;

/** Pause before the next connection, ms: it doubles with each that fails, and begins anew with one that was accepted. */
const AGAIN_MS_MIN = 1_000;
const AGAIN_MS_MAX = 30_000;

/** Connections that may fail before the first is accepted: until then, the address or the proof may just be wrong. */
const FIRST_TRIES_MAX = 4;

export type ChatPorts = {
  /** Takes text for standard output, at once. */
  readonly out: (text: string) => void;
  /** Takes text for standard error. */
  readonly err: (text: string) => void;
  /** Wall time: it is compared with the platform's. */
  readonly clock: Clock;
  readonly timer: Timer;
  /** Monotonic, ms. */
  readonly elapsedMs: () => number;
  /** 0 to 1. */
  readonly random: () => number;
  readonly openSocket: OpenSocket;
  /** Settles when someone wants the command to end. */
  readonly stopAsked: () => Promise<void>;
  readonly fetch?: typeof fetch;
};

/**
 * Follows the platform and posts what viewers write. Prints a line with counts each second in which something came: for
 * people, or as JSON; then what else there is to say goes to standard error.
 *
 * @throws CliError - the file or the room will not do, the platform refused or ended the session, or it was never reached.
 */
export async function runChat(command: ChatCommand, target: ApiTarget, ports: ChatPorts): Promise<void> {
  const start = await loadStart(command);
  const api = createEdgeApi(target, ports.fetch);
  const { room, json } = command;
  const found = await api.send("GET", `/v1/rooms/${encodeURIComponent(room)}`);
  await expectOk(found, `Room ${room} could not be found.`).body?.cancel();

  const counts = new ChatCounts();
  const say = (line: string) => (json ? ports.err : ports.out)(`${line}\n`);
  const printCounts = () => {
    const figures = counts.take();
    if (figures === null) return;
    const line = json ? JSON.stringify({ atMs: ports.clock.nowMs(), ...figures }) : formatCounts(figures);
    ports.out(`${line}\n`);
  };
  const { fetch: request = fetch } = ports;
  const poster = new MessagePoster({ ...ports, target, room, request, counts, say });
  const stop = new AbortController();
  const stopLines = printEachSecond(ports.timer, printCounts);
  try {
    const onEvent = (event: ChatEvent) => take(event, poster, counts);
    const following = followPlatform(start, ports, { say, onEvent, stop: stop.signal });
    await Promise.race([following, poster.failed, ports.stopAsked()]);
  } finally {
    stop.abort();
    stopLines();
    await poster.end();
    printCounts();
  }
}

/** @throws CliError - the file does not read, or names no address and none was given. */
async function loadStart({ authFile, ws }: ChatCommand): Promise<OpenLiveStart> {
  const text = await readFile(authFile, "utf8").catch((thrown: unknown) => {
    throw new CliError(`${authFile} cannot be read.`, {
      why: `The system says ${systemCode(thrown) || "nothing"}.`,
      next: "Save the answer of POST https://live-open.biliapi.com/v2/app/start in it.",
      exitCode: 2,
      cause: thrown,
    });
  });
  const start = readStart(text);
  if (start === null) {
    throw new CliError(`${authFile} does not hold what is needed.`, {
      why: "It takes the answer of /v2/app/start, or the text of its auth_body.",
      next: "Save the answer of POST https://live-open.biliapi.com/v2/app/start in it, as it is.",
      exitCode: 2,
    });
  }
  const urls = ws === undefined ? start.urls : [ws];
  if (urls.length > 0) return { ...start, urls };
  throw new CliError("There is no address to connect to.", {
    why: `${authFile} holds no websocket_info.wss_link.`,
    next: "Add --ws <one of the addresses in wss_link>",
    exitCode: 2,
  });
}

/** Connects, again and again, until it is to stop. */
async function followPlatform(
  start: OpenLiveStart,
  { timer, openSocket }: ChatPorts,
  { say, onEvent, stop }: { say: (line: string) => void; onEvent: (event: ChatEvent) => void; stop: AbortSignal },
): Promise<void> {
  let failures = 0;
  let wasAccepted = false;
  while (!stop.aborted) {
    const url = start.urls[failures % start.urls.length] ?? "";
    const held = holdConnection(url, new OpenLiveChat({ ...start, zlib, brotli }), {
      timer,
      openSocket,
      onEvent: (event) => {
        if (event.type === "accepted") {
          failures = 0;
          wasAccepted = true;
          say(`connected to ${new URL(url).host}`);
        }
        onEvent(event);
      },
    });
    stop.addEventListener("abort", held.close, { once: true });
    const end = await held.ended;
    stop.removeEventListener("abort", held.close);
    if (stop.aborted) return;
    failures += 1;
    if (end.type !== "lost") throw overError(end);
    if (!wasAccepted && failures >= FIRST_TRIES_MAX) throw unreachedError(url, end.why);
    const againMs = Math.min(AGAIN_MS_MAX, AGAIN_MS_MIN * 2 ** (failures - 1));
    say(`connection lost: ${end.why}; again in ${againMs / 1_000} s`);
    await pause(timer, againMs);
  }
}

function take(event: ChatEvent, poster: MessagePoster, counts: ChatCounts): void {
  if (event.type === "message") {
    counts.receive();
    poster.add(event.message, event.sentAtMs);
  }
  if (event.type === "ignored") {
    counts.receive();
    counts.drop(event.reason);
  }
}

/** Prints until the returned function is called. */
function printEachSecond(timer: Timer, print: () => void): () => void {
  let cancel = () => {};
  const next = () => {
    cancel = timer.after(LINE_MS, () => {
      print();
      next();
    });
  };
  next();
  return () => cancel();
}

function overError({ type, why }: ConnectionEnd): CliError {
  return new CliError(type === "refused" ? "Bilibili refused the connection." : "Bilibili ended the session.", {
    why: `${why.charAt(0).toUpperCase()}${why.slice(1)}.`,
    next: "Call /v2/app/start again, keep the session with /v2/app/heartbeat every 20 s, and give the new answer with --auth.",
  });
}

function unreachedError(url: string, why: string): CliError {
  return new CliError(`Bilibili was not reached at ${url}.`, {
    why: `The last try said: ${why}.`,
    next: "Give another of the addresses in wss_link with --ws, or call /v2/app/start again.",
  });
}

const zlib: Unpack = (bytes, bytesMax) => promisify(inflate)(bytes, { maxOutputLength: bytesMax });
const brotli: Unpack = (bytes, bytesMax) => promisify(brotliDecompress)(bytes, { maxOutputLength: bytesMax });
