/** Where `npm run db:generate` reads the tables and writes the migrations. Paths are from the repository's root. */
import { defineConfig } from "drizzle-kit";

export default defineConfig({ dialect: "sqlite", schema: "./harness-kv/schema.ts", out: "./migrations" });
