import type { MiddlewareHandler } from "hono";
import { parseJson } from "../../shared/core/json.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import type { EdgeEnv } from "./authenticate.ts";

/**
 * Reads a JSON body once, within `bytesMax`, and hands it to the route's validator, which does not parse again.
 *
 * @throws AppError `unsupported_media_type` - the content type is not JSON.
 * @throws AppError `body_too_large` - more bytes came; reading stops there.
 * @throws AppError `invalid_json` - not UTF-8, or not JSON.
 */
export function readJsonBody(bytesMax: number): MiddlewareHandler<EdgeEnv> {
  return async function readJson(c, next) {
    if (!/^application\/([\w.-]+\+)?json\b/i.test(c.req.header("content-type") ?? "")) {
      throw new AppError("unsupported_media_type", "Send JSON with Content-Type: application/json");
    }
    const value = parseJson(decode(await readBytes(c.req.raw, bytesMax)));
    if (value === undefined) throw new AppError("invalid_json", "The body is not JSON");
    c.req.bodyCache.json = Promise.resolve(value);
    await next();
  };
}

async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array[]> {
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk);
  }
  return chunks;
}

function tooLarge(bytesMax: number): AppError {
  return new AppError("body_too_large", `The body is larger than ${bytesMax} bytes`, { details: { bytesMax } });
}

function decode(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  try {
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
  } catch {
    throw new AppError("invalid_json", "The body is not UTF-8");
  }
}
