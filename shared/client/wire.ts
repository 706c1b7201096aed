/**
 * Texts of a room's stream, and the guards that keep what is no frame out of a program.
 * Only types come from the contract: the schemas would bring their library into every page.
 */
import type { HelloFrame, RoomFrame } from "../contract/room-frame.ts";
import { parseJson } from "../core/json.ts";

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
  strategy: true,
  config: true,
};

/**
 * A numbered frame of a type that this version does not know, as it came. Its place in the order still counts,
 * or a newer server would look like one that loses frames.
 */
export type UnknownFrame = { readonly type: "unknown"; readonly seq: number; readonly body: Record<string, unknown> };

/** A frame of the room's log. */
export type LogFrame = RoomFrame | UnknownFrame;

/** True for an object that is not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The frames of one text of the stream, in their order: the room sends what belongs together as one array.
 * Empty for text that is none, such as the answer to a ping.
 */
export function parseStreamText(text: string): readonly (HelloFrame | LogFrame)[] {
  const value = parseJson(text);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map(toFrame).filter((frame) => frame !== null);
}

function toFrame(value: unknown): HelloFrame | LogFrame | null {
  if (!isRecord(value)) return null;
  if (isHello(value) || isFrame(value)) return value;
  const { type, seq } = value;
  const isNumbered = typeof type === "string" && type !== "hello" && typeof seq === "number";
  return isNumbered && Number.isSafeInteger(seq) ? { type: "unknown", seq, body: value } : null;
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
