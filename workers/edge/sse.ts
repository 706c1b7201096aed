/** Server-sent events out of a room's WebSocket. The room's object can sleep while the client holds this stream. */
import { parseJson } from "../../shared/core/json.ts";

/** Comment lines that keep proxies from closing a quiet stream, ms. */
const KEEP_ALIVE_MS = 10_000;

/** Bytes that may wait for a slow client. Beyond, the stream ends and the client resumes with `Last-Event-ID`. */
const WAITING_BYTES_MAX = 1_000_000;

export type SseOptions = {
  readonly socket: WebSocket;
  /** The client's own signal: when it leaves, the socket is closed. */
  readonly signal: AbortSignal;
  /** Which frames go out, and after which the stream ends. */
  readonly select: (frame: FrameHead) => "send" | "send-and-end" | "skip";
};

/** What the selector sees of a frame; the rest is passed on as the room wrote it. */
export type FrameHead = { readonly type: string; readonly seq?: number; readonly turn?: string };

/** One event: `id` is the frame's number in the room's log, `event` its type, `data` its JSON in one line. */
export function encodeEvent(type: string, id: number | null, data: string): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `${id === null ? "" : `id: ${id}\n`}event: ${type}\n${lines.join("")}\n`;
}

/** The frames of one text, which the room itself wrote. */
function readFrames(text: string): { readonly frame: FrameHead; readonly text: string }[] {
  const value = parseJson(text) as FrameHead | FrameHead[];
  if (!Array.isArray(value)) return [{ frame: value, text }];
  return value.map((frame) => ({ frame, text: JSON.stringify(frame) }));
}

export function sseResponse(options: SseOptions): Response {
  const { socket, signal } = options;
  const encoder = new TextEncoder();
  let stop = () => {};
  let leave = () => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (text: string) => {
          controller.enqueue(encoder.encode(text));
          if ((controller.desiredSize ?? 0) < 0) stop();
        };
        const keepAlive = setInterval(() => send(": keep-alive\n\n"), KEEP_ALIVE_MS);
        let open = true;
        leave = () => {
          open = false;
          clearInterval(keepAlive);
          socket.close(1000, "done");
        };
        stop = () => {
          if (!open) return;
          leave();
          controller.close();
        };
        socket.addEventListener("message", (event) => {
          if (!open || typeof event.data !== "string") return;
          for (const { frame, text } of readFrames(event.data)) {
            const choice = open ? options.select(frame) : "skip";
            if (choice === "skip") continue;
            // `hello` names the end of the log, which is no place to resume from: it must not become `Last-Event-ID`.
            const id = frame.type === "hello" ? null : (frame.seq ?? null);
            send(encodeEvent(frame.type, id, text));
            if (choice === "send-and-end") stop();
          }
        });
        socket.addEventListener("close", () => stop());
        socket.addEventListener("error", () => stop());
        signal.addEventListener("abort", () => stop(), { once: true });
        socket.accept();
      },
      // The client has left: the stream is closed already.
      cancel() {
        leave();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: WAITING_BYTES_MAX }),
  );
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      // Compression on the way would hold events back.
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    },
  });
}
