/** Tools bound to a merchant's HTTP service: allow-listed origins, no redirects, bounded answers. */
import type { HttpTool } from "../../shared/agent/tools/execute-tool-call.ts";
import { AppError } from "../../shared/errors/app-error.ts";

/**
 * @param secretOf - Reads a secret binding by name; `undefined` where the deployment has none. Its value is
 *   `<origin> <token>`: the deployment says where a token may go, and no bundle can send it elsewhere.
 */
export function createHttpTool(origins: ReadonlySet<string>, secretOf: (name: string) => string | undefined): HttpTool {
  return {
    async call({ definition }, args, signal) {
      const { binding } = definition;
      if (binding.type !== "http") throw new AppError("tool_failed", "Not an http tool");
      const url = new URL(binding.url);
      if (!origins.has(url.origin)) {
        throw new AppError("tool_origin_refused", "The origin is not on TOOL_ORIGINS", {
          details: { origin: url.origin },
        });
      }
      if (binding.method === "GET") {
        for (const [name, value] of Object.entries(args)) url.searchParams.set(name, String(value));
      }
      const token = binding.secret === undefined ? undefined : tokenFor(url.origin, secretOf(binding.secret));
      const response = await fetch(url, {
        method: binding.method,
        headers: {
          accept: "application/json",
          ...(binding.method === "POST" && { "content-type": "application/json" }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        ...(binding.method === "POST" && { body: JSON.stringify(args) }),
        // A redirect could leave the allow list, and would carry the secret along.
        redirect: "manual",
        signal,
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new AppError("tool_failed", "The tool's service refused", { details: { status: response.status } });
      }
      return readText(response, binding.bytesMax);
    },
  };
}

/** @throws AppError `tool_origin_refused` - the deployment has no such secret, or has it for another origin. */
function tokenFor(origin: string, secret: string | undefined): string {
  const [allowed, token] = (secret ?? "").split(" ");
  if (token !== undefined && allowed === origin) return token;
  throw new AppError("tool_origin_refused", "The secret is not for this origin", { details: { origin } });
}

/** @throws AppError `tool_output_too_large` - more than `bytesMax` bytes came; the connection is closed at once. */
async function readText(response: Response, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax)
      throw new AppError("tool_output_too_large", "The tool answered too much", { details: { bytesMax } });
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
