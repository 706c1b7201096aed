/**
 * Commands of Bilibili's open live platform (直播开放平台), as messages for a room.
 *
 * The web page's own `DANMU_MSG` is not read. It is known from guesswork alone (an array of arrays with unnamed places);
 * since May 2025 it takes a signed request with someone's login; and without one it hides who writes, so that viewers
 * could not be told apart. The open platform is what the platform offers for this.
 *
 * Field names, each in at least two sources, as of the commits named:
 * https://open-live.bilibili.com/document/f9ce25be-312e-1f4a-85fd-fef21f1637f8 (official; read as others quote it),
 * https://github.com/xfgryujk/blivedm/blob/0685fe1cfd06157db74fb203f17eb499748d3cd4/blivedm/models/open_live.py,
 * https://github.com/shynome/openapi-bilibili/tree/de49bf3552a393ce35c2fe6e0ca62580326ffda9/live/cmd,
 * https://github.com/XL8Z/BiliBili_PlayWithMe.js (recorded payloads). `reply_open_id` is newer than these two clients;
 * it stands in recorded payloads of 2025 and in clients that follow the official table.
 */
import { z } from "zod";
import { parseJson } from "../../core/json.ts";
import type { ChatEvent, IgnoredReason } from "../chat-adapter.ts";
import { toMessage } from "../chat-message.ts";

const PLATFORM = "bilibili";

/** Levels of a fan's medal that count; the rest of the 100 is for those who pay by the month. */
const MEDAL_LEVEL_MAX = 60;

/** What a guard (大航海) adds to the level, by `guard_level`: 1 总督, 2 提督, 3 舰长. The rarer, the more. */
const GUARD_LEVELS: Readonly<Record<number, number>> = { 1: 40, 2: 30, 3: 20 };

/** A paid comment (醒目留言) is paid for to be seen: nobody's level is above. */
const SUPER_CHAT_LEVEL = 100;

/** `dm_type` of a comment that is one picture; its text is the picture's name. */
const PICTURE = 1;

const IGNORED: ReadonlyMap<string, IgnoredReason> = new Map([
  ["LIVE_OPEN_PLATFORM_DM_MIRROR", "mirror"],
  ["LIVE_OPEN_PLATFORM_SEND_GIFT", "gift"],
  ["LIVE_OPEN_PLATFORM_GUARD", "guard"],
  ["LIVE_OPEN_PLATFORM_LIKE", "like"],
  ["LIVE_OPEN_PLATFORM_LIVE_ROOM_ENTER", "enter"],
  ["LIVE_OPEN_PLATFORM_SUPER_CHAT_DEL", "withdrawn"],
  ["LIVE_OPEN_PLATFORM_LIVE_START", "live_state"],
  ["LIVE_OPEN_PLATFORM_LIVE_END", "live_state"],
]);

/** A field that is missing or of another type is as if it were empty: platforms change fields without a word. */
const text = z.string().catch("");
const count = z.number().catch(0);

const commandSchema = z.object({ cmd: z.string(), data: z.looseObject({}).catch({}) });
const senderSchema = z.object({ open_id: text, uname: text, fans_medal_level: count, guard_level: count });
const danmakuSchema = senderSchema.extend({
  msg: text,
  msg_id: text,
  timestamp: count,
  dm_type: count,
  emoji_img_url: text,
  reply_open_id: text,
});
const superChatSchema = senderSchema.extend({
  message: text,
  msg_id: text,
  timestamp: count,
  start_time: count,
  end_time: count,
});
const interactionEndSchema = z.object({ game_id: text });

/** Who we are to the platform, where it is known. */
export type OpenLiveSession = {
  /** The host's `open_id`: comments to the host are for us, comments to other viewers are not. */
  readonly hostOpenId: string | null;
  /** The session that the app opened with `/v2/app/start`. */
  readonly gameId: string | null;
};

/** What a command, the JSON text of one packet, is to a room. */
export function readCommand(json: string, session: OpenLiveSession): ChatEvent {
  const command = commandSchema.safeParse(parseJson(json)).data;
  if (command === undefined) return { type: "ignored", reason: "unreadable" };
  // Servers have put parameters behind a colon before.
  const [cmd = ""] = command.cmd.split(":");
  switch (cmd) {
    case "LIVE_OPEN_PLATFORM_DM":
      return readDanmaku(command.data, session);
    case "LIVE_OPEN_PLATFORM_SUPER_CHAT":
      return readSuperChat(command.data);
    case "LIVE_OPEN_PLATFORM_INTERACTION_END":
      return readInteractionEnd(command.data, session);
    default:
      return { type: "ignored", reason: IGNORED.get(cmd) ?? "unknown_command" };
  }
}

function readDanmaku(data: object, { hostOpenId }: OpenLiveSession): ChatEvent {
  const danmaku = danmakuSchema.parse(data);
  const { dm_type, emoji_img_url, reply_open_id } = danmaku;
  if (dm_type === PICTURE || emoji_img_url !== "") return { type: "ignored", reason: "picture" };
  // Where the host is not known, a reply may be to the host: better one message too many than a question lost.
  const isToOther = reply_open_id !== "" && hostOpenId !== null && reply_open_id !== hostOpenId;
  if (isToOther) return { type: "ignored", reason: "reply" };
  return toMessage({
    platform: PLATFORM,
    id: danmaku.msg_id,
    text: danmaku.msg,
    viewer: { id: danmaku.open_id, name: danmaku.uname, level: levelOf(danmaku) },
    sentAtMs: toMs(danmaku.timestamp),
  });
}

/** It waits as long as the platform shows it on the screen. */
function readSuperChat(data: object): ChatEvent {
  const paid = superChatSchema.parse(data);
  const shownMs = (paid.end_time - paid.start_time) * 1_000;
  return toMessage({
    platform: PLATFORM,
    id: paid.msg_id,
    text: paid.message,
    viewer: { id: paid.open_id, name: paid.uname, level: SUPER_CHAT_LEVEL },
    sentAtMs: toMs(paid.timestamp),
    ...(shownMs > 0 && { ttlMs: shownMs }),
  });
}

/** The end of another app's session in the same room is none of ours. */
function readInteractionEnd(data: object, { gameId }: OpenLiveSession): ChatEvent {
  const ended = interactionEndSchema.parse(data).game_id;
  if (gameId !== null && ended !== "" && ended !== gameId) return { type: "ignored", reason: "live_state" };
  return { type: "ended", why: "the platform ended the session (LIVE_OPEN_PLATFORM_INTERACTION_END)" };
}

/** 0 to 100. The medal counts whether it is worn or not: wearing it is a matter of looks. */
function levelOf({ fans_medal_level, guard_level }: z.infer<typeof senderSchema>): number {
  return Math.min(MEDAL_LEVEL_MAX, Math.max(0, fans_medal_level)) + (GUARD_LEVELS[guard_level] ?? 0);
}

/** The platform counts whole seconds. */
function toMs(seconds: number): number | null {
  return seconds > 0 ? seconds * 1_000 : null;
}
