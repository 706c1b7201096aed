/**
 * Answers of the edge API that the page reads, and the guards that keep a foreign frame out of the model.
 * Only types come from the contract: the schemas would bring their library into the page.
 */
import type { z } from "zod";
import type { roomListSchema } from "../../shared/contract/http-api.ts";
import type { HelloFrame, RoomFrame } from "../../shared/contract/room-frame.ts";
import { parseJson } from "../../shared/core/json.ts";

/** A harness as a frame names it. */
export type HarnessRef = { readonly name: string; readonly version: string };

/** One page of rooms; `nextCursor` is `null` on the last one. */
export type RoomPage = z.infer<typeof roomListSchema>;

/** WebSocket subprotocol. Typed by the contract, so that a new protocol version fails to compile here. */
export const STREAM_PROTOCOL: HelloFrame["protocol"] = "kaibo.v1";

const FRAME_TYPES: Readonly<Record<RoomFrame["type"], true>> = {
  message: true,
  "turn-start": true,
  sentence: true,
  "turn-end": true,
  dropped: true,
  interrupt: true,
  "host-speech": true,
  state: true,
  config: true,
};

/** True for an object that is not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isHello(value: Record<string, unknown>): value is HelloFrame {
  return (
    value["type"] === "hello" &&
    value["protocol"] === STREAM_PROTOCOL &&
    typeof value["seq"] === "number" &&
    typeof value["firstSeq"] === "number" &&
    Array.isArray(value["openTurns"])
  );
}

function isFrame(value: Record<string, unknown>): value is RoomFrame {
  return (
    typeof value["type"] === "string" &&
    Object.hasOwn(FRAME_TYPES, value["type"]) &&
    Number.isSafeInteger(value["seq"]) &&
    typeof value["atMs"] === "number"
  );
}

/**
 * A numbered frame of a type that this page does not know. Its place in the order still counts,
 * or a newer server would look like one that loses frames.
 */
export type UnknownFrame = { readonly type: "unknown"; readonly seq: number };

/** A text of the stream as a frame. `null` for text that is none, such as the answer to a ping. */
export function parseStreamText(text: string): HelloFrame | RoomFrame | UnknownFrame | null {
  const value = parseJson(text);
  if (!isRecord(value)) return null;
  if (isHello(value) || isFrame(value)) return value;
  const { type, seq } = value;
  return type !== "hello" && typeof seq === "number" && Number.isSafeInteger(seq) ? { type: "unknown", seq } : null;
}
