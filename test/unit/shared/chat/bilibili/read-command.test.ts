/** The payloads have the fields that the platform documents, with invented people. */
import { describe, it } from "vitest";
import { readCommand } from "../../../../../shared/chat/bilibili/read-command.ts";
import { aCommand, aDanmaku } from "./packed.ts";

const HOST = "aa00000000000000000000000000host";
const SESSION = { hostOpenId: HOST, gameId: "93594bf8-70e0-4b30-a5e9-0d60c4e11e17" };
const UNKNOWN_SESSION = { hostOpenId: null, gameId: null };
const SENDER = {
  uid: 0,
  open_id: "b1",
  union_id: "",
  uname: "阿梨",
  uface: "https://example.com/face.jpg",
  fans_medal_level: 5,
  fans_medal_name: "好物",
  fans_medal_wearing_status: false,
  guard_level: 0,
  timestamp: 1_766_496_334,
  room_id: 1001,
  msg_id: "m-2",
};

describe("readCommand", () => {
  it("makes a message of a comment", ({ expect }) => {
    expect(readCommand(aDanmaku(), SESSION)).toEqual({
      type: "message",
      message: {
        id: "bilibili:5329143d-e5e9-4880-88a6-51831799cf56",
        text: "1号链接有黑色吗",
        viewer: { id: "bilibili:39b8fedb60a54e29ac75b16955f7e632", name: "小林", level: 12 },
      },
      sentAtMs: 1_766_496_334_000,
    });
  });

  it.for([
    [0, 0, 0],
    [21, 0, 21],
    [21, 3, 41],
    [21, 2, 51],
    [21, 1, 61],
    [60, 1, 100],
    [120, 1, 100],
    [120, 0, 60],
    [-1, 0, 0],
    [5, 9, 5],
  ] as const)("medal %d and guard %d make level %d", ([medal, guard, level], { expect }) => {
    const event = readCommand(aDanmaku({ fans_medal_level: medal, guard_level: guard }), SESSION);
    expect(event).toMatchObject({ message: { viewer: { level } } });
  });

  it.for([
    [{ dm_type: 1, msg: "[打call]", emoji_img_url: "https://example.com/e.png" }, "picture"],
    [{ dm_type: 1, emoji_img_url: "" }, "picture"],
    [{ emoji_img_url: "https://example.com/e.png" }, "picture"],
    [{ reply_open_id: "someone-else", reply_uname: "阿梨" }, "reply"],
    [{ msg: "" }, "empty"],
    [{ msg: 7 }, "empty"],
    [{ msg: "长".repeat(301) }, "too_long"],
    [{ msg_id: "" }, "bad_id"],
    [{ msg_id: undefined }, "bad_id"],
    [{ msg_id: "x".repeat(200) }, "bad_id"],
  ] as const)("ignores a comment with %j: %s", ([fields, reason], { expect }) => {
    expect(readCommand(aDanmaku(fields), SESSION)).toEqual({ type: "ignored", reason });
  });

  it("takes a picture's name inside of words as words", ({ expect }) => {
    expect(readCommand(aDanmaku({ msg: "[热]还有货吗" }), SESSION)).toMatchObject({
      message: { text: "[热]还有货吗" },
    });
  });

  it("takes a reply to the host, and any reply while the host is not known", ({ expect }) => {
    expect(readCommand(aDanmaku({ reply_open_id: HOST }), SESSION).type).toBe("message");
    expect(readCommand(aDanmaku({ reply_open_id: "someone-else" }), UNKNOWN_SESSION).type).toBe("message");
  });

  it("takes a comment whose sender the platform hides", ({ expect }) => {
    const event = readCommand(aDanmaku({ open_id: "", uname: "小***" }), SESSION);
    expect(event.type).toBe("message");
    expect(event).not.toHaveProperty("message.viewer");
  });

  it("takes a comment with nothing but its text and its id", ({ expect }) => {
    const json = aCommand("LIVE_OPEN_PLATFORM_DM", { msg: "在吗", msg_id: "m-1", timestamp: "now", guard_level: null });
    expect(readCommand(json, SESSION)).toEqual({
      type: "message",
      message: { id: "bilibili:m-1", text: "在吗" },
      sentAtMs: null,
    });
  });

  it("takes a command with parameters behind a colon", ({ expect }) => {
    const json = aDanmaku().replace("LIVE_OPEN_PLATFORM_DM", "LIVE_OPEN_PLATFORM_DM:4:0:2");
    expect(readCommand(json, SESSION).type).toBe("message");
  });

  it("gives a paid comment the highest level, for as long as it is shown", ({ expect }) => {
    const paid = { ...SENDER, message_id: 4711, message: "面膜孕妇能用吗", rmb: 30 };
    const json = aCommand("LIVE_OPEN_PLATFORM_SUPER_CHAT", {
      ...paid,
      start_time: 1_766_496_334,
      end_time: 1_766_496_394,
    });
    expect(readCommand(json, SESSION)).toEqual({
      type: "message",
      message: {
        id: "bilibili:m-2",
        text: "面膜孕妇能用吗",
        viewer: { id: "bilibili:b1", name: "阿梨", level: 100 },
        ttlMs: 60_000,
      },
      sentAtMs: 1_766_496_334_000,
    });
    const event = readCommand(aCommand("LIVE_OPEN_PLATFORM_SUPER_CHAT", paid), SESSION);
    expect(event).not.toHaveProperty("message.ttlMs");
  });

  it.for([
    ["LIVE_OPEN_PLATFORM_SEND_GIFT", { ...SENDER, gift_id: 1, gift_name: "小心心", gift_num: 3, price: 0 }, "gift"],
    ["LIVE_OPEN_PLATFORM_GUARD", { user_info: SENDER, guard_level: 3, guard_num: 1, guard_unit: "月" }, "guard"],
    ["LIVE_OPEN_PLATFORM_LIKE", { ...SENDER, like_text: "为主播点赞了", like_count: 4 }, "like"],
    ["LIVE_OPEN_PLATFORM_LIVE_ROOM_ENTER", SENDER, "enter"],
    ["LIVE_OPEN_PLATFORM_DM_MIRROR", { msg: "在吗", msg_id: "m-3", dm_type: 0 }, "mirror"],
    ["LIVE_OPEN_PLATFORM_SUPER_CHAT_DEL", { room_id: 1001, message_ids: [4711], msg_id: "m-4" }, "withdrawn"],
    ["LIVE_OPEN_PLATFORM_LIVE_START", { room_id: 1001, title: "好物" }, "live_state"],
    ["LIVE_OPEN_PLATFORM_LIVE_END", { room_id: 1001, title: "好物" }, "live_state"],
    ["LIVE_OPEN_PLATFORM_APPLAUSE", {}, "unknown_command"],
    ["toString", {}, "unknown_command"],
    ["DANMU_MSG", {}, "unknown_command"],
  ] as const)("ignores %s", ([cmd, fields, reason], { expect }) => {
    expect(readCommand(aCommand(cmd, fields), SESSION)).toEqual({ type: "ignored", reason });
  });

  it.for(["", "no JSON", "[]", "null", '{"data":{}}', '{"cmd":5}'])("cannot read %j", (json, { expect }) => {
    expect(readCommand(json, SESSION)).toEqual({ type: "ignored", reason: "unreadable" });
  });

  it("takes data that is no object for none", ({ expect }) => {
    expect(readCommand('{"cmd":"LIVE_OPEN_PLATFORM_DM","data":[1]}', SESSION)).toMatchObject({ reason: "empty" });
  });

  it.for([
    [SESSION, SESSION.gameId, "ended"],
    [SESSION, "another", "ignored"],
    [SESSION, "", "ended"],
    [UNKNOWN_SESSION, "another", "ended"],
  ] as const)("with %j, the end of session %j is: %s", ([session, gameId, type], { expect }) => {
    const json = aCommand("LIVE_OPEN_PLATFORM_INTERACTION_END", { game_id: gameId, timestamp: 1_766_496_334 });
    expect(readCommand(json, session).type).toBe(type);
  });
});
