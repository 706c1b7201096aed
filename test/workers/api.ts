/** The edge API as its users call it, inside the test's Worker. */
import { env, exports } from "cloudflare:workers";
import { SignJWT } from "jose";
import type { Audience } from "../../shared/contract/token-claims.ts";
import { aBundle } from "../helpers/harnesses.ts";
import { aRoomConfig } from "../helpers/rooms.ts";

export type TokenOptions = {
  readonly aud?: readonly Audience[];
  readonly room?: string;
  readonly expiresInS?: number;
  readonly secret?: string;
};

export function aToken({ aud = ["room"], room = "*", expiresInS = 60, secret = env.TOKEN_SECRET }: TokenOptions = {}) {
  return new SignJWT({ room })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer("kaibo")
    .setSubject("test")
    .setAudience([...aud])
    .setExpirationTime(Math.floor(Date.now() / 1_000) + expiresInS)
    .sign(new TextEncoder().encode(secret));
}

export type CallOptions = {
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly raw?: BodyInit;
  readonly headers?: Record<string, string>;
};

export async function call(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = "GET", body, raw, headers = {} } = options;
  const token = options.token ?? (await aToken({ aud: ["room", "operator", "analyst"] }));
  return exports.default.fetch(`https://edge.test${path}`, {
    method,
    headers: {
      ...(token !== "" && { authorization: `Bearer ${token}` }),
      ...(method !== "GET" && { "content-type": "application/json" }),
      ...headers,
    },
    ...(method !== "GET" && { body: raw ?? JSON.stringify(body) }),
  });
}

/** Pushes the small harness and opens a room on it. */
export async function openRoom(room: string, config: Parameters<typeof aRoomConfig>[0] = {}): Promise<void> {
  const pushed = await call("/v1/harnesses", { method: "POST", body: aBundle() });
  const { version } = await pushed.json<{ version: string }>();
  const channel = "/v1/harnesses/live-host/channels/production";
  const served = await call(channel);
  const expected = served.status === 200 ? (await served.json<{ version: string }>()).version : null;
  if (expected !== version) await call(channel, { method: "PUT", body: { version, expected } });
  const saved = await call(`/v1/rooms/${room}`, { method: "PUT", body: aRoomConfig(config) });
  if (saved.status !== 200) throw new Error(`PUT room answered ${saved.status}: ${await saved.text()}`);
}

export type SseEvent = { readonly id: string; readonly event: string; readonly data: Record<string, unknown> };

/** Events of a stream as they come; ends when the stream does. */
export async function* readEvents(response: Response): AsyncGenerator<SseEvent> {
  let rest = "";
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
      );
      if (fields["data"] !== undefined) {
        yield { id: fields["id"] ?? "", event: fields["event"] ?? "", data: JSON.parse(fields["data"]) };
      }
    }
  }
}

export async function collectEvents(response: Response): Promise<SseEvent[]> {
  const events: SseEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}
