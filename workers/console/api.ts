/** The edge API as the page calls it. Every failure comes back as a value that the page can put into words. */
import type { z } from "zod";
import { type ApiCallOptions, createApiCall, isAnything } from "../../shared/client/api-call.ts";
import type { ApiFailure } from "../../shared/client/client-error.ts";
import { createRoomApi, isMessagesTaken, roomPath } from "../../shared/client/room-api.ts";
import { isRecord } from "../../shared/client/wire.ts";
import type { EndpointView, roomListSchema } from "../../shared/contract/http-api.ts";
import type { MessagesTaken, ViewerMessage } from "../../shared/contract/message.ts";
import type { RoomPatch } from "../../shared/contract/room-state.ts";
import type { RoomView } from "../../shared/contract/room-view.ts";
import type { TurnRecord } from "../../shared/contract/turn-record.ts";
import { type Result, ok } from "../../shared/core/result.ts";

/** One page of rooms; `nextCursor` is `null` on the last one. */
export type RoomPage = z.infer<typeof roomListSchema>;

type Answer<Value> = Promise<Result<Value, ApiFailure>>;

type EndpointList = { readonly endpoints: readonly EndpointView[] };

export interface KaiboApi {
  listRooms(cursor: string | null): Answer<RoomPage>;
  loadRoom(room: string): Answer<RoomView>;
  /** Why the room's stream does not open, which a failed WebSocket does not tell. `null` when nothing speaks against it. */
  findStreamRefusal(room: string): Promise<ApiFailure | null>;
  /** Safe to repeat with the same id. */
  sendMessage(room: string, message: ViewerMessage): Answer<MessagesTaken>;
  changeState(room: string, patch: RoomPatch): Answer<unknown>;
  sayAsHost(room: string, text: string, speaker: string): Answer<unknown>;
  /** Ends the turn that has the floor. */
  interrupt(room: string): Answer<unknown>;
  loadTurn(room: string, turn: string): Answer<TurnRecord | null>;
  /** With how each of them does now. */
  listEndpoints(): Answer<EndpointList>;
}

/** Builds the client for one credential. */
export function createApi(options: ApiCallOptions): KaiboApi {
  const call = createApiCall(options);
  const get = <Value>(path: string, isValue: (value: unknown) => value is Value) =>
    call({ method: "GET", path }, isValue);
  const roomApi = (room: string) => createRoomApi(call, room);
  return {
    listRooms: (cursor) =>
      get(`/v1/rooms${cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`}`, isRoomPage),
    loadRoom: (room) => get(roomPath(room), isRoomView),
    findStreamRefusal: (room) => roomApi(room).findStreamRefusal(),
    sendMessage: (room, message) =>
      call({ method: "POST", path: `${roomPath(room)}/messages`, body: message }, isMessagesTaken),
    changeState: (room, patch) => roomApi(room).patchState(patch),
    sayAsHost: (room, text, speaker) => roomApi(room).hostSpeech({ text, speaker }),
    interrupt: (room) => roomApi(room).interrupt(),
    loadTurn: async (room, turn) => {
      const answer = await get(`${roomPath(room)}/turns/${encodeURIComponent(turn)}`, isAnything);
      return answer.ok ? ok(isTurnRecord(answer.value) ? answer.value : null) : answer;
    },
    listEndpoints: () => get("/v1/endpoints", isEndpointList),
  };
}

function isRoomPage(value: unknown): value is RoomPage {
  return isRecord(value) && Array.isArray(value["rooms"]);
}

function isRoomView(value: unknown): value is RoomView {
  return (
    isRecord(value) && isRecord(value["config"]) && isRecord(value["snapshot"]) && typeof value["seq"] === "number"
  );
}

function isEndpointList(value: unknown): value is EndpointList {
  return isRecord(value) && Array.isArray(value["endpoints"]);
}

/** A turn that is still open answers in another shape, which the page does not need: frames tell it all. */
function isTurnRecord(value: unknown): value is TurnRecord {
  return isRecord(value) && value["schema"] === "kaibo.turn/1" && Array.isArray(value["sentences"]);
}
