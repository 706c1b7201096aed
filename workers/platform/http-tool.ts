/** Tools bound to a merchant's HTTP service: allow-listed origins, no redirects, bounded answers. */
import type { HttpTool } from "../../shared/agent/tools/execute-tool-call.ts";
import { AppError } from "../../shared/errors/app-error.ts";

/** `secretOf` reads a secret binding by name; `undefined` where the deployment has none. */
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
      const secret = binding.secret === undefined ? undefined : secretOf(binding.secret);
      const response = await fetch(url, {
        method: binding.method,
        headers: {
          accept: "application/json",
          ...(binding.method === "POST" && { "content-type": "application/json" }),
          ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
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
