import { describe, it } from "vitest";
import { createApiCall } from "../../../../shared/client/api-call.ts";
import { createRoomApi } from "../../../../shared/client/room-api.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";

function anApi(room: string, answer: (path: string) => Response) {
  const sent: string[] = [];
  const call = createApiCall({
    origin: "",
    token: "a.b.c",
    timer: new FakeTime(),
    request: async (path, { method, body = "" }) => {
      sent.push(`${method} ${path} ${body}`.trim());
      return answer(path);
    },
  });
  return { api: createRoomApi(call, room), sent };
}

const problem = (code: string, status: number) => Response.json({ code, title: "no", status, details: {} }, { status });

describe("createRoomApi", () => {
  it("calls what the API has, with names escaped", async ({ expect }) => {
    const { api, sent } = anApi("a/b", () => Response.json({ results: [], backlog: {}, seq: 7, turn: "t3" }));
    const message = { id: "m1", text: "在吗" };
    expect(await api.postMessages([message])).toMatchObject({ ok: true, value: { results: [] } });
    expect(await api.hostSpeech({ text: "看这边", isFinal: false })).toMatchObject({ ok: true, value: { seq: 7 } });
    expect(await api.patchState({ onScreenProductId: null })).toMatchObject({ ok: true, value: { seq: 7 } });
    expect(await api.interrupt()).toMatchObject({ ok: true, value: { turn: "t3" } });
    expect(await api.interrupt("cohost")).toMatchObject({ ok: true });
    expect(sent).toEqual([
      `POST /v1/rooms/a%2Fb/messages ${JSON.stringify({ messages: [message] })}`,
      'POST /v1/rooms/a%2Fb/host-speech {"text":"看这边","isFinal":false}',
      'PATCH /v1/rooms/a%2Fb/state {"onScreenProductId":null}',
      "POST /v1/rooms/a%2Fb/interrupt {}",
      'POST /v1/rooms/a%2Fb/interrupt {"reason":"cohost"}',
    ]);
  });

  it("takes no other answer for one of its own", async ({ expect }) => {
    const { api } = anApi("r", () => Response.json({}));
    const answers = [api.postMessages([]), api.hostSpeech({ text: "x" }), api.patchState({}), api.interrupt()];
    for (const answer of await Promise.all(answers)) {
      expect(answer).toMatchObject({ ok: false, error: { code: "not_an_answer" } });
    }
  });

  it.for([
    { name: "a token that may not follow", stream: 403, room: 200, refused: "stream" },
    { name: "a room that is gone", stream: 426, room: 404, refused: "room" },
    { name: "nothing: a stream that only wants an upgrade", stream: 426, room: 200, refused: null },
    { name: "nothing: a viewer, who may follow but not read the room", stream: 426, room: 403, refused: null },
    { name: "nothing: a server that is down", stream: 503, room: 503, refused: null },
  ])("finds $name", async ({ stream, room, refused }, { expect }) => {
    const { api } = anApi("r", (path) =>
      path.endsWith("/stream") ? problem("stream", stream) : problem("room", room),
    );
    expect((await api.findStreamRefusal())?.code ?? null).toBe(refused);
  });
});
