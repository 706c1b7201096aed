/** Who may call what, route by route: a route that is not in this table fails the test. */
import { describe, it } from "vitest";
import { audienceSchema, type Audience } from "../../../shared/contract/token-claims.ts";
import { edgeApp } from "../../../workers/edge/app.ts";
import { aToken, call } from "../api.ts";

const EVERYONE = audienceSchema.options;
const OPERATORS: readonly Audience[] = ["operator"];
const READERS: readonly Audience[] = ["operator", "analyst", "governor"];

/** Audiences that a route lets in; all others get 403. */
const ALLOWED: Readonly<Record<string, readonly Audience[]>> = {
  "GET /v1/rooms": ["room", "operator", "analyst"],
  "GET /v1/rooms/{room}": ["room", "operator", "analyst"],
  "PUT /v1/rooms/{room}": ["room", "operator"],
  "PATCH /v1/rooms/{room}/state": ["room", "operator"],
  "POST /v1/rooms/{room}/messages": ["room"],
  "POST /v1/rooms/{room}/host-speech": ["room"],
  "POST /v1/rooms/{room}/interrupt": ["room", "operator"],
  "GET /v1/rooms/{room}/stream": ["room", "operator", "analyst", "viewer"],
  "GET /v1/rooms/{room}/voice": ["room"],
  "GET /v1/rooms/{room}/turns/{turn}": ["room", "operator", "analyst"],
  "POST /v1/rooms/{room}/turns/{turn}/replay": OPERATORS,
  "GET /v1/rooms/{room}/prompts/{digest}": ["operator", "analyst"],
  "POST /v1/harnesses": OPERATORS,
  "GET /v1/harnesses/{name}/versions": READERS,
  "GET /v1/harnesses/{name}/versions/{version}": READERS,
  "POST /v1/harnesses/{name}/versions/{version}/revoke": OPERATORS,
  "GET /v1/harnesses/{name}/versions/{version}/gate": READERS,
  "PUT /v1/harnesses/{name}/versions/{version}/gate/{condition}": ["governor"],
  "GET /v1/harnesses/{name}/channels/{channel}": READERS,
  "PUT /v1/harnesses/{name}/channels/{channel}": OPERATORS,
  "POST /v1/harnesses/{name}/channels/{channel}/rollback": OPERATORS,
  "GET /v1/harnesses/{name}/releases": READERS,
  "PUT /v1/harnesses/{name}/canary": OPERATORS,
  "DELETE /v1/harnesses/{name}/canary": OPERATORS,
  "GET /v1/harnesses/{name}/canary": READERS,
  "PUT /v1/harnesses/{name}/canary-limits": ["governor"],
  "GET /v1/harnesses/{name}/backup": READERS,
  "PUT /v1/harnesses/{name}/backup": ["governor"],
  "DELETE /v1/harnesses/{name}/backup": ["governor"],
  "GET /v1/harnesses/{name}/plans": READERS,
  "POST /v1/harnesses/{name}/plans": OPERATORS,
  "POST /v1/harnesses/{name}/plans/{id}/approve": ["operator", "governor"],
  "DELETE /v1/harnesses/{name}/plans/{id}": ["operator", "governor"],
  "GET /v1/harnesses/{name}/pins": READERS,
  "PUT /v1/harnesses/{name}/pins/{scope}/{id}": OPERATORS,
  "DELETE /v1/harnesses/{name}/pins/{scope}/{id}": OPERATORS,
  "PUT /v1/harnesses/{name}/freeze": ["operator", "governor"],
  "DELETE /v1/harnesses/{name}/freeze": ["operator", "governor"],
  "GET /v1/audit": ["operator", "governor"],
  "GET /v1/endpoints": ["operator", "analyst"],
  "GET /v1/endpoints/{name}": ["operator", "analyst"],
  "PUT /v1/endpoints/{name}": OPERATORS,
  "DELETE /v1/endpoints/{name}": OPERATORS,
  "POST /v1/endpoints/{name}/check": OPERATORS,
  "GET /metrics": OPERATORS,
};

const document = edgeApp.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "test", version: "1" } });
const routes = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
);

const PARAMETERS: Readonly<Record<string, string>> = {
  room: "no-such-room",
  turn: "t2",
  digest: "0".repeat(64),
  name: "live-host",
  version: "0".repeat(64),
  channel: "production",
  condition: "boundary",
  scope: "room",
  id: "no-such-room",
};

describe("audiences", () => {
  it.for(routes)(
    "$method $path lets in whom the table names, and nobody else",
    async ({ method, path }, { expect }) => {
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => PARAMETERS[name] ?? "x");
      const refused: Audience[] = [];
      for (const audience of EVERYONE) {
        const response = await call(url, { method, token: await aToken({ aud: [audience] }), body: {} });
        if (response.status === 403) refused.push(audience);
        await response.body?.cancel();
      }
      expect(EVERYONE.filter((audience) => !refused.includes(audience))).toEqual(
        EVERYONE.filter((audience) => ALLOWED[`${method} ${path}`]?.includes(audience)),
      );
    },
  );
});
