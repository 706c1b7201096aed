import path from "node:path";
import { defineConfig } from "vitest/config";

/** A browser on a busy machine is slow to start; a test that hangs still ends. */
const TIMEOUT_MS = 60_000;

export default defineConfig({
  root: path.resolve(import.meta.dirname, "../.."),
  test: {
    name: "browser",
    include: ["test/browser/**/*.test.ts"],
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    // One browser and one product serve all tests.
    fileParallelism: false,
  },
});
