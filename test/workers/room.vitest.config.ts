import path from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const root = path.resolve(import.meta.dirname, "../..");

export default defineConfig({
  root,
  plugins: [cloudflareTest({ wrangler: { configPath: path.join(root, "test/workers/room.wrangler.toml") } })],
  test: { name: "room", include: ["test/workers/room/**/*.test.ts"] },
});
