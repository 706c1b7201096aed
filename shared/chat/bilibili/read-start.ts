/** What `/v2/app/start` of Bilibili's open live platform answered, as far as a connection needs it. */
import { z } from "zod";
import { parseJson } from "../../core/json.ts";
import type { OpenLiveSession } from "./read-command.ts";

export type OpenLiveStart = OpenLiveSession & {
  readonly authBody: string;
  /** Addresses of the long connection, any of which will do. Empty: not said. */
  readonly urls: readonly string[];
};

const startSchema = z.object({
  data: z.object({
    websocket_info: z.object({
      auth_body: z.string().min(1),
      wss_link: z.array(z.url({ protocol: /^wss?$/ })).catch([]),
    }),
    game_info: z.object({ game_id: z.string().catch("") }).catch({ game_id: "" }),
    anchor_info: z.object({ open_id: z.string().catch("") }).catch({ open_id: "" }),
  }),
});

/**
 * Reads the whole answer, or `auth_body` alone.
 *
 * Sources of the fields: https://open-live.bilibili.com/document/eba8e2e1-847d-e908-2e5c-7a1ec7d9266f (official),
 * https://github.com/xfgryujk/blivedm/blob/1db652246a32ea02ec3d699decb1d1325ef91bb5/blivedm/clients/open_live.py,
 * https://github.com/XL8Z/BiliBili_PlayWithMe.js (recorded samples).
 *
 * @returns `null` for a text that is neither.
 */
export function readStart(text: string): OpenLiveStart | null {
  const json = parseJson(text);
  const start = startSchema.safeParse(json).data;
  if (start !== undefined) {
    const { websocket_info, game_info, anchor_info } = start.data;
    return {
      authBody: websocket_info.auth_body,
      urls: websocket_info.wss_link,
      hostOpenId: anchor_info.open_id || null,
      gameId: game_info.game_id || null,
    };
  }
  // The body is JSON too; what is in it is the platform's own matter. An answer that refused is no body.
  const isBody = typeof json === "object" && json !== null && !Array.isArray(json) && !("code" in json);
  return isBody ? { authBody: text.trim(), urls: [], hostOpenId: null, gameId: null } : null;
}
