import type { Context } from "hono";
import type { EdgeEnv } from "./authenticate.ts";

/** Only files of this origin run or load; sockets go back to it; nobody frames it. */
const HEADERS = {
  "content-security-policy":
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const;

/** The live page and its files, with the headers that keep them to this origin. */
export async function servePage(c: Context<EdgeEnv>): Promise<Response> {
  const asset = await c.env.ASSETS.fetch(c.req.raw);
  if (asset.status === 404) return c.notFound();
  const response = new Response(asset.body, asset);
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
  return response;
}
