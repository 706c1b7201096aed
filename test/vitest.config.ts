import path from "node:path";
import { defineConfig } from "vitest/config";

const root = path.resolve(import.meta.dirname, "..");

export default defineConfig({
  test: {
    projects: [
      { root, test: { name: "unit", include: ["test/unit/**/*.test.ts"] } },
      { root, test: { name: "architecture", include: ["test/architecture/**/*.test.ts"] } },
    ],
  },
});
