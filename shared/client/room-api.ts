/** The calls that concern one room. */
import type { z } from "zod";
import type { frameSeqSchema, interruptedSchema } from "../contract/http-api.ts";
import type { HostSpeech, MessagesTaken, ViewerMessage } from "../contract/message.ts";
import type { RoomPatch } from "../contract/room-state.ts";
import type { Result } from "../core/result.ts";
import { type ApiCall, isAnything } from "./api-call.ts";
import type { ApiFailure } from "./client-error.ts";
import { isRecord } from "./wire.ts";

/** What a co-host said. Without a `speaker` it is the room's host. */
export type SpeechInput = Omit<HostSpeech, "speaker"> & { readonly speaker?: string };
/** Place of what was posted in the room's log. */
export type FrameSeq = z.infer<typeof frameSeqSchema>;
/** The turn that lost the floor. */
export type Interrupted = z.infer<typeof interruptedSchema>;

type Answer<Value> = Promise<Result<Value, ApiFailure>>;

export type RoomApi = {
  /** At most 100 messages. Safe to repeat with the same ids. */
  postMessages(messages: readonly ViewerMessage[]): Answer<MessagesTaken>;
  hostSpeech(speech: SpeechInput): Answer<FrameSeq>;
  patchState(patch: RoomPatch): Answer<FrameSeq>;
  /** @param reason - Kept in the turn's record; `operator` when there is none. */
  interrupt(reason?: string): Answer<Interrupted>;
  /** Why the room's stream does not open, which a failed WebSocket does not tell. `null` when nothing speaks against it. */
  findStreamRefusal(): Promise<ApiFailure | null>;
};

/** Path of a room in the API. */
export function roomPath(room: string): string {
  return `/v1/rooms/${encodeURIComponent(room)}`;
}

export function createRoomApi(call: ApiCall, room: string): RoomApi {
  const path = roomPath(room);
  return {
    postMessages: (messages) => call({ method: "POST", path: `${path}/messages`, body: { messages } }, isMessagesTaken),
    hostSpeech: (speech) => call({ method: "POST", path: `${path}/host-speech`, body: speech }, isFrameSeq),
    patchState: (patch) => call({ method: "PATCH", path: `${path}/state`, body: patch }, isFrameSeq),
    interrupt: (reason) =>
      call({ method: "POST", path: `${path}/interrupt`, body: reason === undefined ? {} : { reason } }, isInterrupted),
    findStreamRefusal: async () => {
      // Without an upgrade the stream answers 426 when all is well, and does not say whether there is a room.
      const stream = await call({ method: "GET", path: `${path}/stream` }, isAnything);
      if (!stream.ok && [401, 403, 404].includes(stream.error.status)) return stream.error;
      const view = await call({ method: "GET", path }, isAnything);
      return !view.ok && view.error.status === 404 ? view.error : null;
    },
  };
}

export function isMessagesTaken(value: unknown): value is MessagesTaken {
  return isRecord(value) && Array.isArray(value["results"]) && isRecord(value["backlog"]);
}

function isFrameSeq(value: unknown): value is FrameSeq {
  return isRecord(value) && typeof value["seq"] === "number";
}

function isInterrupted(value: unknown): value is Interrupted {
  return isRecord(value) && typeof value["turn"] === "string";
}
