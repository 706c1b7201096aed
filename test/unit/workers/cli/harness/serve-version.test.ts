import { describe, it } from "vitest";
import type { EdgeApi, Refusal } from "../../../../../workers/cli/edge-api.ts";
import { serveVersion } from "../../../../../workers/cli/harness/serve-version.ts";

const OLD = "a".repeat(64);
const NEW = "b".repeat(64);
const TOLD = { updated: 3, failed: 0, faults: [], isComplete: true };
const REQUEST = { name: "live-host", channel: "production", version: NEW };

describe("serveVersion", () => {
  it("makes a channel that does not exist", async ({ expect }) => {
    const { api, calls } = anEdge({ serves: null });
    expect(await serveVersion(api, REQUEST)).toMatchObject({ previous: null, rooms: { updated: 3 } });
    expect(calls.at(-1)).toEqual(["PUT", { version: NEW, expected: null, merchant: "*" }]);
  });

  it("moves a channel from the version that it serves", async ({ expect }) => {
    const { api, calls } = anEdge({ serves: OLD });
    expect(await serveVersion(api, REQUEST)).toMatchObject({ previous: OLD, version: NEW });
    expect(calls.at(-1)).toEqual(["PUT", { version: NEW, expected: OLD, merchant: "*" }]);
  });

  it("leaves a channel that serves the version already", async ({ expect }) => {
    const { api, calls } = anEdge({ serves: NEW });
    expect(await serveVersion(api, REQUEST)).toBeNull();
    expect(calls.map(([method]) => method)).toEqual(["GET"]);
  });

  it("takes what the caller expects instead of looking", async ({ expect }) => {
    const { api, calls } = anEdge({ serves: NEW });
    await serveVersion(api, { ...REQUEST, expected: null });
    expect(calls).toEqual([["PUT", { version: NEW, expected: null, merchant: "*" }]]);
  });

  it("makes a merchant's own channel, whatever the common one serves", async ({ expect }) => {
    const { api, calls } = anEdge({ serves: NEW });
    await serveVersion(api, { ...REQUEST, merchant: "m-1" });
    expect(calls.at(-1)).toEqual(["PUT", { version: NEW, expected: null, merchant: "m-1" }]);
  });

  it("says so when someone else moved it in between", async ({ expect }) => {
    const refusal = { code: "channel_moved", title: "The channel serves another version", status: 409, details: {} };
    const { api } = anEdge({ serves: OLD, moveRefusal: refusal });
    await expect(serveVersion(api, REQUEST)).rejects.toMatchObject({
      message: "Channel production of live-host was not moved.",
      next: expect.stringContaining("run the command again"),
    });
  });
});

function anEdge({ serves, moveRefusal }: { serves: string | null; moveRefusal?: Refusal }) {
  const calls: [method: string, body: unknown][] = [];
  const channel = { name: "live-host", channel: "production" };
  const api: EdgeApi = {
    send: () => Promise.reject(new Error("not used")),
    async call(method, _path, { body, answer }) {
      calls.push([method, body]);
      if (method === "GET") {
        const served = { ...channel, merchant: "*", version: serves, previous: null, movedBy: "li", movedAtMs: 1 };
        const releases = { name: "live-host", channels: serves === null ? [] : [served], canaries: [], freezes: [] };
        return { ok: true, value: answer.parse(releases) };
      }
      if (moveRefusal !== undefined) return { ok: false, error: moveRefusal };
      const moved = { ...channel, version: NEW, previous: serves, rooms: TOLD };
      return { ok: true, value: answer.parse(moved) };
    },
  };
  return { api, calls };
}
