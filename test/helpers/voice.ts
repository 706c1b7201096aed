/** The local voice of `test/voice/` as a process of its own, and a client that hears a room. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { voiceFrameSchema, type VoiceFrame } from "../../shared/contract/voice-frame.ts";
import type { VoiceFaultInput } from "../voice/faults.ts";
import type { VoiceRequest } from "../voice/server.ts";
import type { RunningProduct } from "./product.ts";

const MAIN = path.resolve(import.meta.dirname, "../voice/main.ts");

/** Longest waits for its first line, for its end before it is killed, and for something to be heard, ms. */
const START_MS_MAX = 20_000;
const STOP_MS_MAX = 3_000;
const HEAR_MS_MAX = 20_000;

export type RunningVoice = {
  /** Base URL, with `/v1`. */
  readonly url: string;
  /** Replaces the faults that are still to come, and empties the log. */
  readonly setFaults: (faults: readonly VoiceFaultInput[]) => Promise<void>;
  readonly requests: () => Promise<readonly VoiceRequest[]>;
  readonly stop: () => Promise<void>;
};

/** Starts a voice on a free port. It ends with this process at the latest. */
export async function startVoice(flags: readonly string[] = []): Promise<RunningVoice> {
  const child = spawn(process.execPath, [MAIN, "--port", "0", ...flags], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const url = await readUrl(child);
  const control = async (route: string, body?: object): Promise<unknown> => {
    const address = new URL(`/control${route}`, url);
    const response = await fetch(address, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`/control${route}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  return {
    url,
    setFaults: async (faults) => void (await control("/faults", { faults })),
    // Both sides are one program.
    requests: async () => ((await control("/requests")) as { requests: VoiceRequest[] }).requests,
    stop: () => stop(child),
  };
}

async function readUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("the voice has no output");
  const lines = createInterface({ input: child.stdout });
  const gone = new AbortController();
  child.once("exit", () => gone.abort(new Error("the voice ended before it listened")));
  try {
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(START_MS_MAX)]);
    const [line] = (await once(lines, "line", { signal })) as [string];
    const url = /^voice: (\S+)$/.exec(line)?.[1];
    if (url === undefined) throw new Error(`the voice said: ${line}`);
    return url;
  } catch (thrown) {
    await stop(child);
    throw thrown;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  const kill = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
  await exit;
  clearTimeout(kill);
}

/** A message of the voice: what it says, or how much audio it has; and when it came, by `performance.now()`. */
export type Heard = { readonly atMs: number } & (
  | { readonly frame: VoiceFrame; readonly audio: null }
  | { readonly frame: null; readonly audio: Uint8Array }
);

/** Somebody who listens to a room. */
export class VoiceListener {
  readonly heard: Heard[] = [];
  readonly #socket: WebSocket;
  readonly #changed = new EventTarget();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => {
      const atMs = performance.now();
      if (data instanceof ArrayBuffer) this.heard.push({ atMs, frame: null, audio: new Uint8Array(data) });
      else this.heard.push({ atMs, frame: voiceFrameSchema.parse(JSON.parse(String(data))), audio: null });
      this.#changed.dispatchEvent(new Event("heard"));
    });
  }

  /** Waits until it has heard a frame, from `from` on; gives its place in what was heard. */
  async until(isIt: (frame: VoiceFrame) => boolean, from = 0): Promise<number> {
    const signal = AbortSignal.timeout(HEAR_MS_MAX);
    for (;;) {
      const index = this.heard.findIndex(({ frame }, at) => at >= from && frame !== null && isIt(frame));
      if (index >= 0) return index;
      if (signal.aborted) throw new Error(`It was never heard: ${JSON.stringify(this.frames)}`);
      await once(this.#changed, "heard", { signal }).catch(() => {});
    }
  }

  get frames(): VoiceFrame[] {
    return this.heard.flatMap(({ frame }) => (frame === null ? [] : [frame]));
  }

  send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  close(): void {
    this.#socket.close();
  }
}

/** Begins to listen to a room of the product. */
export async function listen({ url, tokens }: RunningProduct, room: string): Promise<VoiceListener> {
  const address = `${url.replace(/^http/, "ws")}/v1/rooms/${room}/voice`;
  const listener = new VoiceListener(new WebSocket(address, ["kaibo.voice.v1", `kaibo.token.${tokens.page}`]));
  await listener.until(({ type }) => type === "hello");
  return listener;
}
