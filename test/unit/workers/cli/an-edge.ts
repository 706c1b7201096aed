/** An instance that gives fixed answers by route, and notes what it was asked. */
import { parseJson } from "../../../../shared/core/json.ts";
import { createEdgeApi, type EdgeApi } from "../../../../workers/cli/edge-api.ts";

export type AskedOfEdge = { readonly route: string; readonly body: unknown };

/**
 * @param answers - By `METHOD /path?query`: the body of a good answer, or a function that makes the response. What has no
 *   answer is refused as `route_not_found`.
 */
export function anEdge(answers: Readonly<Record<string, unknown>>): {
  readonly api: EdgeApi;
  readonly asked: AskedOfEdge[];
} {
  const asked: AskedOfEdge[] = [];
  const fetcher: typeof fetch = async (input, options) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const route = `${options?.method} ${pathname}${search}`;
    const body = typeof options?.body === "string" ? parseJson(options.body) : undefined;
    asked.push({ route, body });
    const found = answers[route] ?? refusal("route_not_found", 404);
    const made: unknown = typeof found === "function" ? found(body) : found;
    return made instanceof Response ? made : Response.json(made);
  };
  return { api: createEdgeApi({ url: "http://kaibo.test", token: "t" }, fetcher), asked };
}

type EdgePorts = {
  readonly out: (text: string) => void;
  readonly paint: (style: string, text: string) => string;
  readonly openApi: (options: object, kind: string) => Promise<EdgeApi>;
};

/** Runs a command against an instance that gives these answers. `kinds`: whose token it took, in the order of its calls. */
export async function runOnEdge(
  answers: Readonly<Record<string, unknown>>,
  run: (ports: EdgePorts) => Promise<void>,
): Promise<{ printed: string; asked: readonly AskedOfEdge[]; kinds: readonly string[]; failure: unknown }> {
  let printed = "";
  const kinds: string[] = [];
  const { api, asked } = anEdge(answers);
  const ports: EdgePorts = {
    out: (text) => void (printed += text),
    paint: (style, text) => (style === "dim" ? text : `<${style}>${text}`),
    openApi: async (_options, kind) => {
      kinds.push(kind);
      return api;
    },
  };
  const failure = await run(ports).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { printed, asked, kinds, failure };
}

/** An answer that refuses. */
export function refusal(code: string, status: number): () => Response {
  return () => Response.json({ code, title: "It was refused", status, details: {} }, { status });
}

/** An answer without a body. */
export function noContent(): Response {
  return new Response(null, { status: 204 });
}

/** One row of the list of versions. */
export function aVersion(version: string, fields: object = {}) {
  return {
    version,
    description: "通用主播",
    bytes: 9,
    createdBy: "li",
    createdAtMs: Date.UTC(2026, 0, 2),
    parent: null,
    notes: "",
    evidence: { clusterIds: [], caseIds: [], traceIds: [] },
    signature: null,
    revokedAtMs: null,
    ...fields,
  };
}

/** What a harness serves: nothing, but for what is named. */
export function theReleases(fields: object = {}) {
  return { name: "live-host", channels: [], canaries: [], freezes: [], ...fields };
}

/** A channel as the overview has it. */
export function aChannel(version: string, fields: object = {}) {
  const who = { movedBy: "li", movedAtMs: Date.UTC(2026, 0, 3) };
  return { channel: "production", merchant: "*", version, previous: null, ...who, ...fields };
}

/** What a release says of rooms that were told. */
export function theRooms(updated: number, faults: readonly { room: string; code: string }[] = []) {
  return { updated, failed: faults.length, faults, isComplete: true };
}

/** A move of production that waits for nothing but its time or a person. */
export function aPlan(id: string, fields: object = {}) {
  return {
    id,
    name: "live-host",
    channel: "production",
    merchant: "*",
    expected: null,
    version: `9f2c1a0b${"1".repeat(56)}`,
    dueAtMs: null,
    note: "",
    plannedBy: "li",
    plannedAtMs: Date.UTC(2026, 0, 2),
    approvedBy: null,
    status: "waiting",
    reason: null,
    ...fields,
  };
}
