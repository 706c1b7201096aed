import { mkdirSync } from "node:fs";
import path from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const root = path.resolve(import.meta.dirname, "..");
// The page is built by `npm start`; these tests never ask for it, but the assets binding wants its folder.
mkdirSync(path.join(root, "workers/console/dist"), { recursive: true });
const migrations = await readD1Migrations(path.join(root, "migrations"));

export default defineConfig({
  test: {
    projects: [
      { root, test: { name: "unit", include: ["test/unit/**/*.test.ts"] } },
      { root, test: { name: "architecture", include: ["test/architecture/**/*.test.ts"] } },
      {
        root,
        plugins: [
          cloudflareTest({
            wrangler: { configPath: path.join(root, "wrangler.toml") },
            miniflare: {
              bindings: {
                TOKEN_SECRET: "a secret of the tests, never used elsewhere",
                TEST_MIGRATIONS: migrations,
              },
            },
          }),
        ],
        test: {
          name: "workers",
          include: ["test/workers/**/*.test.ts"],
          exclude: ["test/workers/room/**"],
          setupFiles: ["test/workers/apply-migrations.ts"],
        },
      },
      {
        // The room alone, with a runner that only notes its leases: the tests play the runner.
        root,
        plugins: [cloudflareTest({ wrangler: { configPath: path.join(root, "test/workers/room.wrangler.toml") } })],
        test: { name: "room", include: ["test/workers/room/**/*.test.ts"] },
      },
      { root, test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 120_000 } },
    ],
  },
});
