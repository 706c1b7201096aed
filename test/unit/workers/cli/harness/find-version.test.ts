import { describe, it } from "vitest";
import { findVersion, resolveVersion, versionsOf } from "../../../../../workers/cli/harness/find-version.ts";
import { anEdge, aVersion } from "../an-edge.ts";

const NEW = `9f2c1a0b${"1".repeat(56)}`;
const NEAR = `9f2c1a0c${"2".repeat(56)}`;
const OLD = `07d1c0de${"3".repeat(56)}`;
const LIST = "GET /v1/harnesses/live-host/versions?limit=100";

const twoPages = {
  [LIST]: { versions: [aVersion(NEW), aVersion(NEAR)], nextCursor: "1.a" },
  [`${LIST}&cursor=1.a`]: { versions: [aVersion(OLD)], nextCursor: null },
};

describe("versionsOf", () => {
  it("follows pages, and asks for no more than is taken", async ({ expect }) => {
    const { api, asked } = anEdge(twoPages);
    const seen: string[] = [];
    for await (const { version } of versionsOf(api, "live-host")) {
      seen.push(version);
      if (seen.length === 2) break;
    }
    expect(asked).toHaveLength(1);
    for await (const { version } of versionsOf(api, "live-host")) seen.push(version);
    expect(seen).toEqual([NEW, NEAR, NEW, NEAR, OLD]);
  });
});

describe("findVersion", () => {
  it("finds the one that begins so, on whatever page", async ({ expect }) => {
    expect(await findVersion(anEdge(twoPages).api, "live-host", "07d1c0d")).toMatchObject({ version: OLD });
    expect(await findVersion(anEdge(twoPages).api, "live-host", NEAR.slice(0, 8))).toMatchObject({ version: NEAR });
  });

  it("refuses digits that several versions begin with, and shows more of them", async ({ expect }) => {
    await expect(findVersion(anEdge(twoPages).api, "live-host", "9f2c1a0")).rejects.toMatchObject({
      message: "9f2c1a0 is not one version.",
      why: expect.stringContaining("9f2c1a0b111, 9f2c1a0c222"),
      exitCode: 1,
    });
  });

  it("says that no version begins so", async ({ expect }) => {
    await expect(findVersion(anEdge(twoPages).api, "live-host", "0000000")).rejects.toMatchObject({
      message: "live-host has no version 0000000.",
      next: "npx kaibo harness list live-host",
    });
  });
});

describe("resolveVersion", () => {
  it("asks nobody about a whole version", async ({ expect }) => {
    const { api, asked } = anEdge({});
    expect(await resolveVersion(api, "live-host", NEW)).toBe(NEW);
    expect(asked).toEqual([]);
  });
});
