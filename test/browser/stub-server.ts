/** Starts the stand-in of the product. Only for developing the page before there is a product to start. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { Miniflare, Response, convertV4MiniflareOptions } from "miniflare";
import { buildConsole } from "../../workers/console/build.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** Starts the stub on a free port. */
export async function startProduct(
  outFolder = "/tmp/kaibo-console-dist",
  port = 0,
): Promise<{ url: string; tokens: { page: string }; stop: () => Promise<void> }> {
  await buildConsole(outFolder);
  const bundled = await build({
    stdin: {
      contents:
        'import { serveStub, StubRoom } from "./stub-room.ts"; export { StubRoom }; export default { fetch: serveStub };',
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    format: "esm",
    write: false,
    target: "es2024",
  });
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: bundled.outputFiles[0]?.text ?? "",
      port,
      compatibilityDate: "2026-11-02",
      durableObjects: { ROOM: "StubRoom" },
      serviceBindings: {
        FILES: async (request: { url: string }) => {
          const { pathname } = new URL(request.url);
          const name = pathname === "/" ? "/index.html" : pathname;
          try {
            const body = await readFile(path.join(outFolder, path.normalize(name)));
            return new Response(body, { headers: { "content-type": TYPES[path.extname(name)] ?? "text/plain" } });
          } catch {
            return new Response("not found", { status: 404 });
          }
        },
      },
    }),
  );
  const url = (await miniflare.ready).origin;
  return { url, tokens: { page: "stub.stub.stub" }, stop: () => miniflare.dispose() };
}
