import type { Context, MiddlewareHandler } from "hono";
import type { EdgeEnv } from "./authenticate.ts";

/** Only files of this origin run or load; sockets go back to it; nobody frames it. */
const HEADERS = {
  "content-security-policy":
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const;

/** Puts the page's headers on an answer. */
export const pageHeaders: MiddlewareHandler<EdgeEnv> = async function pageHeaders(c, next) {
  await next();
  for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
};

/** The live page and its files. */
export async function servePage(c: Context<EdgeEnv>): Promise<Response> {
  const asset = await c.env.ASSETS.fetch(c.req.raw);
  return asset.status === 404 ? c.notFound() : new Response(asset.body, asset);
}
