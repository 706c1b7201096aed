/* placeholder until wrangler types runs */
interface Env {
  LIVE_ROOM: DurableObjectNamespace<import("./room/live-room.ts").LiveRoom>;
  HARNESS_KV: KVNamespace;
  REGISTRY_DB: D1Database;
  ASSETS: Fetcher;
  LOADER: WorkerLoader;
  TOKEN_SECRET: string;
}
