import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

// Idempotent: each test file has its own storage, and the bookkeeping table knows what was applied.
await applyD1Migrations(env.REGISTRY_DB, env.TEST_MIGRATIONS);
