import type { Context, MiddlewareHandler } from "hono";
import type { Actor } from "../../harness-kv/registry-change.ts";
import type { Audience, TokenClaims } from "../../shared/contract/token-claims.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import { readSettings } from "../platform/settings.ts";
import { verifyToken } from "../platform/tokens.ts";

export type EdgeEnv = { Bindings: Env; Variables: { claims: TokenClaims } };

/** How browsers send a token with a WebSocket, which takes no headers: as a second subprotocol. */
const TOKEN_SUBPROTOCOL = "kaibo.token.";

/**
 * Lets a request pass when its token has one of the audiences and, on a room's path, is for that room.
 *
 * @throws AppError `unauthenticated`, `token_expired`, or `forbidden` - the token is good, but not for this.
 */
export function allow(...audiences: readonly Audience[]): MiddlewareHandler<EdgeEnv> {
  return async function allowAudience(c, next) {
    const claims = await verifyToken(tokenOf(c), readSettings(c.env).tokenSecret, Date.now());
    if (!claims.aud.some((audience) => audiences.includes(audience))) {
      throw new AppError("forbidden", `This needs a token for ${audiences.join(" or ")}`);
    }
    const room = c.req.param("room");
    if (room !== undefined && claims.room !== "*" && claims.room !== room) {
      throw new AppError("forbidden", "The token is for another room");
    }
    c.set("claims", claims);
    await next();
  };
}

/** As {@link allow}, for what concerns every room: a token for one room alone does not do. */
export function allowForAll(...audiences: readonly Audience[]): MiddlewareHandler<EdgeEnv> {
  const allowAudience = allow(...audiences);
  return async function allowAudienceForAll(c, next) {
    await allowAudience(c, async () => {
      if (c.get("claims").room !== "*") throw new AppError("forbidden", "This needs a token for all rooms");
      await next();
    });
  };
}

/** Who may look into the registry: those that change it, and those that ask what came of it. */
export const registryReaders = allowForAll("operator", "analyst", "governor");

/** Those that change the registry. */
type Role = Extract<Audience, Actor["audience"]>;

/** Who a change of the registry is by: the caller, in the first of these roles that the token has. */
export function actorOf(c: Context<EdgeEnv>, ...roles: readonly [Role, ...Role[]]): Actor {
  const { sub, aud } = c.get("claims");
  return { name: sub, audience: roles.find((role) => aud.includes(role)) ?? roles[0] };
}

function tokenOf(c: Context<EdgeEnv>): string {
  const header = /^Bearer ([\w.-]+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  const protocols = (c.req.header("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
  const token = header ?? protocols.find((name) => name.startsWith(TOKEN_SUBPROTOCOL))?.slice(TOKEN_SUBPROTOCOL.length);
  if (token === undefined) throw new AppError("unauthenticated", "Send a token: Authorization: Bearer <token>");
  return token;
}
