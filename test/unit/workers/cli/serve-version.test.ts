import { describe, it } from "vitest";
import type { EdgeApi } from "../../../../workers/cli/edge-api.ts";
import { serveVersion } from "../../../../workers/cli/serve-version.ts";

const OLD = "a".repeat(64);
const NEW = "b".repeat(64);
const NO_CHANNEL = { code: "harness_channel_not_found", title: "none", status: 404, details: {} };

describe("serveVersion", () => {
  it("makes a channel that does not exist", async ({ expect }) => {
    const { api, calls } = anEdge({ serves: null });
    expect(await serveVersion(api, { name: "live-host", channel: "production", version: NEW })).toBe(true);
    expect(calls.at(-1)).toEqual(["PUT", { version: NEW, expected: null }]);
  });

  it("moves a channel from the version that it serves", async ({ expect }) => {
    const { api, calls } = anEdge({ serves: OLD });
    expect(await serveVersion(api, { name: "live-host", channel: "production", version: NEW })).toBe(true);
    expect(calls.at(-1)).toEqual(["PUT", { version: NEW, expected: OLD }]);
  });

  it("leaves a channel that serves the version already", async ({ expect }) => {
    const { api, calls } = anEdge({ serves: NEW });
    expect(await serveVersion(api, { name: "live-host", channel: "production", version: NEW })).toBe(false);
    expect(calls.map(([method]) => method)).toEqual(["GET"]);
  });

  it("says so when someone else moved it in between", async ({ expect }) => {
    const refusal = { code: "channel_moved", title: "The channel serves another version", status: 409, details: {} };
    const { api } = anEdge({ serves: OLD, moveRefusal: refusal });
    await expect(serveVersion(api, { name: "live-host", channel: "production", version: NEW })).rejects.toMatchObject({
      message: "Channel production of live-host was not moved.",
      next: expect.stringContaining("run the command again"),
    });
  });
});

function anEdge({ serves, moveRefusal }: { serves: string | null; moveRefusal?: typeof NO_CHANNEL }) {
  const calls: [method: string, body: unknown][] = [];
  const channel = { name: "live-host", channel: "production" };
  const api: EdgeApi = {
    send: () => Promise.reject(new Error("not used")),
    async call(method, _path, { body, answer }) {
      calls.push([method, body]);
      if (method === "GET") {
        if (serves === null) return { ok: false, error: NO_CHANNEL };
        return { ok: true, value: answer.parse({ ...channel, version: serves }) };
      }
      if (moveRefusal !== undefined) return { ok: false, error: moveRefusal };
      const moved = { ...channel, version: NEW, previous: serves, rooms: { updated: 0, failed: 0 } };
      return { ok: true, value: answer.parse(moved) };
    },
  };
  return { api, calls };
}
