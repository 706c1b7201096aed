/**
 * As much of Cloudflare's API as Wrangler calls for a deployment, over HTTP, with one account behind it. D1 is SQLite, so
 * that migrations are really carried out. What it cannot show: limits, prices, permissions, and whether code runs there.
 */
import { createServer, type IncomingMessage } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { buffer } from "node:stream/consumers";
import { once } from "node:events";
import { z } from "zod";

const ACCOUNT = { id: "acc0000000000000000000000000000a", name: "Acme" };
const NO_WORKER = { status: 404, code: 10007, message: "This Worker does not exist on your account." };

export type FakeCloudflare = Awaited<ReturnType<typeof startFakeCloudflare>>;

/** What an upload says about the Worker; loose, since the test reads only a few of its fields. */
const metadataSchema = z.object({
  bindings: z.array(z.looseObject({ type: z.string(), name: z.string() })),
  migrations: z.looseObject({ new_tag: z.string() }).optional(),
});

type Failure = { readonly status: number; readonly code: number; readonly message: string };
type Answer = { readonly result: unknown } | Failure;
type Call = { readonly method: string; readonly path: string; readonly page: string; readonly body: Buffer };

export async function startFakeCloudflare() {
  const account = {
    kv: new Map<string, string>(),
    d1: new Map<string, { name: string; database: DatabaseSync }>(),
    secrets: new Map<string, string>(),
    /** Of the last upload; `null`: there is no Worker. */
    worker: null as z.infer<typeof metadataSchema> | null,
    /** Of the last upload that had migrations of object classes. */
    migrationTag: "",
    /** What was asked and is not known here. */
    unknown: [] as string[],
  };
  const server = createServer((request, response) => {
    void answerTo(request, account).then((answer) => {
      const failure = "result" in answer ? null : answer;
      const errors = failure === null ? [] : [{ code: failure.code, message: failure.message }];
      const result = "result" in answer ? answer.result : null;
      response.writeHead(failure?.status ?? 200, { "content-type": "application/json" });
      response.end(JSON.stringify({ success: failure === null, errors, messages: [], result }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}/client/v4`, account, stop: () => server.close() };
}

type State = FakeCloudflare["account"];

async function answerTo(request: IncomingMessage, state: State): Promise<Answer> {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const call = {
    method: request.method ?? "GET",
    path: url.pathname.replace("/client/v4", "").replace(`/accounts/${ACCOUNT.id}`, ""),
    page: url.searchParams.get("page") ?? "1",
    body: await buffer(request),
  };
  for (const answer of [answerUser, answerStores, answerWorker]) {
    const found = answer(call, state);
    if (found !== null) return found;
  }
  state.unknown.push(`${call.method} ${call.path}`);
  return { status: 404, code: 7000, message: "No route for that URI" };
}

function answerUser({ path }: Call): Answer | null {
  switch (path) {
    case "/user":
      return { result: { email: "op@acme.example" } };
    case "/user/tokens/verify":
      return { result: { id: "t", status: "active" } };
    case "/accounts":
      return { result: [ACCOUNT] };
    case "/memberships":
      return { result: [{ id: "m", account: ACCOUNT }] };
    default:
      return null;
  }
}

function answerStores(call: Call, state: State): Answer | null {
  const [, ofNamespace] = /^\/storage\/kv\/namespaces(?:\/([^/]+))?$/.exec(call.path) ?? [];
  if (call.path.startsWith("/storage/kv/namespaces")) return answerKv(call, ofNamespace, state);
  const [isD1, key = "", rest] = /^\/d1\/database(?:\/([^/]+)(\/query)?)?$/.exec(call.path) ?? [];
  return isD1 === undefined
    ? null
    : answerD1(call, { key: decodeURIComponent(key), isQuery: rest !== undefined }, state);
}

function answerKv({ method, page, body }: Call, id: string | undefined, { kv }: State): Answer {
  if (method === "DELETE") return { result: kv.delete(id ?? "") ? {} : null };
  if (method === "GET") return { result: page === "1" ? [...kv].map(([key, title]) => ({ id: key, title })) : [] };
  const { title } = z.object({ title: z.string() }).parse(JSON.parse(body.toString()));
  const made = `${kv.size}`.padStart(32, "f");
  kv.set(made, title);
  return { result: { id: made, title } };
}

function answerD1(
  { method, page, body }: Call,
  { key, isQuery }: { readonly key: string; readonly isQuery: boolean },
  { d1 }: State,
): Answer {
  if (key === "" && method === "GET") {
    return { result: page === "1" ? [...d1].map(([uuid, { name }]) => ({ uuid, name })) : [] };
  }
  if (key === "") {
    const { name } = z.object({ name: z.string() }).parse(JSON.parse(body.toString()));
    const uuid = `11111111-2222-3333-4444-55555555555${d1.size}`;
    d1.set(uuid, { name, database: new DatabaseSync(":memory:") });
    return { result: { uuid, name, created_in_region: "APAC" } };
  }
  const [uuid, found] = [...d1].find(([id, { name }]) => id === key || name === key) ?? [];
  if (uuid === undefined || found === undefined) return { status: 404, code: 7404, message: `No database ${key}` };
  if (isQuery) return { result: query(found.database, body) };
  if (method === "DELETE") d1.delete(uuid);
  return { result: { uuid, name: found.name } };
}

function query(database: DatabaseSync, body: Buffer): unknown {
  const { sql } = z.object({ sql: z.string() }).parse(JSON.parse(body.toString()));
  if (sql.trimStart().startsWith("SELECT")) {
    return [{ results: database.prepare(sql).all(), success: true, meta: { duration: 0.1 } }];
  }
  database.exec(sql);
  return [{ results: [], success: true, meta: { duration: 0.1 } }];
}

function answerWorker({ method, path, body }: Call, state: State): Answer | null {
  if (path === "/workers/subdomain") return { result: { subdomain: "acme" } };
  const [, kind, worker, rest = ""] = /^\/workers\/(scripts|services|workers)\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  if (worker === undefined) return null;
  if (`${method} ${kind}${rest}` === "PUT scripts") {
    state.worker = readMetadata(body);
    state.migrationTag = state.worker.migrations?.new_tag ?? state.migrationTag;
    return {
      result: { id: worker, etag: "e", deployment_id: "d0000000000000000000000000000001", startup_time_ms: 12 },
    };
  }
  if (rest === "/assets-upload-session") return { result: { jwt: "j.w.t", buckets: [] } };
  if (state.worker === null) return NO_WORKER;
  if (`${method} ${kind}` === "DELETE services") {
    state.worker = null;
    state.secrets.clear();
    return { result: null };
  }
  if (`${method} ${rest}` === "POST /versions") state.worker = readMetadata(body);
  return answerDeployed({ method, rest: `${kind}${rest}`, body }, state);
}

/** Of a Worker that is there. */
function answerDeployed(
  { method, rest, body }: { method: string; rest: string; body: Buffer },
  { secrets, migrationTag }: State,
) {
  switch (rest) {
    case "services": {
      const script = { tag: "t", tags: [], last_deployed_from: "wrangler", migration_tag: migrationTag };
      return { result: { id: "w", default_environment: { environment: "production", script } } };
    }
    case "workers":
    case "scripts/subdomain":
      return { result: { id: "w", subdomain: { enabled: true, previews_enabled: false }, enabled: true } };
    case "scripts/secrets": {
      if (method === "GET") return { result: [...secrets.keys()].map((name) => ({ name, type: "secret_text" })) };
      const { name, text } = z.object({ name: z.string(), text: z.string() }).parse(JSON.parse(body.toString()));
      secrets.set(name, text);
      return { result: { name, type: "secret_text" } };
    }
    case "scripts/versions": {
      const resources = { script: { etag: "e" } };
      return { result: { id: "d0000000-0000-0000-0000-000000000002", resources, startup_time_ms: 12 } };
    }
    case "scripts/deployments":
      return { result: { deployments: [] } };
    case "scripts/script-settings":
      return { result: {} };
    case "scripts/settings":
      return { result: { bindings: [] } };
    case "scripts/schedules":
      return { result: { schedules: [] } };
    default:
      return null;
  }
}

/** The part `metadata` of an upload, which comes first. */
function readMetadata(body: Buffer) {
  const [, json = "null"] = /name="metadata"[^]*?\r\n\r\n([^]*?)\r\n--/.exec(body.toString("latin1")) ?? [];
  return metadataSchema.parse(JSON.parse(json));
}
