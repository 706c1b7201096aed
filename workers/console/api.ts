/** The edge API as the page calls it. Every failure comes back as a value that the page can put into words. */
import type { Disposition, ViewerMessage } from "../../shared/contract/message.ts";
import type { EndpointView } from "../../shared/contract/http-api.ts";
import type { RoomPatch } from "../../shared/contract/room-state.ts";
import type { TurnRecord } from "../../shared/contract/turn-record.ts";
import { type Result, fail, ok } from "../../shared/core/result.ts";
import { parseJson } from "../../shared/core/json.ts";
import type { RoomView } from "../../shared/contract/room-view.ts";
import { type RoomPage, isRecord } from "./wire.ts";

/** Longest wait for an answer, ms. */
const ANSWER_MAX_MS = 15_000;

/** Statuses with which the API says that asking again would not help. A stream without an upgrade answers 426 when all is well. */
const REFUSAL_STATUSES: ReadonlySet<number> = new Set([401, 403, 404]);

/** Why a call failed. `code` is the API's own code, or one of the page's: `network`, `timed_out`, `not_an_answer`. */
export type ApiFailure = {
  readonly code: string;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** The server's own words; empty when it gave none. */
  readonly title: string;
};

type Answer<Value> = Promise<Result<Value, ApiFailure>>;

type EndpointList = { readonly endpoints: readonly EndpointView[] };

export interface KaiboApi {
  listRooms(cursor: string | null): Answer<RoomPage>;
  loadRoom(room: string): Answer<RoomView>;
  /** Why the room's stream does not open, which a failed WebSocket does not tell. `null` when nothing speaks against it. */
  findStreamRefusal(room: string): Promise<ApiFailure | null>;
  /** Safe to repeat with the same id. */
  sendMessage(room: string, message: ViewerMessage): Answer<{ readonly results: readonly Disposition[] }>;
  changeState(room: string, patch: RoomPatch): Answer<unknown>;
  sayAsHost(room: string, text: string, speaker: string): Answer<unknown>;
  loadTurn(room: string, turn: string): Answer<TurnRecord | null>;
  /** With how each of them does now. */
  listEndpoints(): Answer<EndpointList>;
}

export type ApiOptions = {
  /** `http://127.0.0.1:8787`, without a slash at the end. */
  readonly origin: string;
  readonly token: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
};

/** Builds the client for one credential. */
export function createApi({ origin, token, fetch }: ApiOptions): KaiboApi {
  const call = async <Value>(
    method: "GET" | "POST" | "PATCH",
    path: string,
    isValue: (value: unknown) => value is Value,
    body?: unknown,
  ): Answer<Value> => {
    const headers: Record<string, string> = { accept: "application/json", authorization: `Bearer ${token}` };
    if (body !== undefined) headers["content-type"] = "application/json";
    const init: RequestInit = { method, headers, signal: AbortSignal.timeout(ANSWER_MAX_MS) };
    if (body !== undefined) init.body = JSON.stringify(body);
    try {
      const response = await fetch(`${origin}${path}`, init);
      return readAnswer(response.status, parseJson(await response.text()), isValue);
    } catch (thrown) {
      const isLate = thrown instanceof Error && thrown.name === "TimeoutError";
      return fail({ code: isLate ? "timed_out" : "network", status: 0, title: "" });
    }
  };
  const roomPath = (room: string) => `/v1/rooms/${encodeURIComponent(room)}`;
  return {
    listRooms: (cursor) =>
      call("GET", `/v1/rooms${cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`}`, isRoomPage),
    loadRoom: (room) => call("GET", roomPath(room), isRoomView),
    findStreamRefusal: async (room) => {
      const probes = [
        () => call("GET", `${roomPath(room)}/stream`, isAnything),
        () => call("GET", roomPath(room), isAnything),
      ];
      for (const probe of probes) {
        const answer = await probe();
        if (!answer.ok && REFUSAL_STATUSES.has(answer.error.status)) return answer.error;
      }
      return null;
    },
    sendMessage: (room, message) => call("POST", `${roomPath(room)}/messages`, isDispositions, message),
    changeState: (room, patch) => call("PATCH", `${roomPath(room)}/state`, isAnything, patch),
    sayAsHost: (room, text, speaker) => call("POST", `${roomPath(room)}/host-speech`, isAnything, { text, speaker }),
    loadTurn: async (room, turn) => {
      const answer = await call("GET", `${roomPath(room)}/turns/${encodeURIComponent(turn)}`, isAnything);
      return answer.ok ? ok(isTurnRecord(answer.value) ? answer.value : null) : answer;
    },
    listEndpoints: () => call("GET", "/v1/endpoints", isEndpointList),
  };
}

function readAnswer<Value>(
  status: number,
  body: unknown,
  isValue: (value: unknown) => value is Value,
): Result<Value, ApiFailure> {
  if (status >= 200 && status < 300) {
    return isValue(body) ? ok(body) : fail({ code: "not_an_answer", status, title: "" });
  }
  const problem = isRecord(body) ? body : {};
  const { code, title } = problem;
  return fail({
    code: typeof code === "string" ? code : "not_an_answer",
    status,
    title: typeof title === "string" ? title : "",
  });
}

function isAnything(_value: unknown): _value is unknown {
  return true;
}

function isRoomPage(value: unknown): value is RoomPage {
  return isRecord(value) && Array.isArray(value["rooms"]);
}

function isRoomView(value: unknown): value is RoomView {
  return (
    isRecord(value) && isRecord(value["config"]) && isRecord(value["snapshot"]) && typeof value["seq"] === "number"
  );
}

function isDispositions(value: unknown): value is { results: Disposition[] } {
  return isRecord(value) && Array.isArray(value["results"]);
}

function isEndpointList(value: unknown): value is EndpointList {
  return isRecord(value) && Array.isArray(value["endpoints"]);
}

/** A turn that is still open answers in another shape, which the page does not need: frames tell it all. */
function isTurnRecord(value: unknown): value is TurnRecord {
  return isRecord(value) && value["schema"] === "kaibo.turn/1" && Array.isArray(value["sentences"]);
}
