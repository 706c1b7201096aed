import { describe, it } from "vitest";
import { UNKNOWN_RELEASE } from "../../../../shared/contract/room-release.ts";
import { contentOf, followsChannel, hasSameHarness, withConfiguration } from "../../../../workers/room/stored-room.ts";
import { aRoomConfig, aSetup } from "../../../helpers/rooms.ts";
import { HARNESS, aPolicy } from "./a-room.ts";

const A_CONFIGURATION = { setup: { config: aRoomConfig(), harness: HARNESS, sessionContext: [] }, policy: aPolicy() };

describe("withConfiguration", () => {
  it("numbers configurations from 1 and keeps the state", ({ expect }) => {
    const first = withConfiguration(null, "room-1", A_CONFIGURATION);
    expect(first).toMatchObject({ name: "room-1", setup: { revision: 1 }, state: { lastSeq: 0 }, prefixDigest: null });
    const lived = { ...first, prefixDigest: "d1", state: { ...first.state, lastSeq: 7 } };
    const second = withConfiguration(lived, "room-1", A_CONFIGURATION);
    expect(second).toMatchObject({ setup: { revision: 2 }, state: { lastSeq: 7 }, prefixDigest: "d1" });
  });
});

describe("what a room knows of releases", () => {
  const release = { seq: 7, trial: { id: "s", arm: "canary" } } as const;
  const refused = { version: "b".repeat(64), code: "harness_corrupt", atMs: 5 };

  it("comes with its configuration, and is unknown without", ({ expect }) => {
    const told = withConfiguration(null, "room-1", { ...A_CONFIGURATION, release });
    expect(told.release).toEqual({ ...release, refused: null });
    expect(withConfiguration(told, "room-1", A_CONFIGURATION).release).toEqual(UNKNOWN_RELEASE);
  });

  it("forgets the version that it could not take with the next that it takes", ({ expect }) => {
    const first = { ...withConfiguration(null, "room-1", A_CONFIGURATION), release: { ...release, refused } };
    const { release: known } = withConfiguration(first, "room-1", { ...A_CONFIGURATION, release });
    expect(known).toEqual({ ...release, refused: null });
  });
});

describe("followsChannel", () => {
  const channel = { name: "live-host", channel: "production" };
  const pinned = { name: "live-host", version: HARNESS.version };

  it.for([
    [channel, { name: "live-host", channel: "production", merchant: "m1" }, true],
    [channel, { name: "live-host", channel: "canary", merchant: "m1" }, false],
    [channel, { name: "late-host", channel: "production", merchant: "m1" }, false],
    [channel, { name: "live-host", channel: "production", merchant: "m2" }, false],
    [pinned, { name: "live-host", channel: "production", merchant: "m1" }, false],
  ] as const)("of %o with %o is %s", ([harness, served, follows], { expect }) => {
    const setup = { ...A_CONFIGURATION.setup, config: aRoomConfig({ harness }) };
    const room = withConfiguration(null, "room-1", { ...A_CONFIGURATION, setup });
    expect(followsChannel(room, served)).toBe(follows);
  });
});

describe("hasSameHarness", () => {
  const room = withConfiguration(null, "room-1", A_CONFIGURATION);

  it("does not see the configuration, the revision and releases", ({ expect }) => {
    const setup = { ...A_CONFIGURATION.setup, config: aRoomConfig({ title: "别的直播间" }), revision: 2 };
    expect(hasSameHarness(room, { ...A_CONFIGURATION, setup, release: { seq: 7, trial: null } })).toBe(true);
  });

  it.for([
    ["the version", { setup: { ...A_CONFIGURATION.setup, harness: { ...HARNESS, version: "b".repeat(64) } } }],
    ["what hooks added", { setup: { ...A_CONFIGURATION.setup, sessionContext: ["今天满减"] } }],
    ["the policy", { policy: aPolicy({ intake: { ttlMs: 60_000 } }) }],
  ] as const)("sees %s", ([, change], { expect }) => {
    expect(hasSameHarness(room, { ...A_CONFIGURATION, ...change })).toBe(false);
  });
});

describe("contentOf", () => {
  it("does not see the revision", ({ expect }) => {
    const setup = aSetup({ harness: HARNESS });
    const later = { ...setup, revision: 2 };
    expect(contentOf({ setup: later, policy: aPolicy() })).toBe(contentOf({ setup, policy: aPolicy() }));
  });

  it("does not see releases: the same version again is the same configuration", ({ expect }) => {
    const release = { seq: 7, trial: null };
    expect(contentOf(withConfiguration(null, "room-1", { ...A_CONFIGURATION, release }))).toBe(
      contentOf(A_CONFIGURATION),
    );
  });

  it.for([
    ["the configuration", { setup: { ...A_CONFIGURATION.setup, config: aRoomConfig({ title: "别的直播间" }) } }],
    ["the harness", { setup: { ...A_CONFIGURATION.setup, harness: { ...HARNESS, version: "b".repeat(64) } } }],
    ["what hooks added", { setup: { ...A_CONFIGURATION.setup, sessionContext: ["今天满减"] } }],
    ["the policy", { policy: aPolicy({ intake: { ttlMs: 60_000 } }) }],
  ] as const)("sees %s", ([, change], { expect }) => {
    expect(contentOf({ ...A_CONFIGURATION, ...change })).not.toBe(contentOf(A_CONFIGURATION));
  });
});
