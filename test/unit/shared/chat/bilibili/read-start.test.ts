import { describe, it } from "vitest";
import { readStart } from "../../../../../shared/chat/bilibili/read-start.ts";

const AUTH_BODY = '{"roomid":1001,"protover":2,"uid":1,"key":"k","group":"open"}';
const URLS = ["wss://a.example.com:443/sub", "wss://b.example.com:443/sub"];
const ANSWER = {
  code: 0,
  message: "0",
  request_id: "1534992646149816320",
  data: {
    anchor_info: { room_id: 1001, uface: "", uid: 0, open_id: "host", union_id: "", uname: "好物小铺" },
    game_info: { game_id: "game-1" },
    websocket_info: { auth_body: AUTH_BODY, wss_link: URLS },
  },
};

describe("readStart", () => {
  it("reads the whole answer", ({ expect }) => {
    expect(readStart(JSON.stringify(ANSWER))).toEqual({
      authBody: AUTH_BODY,
      urls: URLS,
      hostOpenId: "host",
      gameId: "game-1",
    });
  });

  it("takes what is empty or missing for not said: apps that are no games have no session", ({ expect }) => {
    const { websocket_info } = ANSWER.data;
    const nothing = { authBody: AUTH_BODY, urls: URLS, hostOpenId: null, gameId: null };
    expect(readStart(JSON.stringify({ data: { websocket_info, game_info: { game_id: "" } } }))).toEqual(nothing);
  });

  it("takes addresses that are none for not said", ({ expect }) => {
    const data = { websocket_info: { auth_body: AUTH_BODY, wss_link: ["a.example.com"] } };
    expect(readStart(JSON.stringify({ data }))?.urls).toEqual([]);
  });

  it("reads the body alone, as it is", ({ expect }) => {
    expect(readStart(`${AUTH_BODY}\n`)).toEqual({ authBody: AUTH_BODY, urls: [], hostOpenId: null, gameId: null });
  });

  it.for(["", "key", "[]", "null", '{"code":7003,"message":"no"}', '{"code":0,"data":{}}'])(
    "is neither: %j",
    (text, { expect }) => {
      expect(readStart(text)).toBeNull();
    },
  );
});
