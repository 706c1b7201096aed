import { describe, it } from "vitest";
import { parseJson } from "../../../../../shared/core/json.ts";
import { parseHarness } from "../../../../../workers/cli/harness/harness-options.ts";
import { runRelease } from "../../../../../workers/cli/release/release-command.ts";
import { aChannel, runOnEdge, aVersion, noContent, refusal, theReleases, theRooms } from "../an-edge.ts";

const NEW = `9f2c1a0b${"1".repeat(56)}`;
const OLD = `07d1c0de${"3".repeat(56)}`;
const BASE = "/v1/harnesses/live-host";
const LIST = `GET ${BASE}/versions?limit=100`;
const RELEASES = `GET ${BASE}/releases`;
const PINS = `GET ${BASE}/pins?limit=100`;
const CHANGED = { name: "live-host", rooms: theRooms(12) };

const versions = { [LIST]: { versions: [aVersion(NEW, { notes: "改了\n价格" }), aVersion(OLD)], nextCursor: null } };
const moved = (from: string | null) => ({
  name: "live-host",
  channel: "production",
  version: NEW,
  previous: from,
  rooms: theRooms(12),
});

/** Runs `kaibo harness …` against an instance that gives these answers. */
async function kaibo(args: readonly string[], answers: Readonly<Record<string, unknown>>) {
  const command = parseHarness(args);
  if (command.name !== "release") throw new Error(`${args.join(" ")} is another command`);
  return runOnEdge(answers, (ports) => runRelease(command, ports));
}

describe("kaibo harness list", () => {
  it("says of each version what it serves, and puts notes in one line", async ({ expect }) => {
    const canary = { merchant: "m-1", version: NEW, share: 5, rooms: ["r1", "r2"], setBy: "li", setAtMs: 1 };
    const releases = theReleases({ channels: [aChannel(OLD), aChannel(OLD, { merchant: "m-2" })], canaries: [canary] });
    const answers = { ...versions, [RELEASES]: releases };
    const { printed, failure } = await kaibo(["list", "live-host"], answers);
    expect(failure).toBeNull();
    expect(printed).toMatch(/^version +pushed +by +serves +notes\n/);
    expect(printed).toMatch(/\n9f2c1a0b +2026-01-02T00:00:00Z +li +canary 5 % and 2 rooms of m-1 +改了 价格\n/);
    expect(printed).toMatch(/\n07d1c0de .* production, production of m-2 +通用主播\n$/);
    const json = await kaibo(["list", "live-host", "--limit", "1", "--json"], answers);
    expect(parseJson(json.printed)).toMatchObject({
      name: "live-host",
      versions: [{ version: NEW, serves: { channels: [], canaries: [{ merchant: "m-1", share: 5 }] } }],
    });
  });

  it("fails for a harness that there is not", async ({ expect }) => {
    const answers = { [LIST]: { versions: [], nextCursor: null }, [RELEASES]: theReleases() };
    expect((await kaibo(["list", "live-host"], answers)).failure).toMatchObject({
      message: "There is no harness live-host.",
    });
  });
});

describe("kaibo harness show", () => {
  const pin = { scope: "room", id: "r1", version: OLD, note: "试", pinnedBy: "wang", pinnedAtMs: 0 };
  const freeze = { merchant: "*", reason: "大促", frozenBy: "zhao", frozenAtMs: 0 };

  it("shows channels, canaries, freezes and every page of pins", async ({ expect }) => {
    const { printed, failure } = await kaibo(["show", "live-host"], {
      [RELEASES]: theReleases({ channels: [aChannel(NEW, { previous: OLD })], freezes: [freeze] }),
      [PINS]: { pins: [pin], nextCursor: "room:r1" },
      [`${PINS}&cursor=room%3Ar1`]: { pins: [{ ...pin, id: "r2" }], nextCursor: null },
    });
    expect(failure).toBeNull();
    expect(printed).toContain("<cyan>frozen by zhao 1970-01-01T00:00:00Z: 大促\n");
    expect(printed).toMatch(/\nproduction +9f2c1a0b +07d1c0de +by li 2026-01-03T00:00:00Z\n/);
    expect(printed).toMatch(/\nroom r1 +07d1c0de +by wang [^\n]* 试\nroom r2 /);
  });

  it("shows a version with its gate and where it serves", async ({ expect }) => {
    const result = { condition: "patch_not_empty", ok: true, details: { lines: 3 }, judgedBy: "gao", judgedAtMs: 0 };
    const { printed, failure } = await kaibo(["show", "live-host", "--channel", "production"], {
      ...versions,
      [RELEASES]: theReleases({ channels: [aChannel(OLD)] }),
      [PINS]: { pins: [pin], nextCursor: null },
      [`GET ${BASE}/versions/${OLD}/gate`]: { name: "live-host", version: OLD, isOpen: false, results: [result] },
    });
    expect(failure).toBeNull();
    expect(printed).toContain(`<bold>live-host ${OLD}\n`);
    expect(printed).toMatch(/\n {2}serves +production\n {2}pinned +room r1\n/);
    expect(printed).toContain("gate <red>closed\n  <green>✓ patch_not_empty lines=3; by gao 1970-01-01T00:00:00Z\n");
    expect(printed).toContain("  - holdout_holds not judged\n");
  });

  it("asks nothing of the gate about a version that was revoked", async ({ expect }) => {
    const { printed, failure } = await kaibo(["show", "live-host", NEW.slice(0, 7)], {
      [LIST]: { versions: [aVersion(NEW, { revokedAtMs: 0 })], nextCursor: null },
      [RELEASES]: theReleases(),
      [PINS]: { pins: [], nextCursor: null },
    });
    expect(failure).toBeNull();
    expect(printed).toContain(`<bold>live-host ${NEW} <red>revoked 1970-01-01T00:00:00Z\n`);
  });

  it("fails where nothing serves, and for a channel that there is not", async ({ expect }) => {
    const answers = { [RELEASES]: theReleases(), [PINS]: { pins: [], nextCursor: null } };
    expect((await kaibo(["show", "live-host"], answers)).failure).toMatchObject({
      message: "live-host serves nothing.",
    });
    expect((await kaibo(["show", "live-host", "--merchant", "m-1"], answers)).failure).toMatchObject({
      message: "live-host has no channel production of merchant m-1.",
    });
  });
});

describe("kaibo harness release", () => {
  const PUT = `PUT ${BASE}/channels/production`;

  it("moves the channel from what it serves, and says from what to what", async ({ expect }) => {
    const answers = { ...versions, [RELEASES]: theReleases({ channels: [aChannel(OLD)] }), [PUT]: moved(OLD) };
    const { printed, asked, kinds, failure } = await kaibo(["release", "live-host", "9f2c1a0"], answers);
    expect(failure).toBeNull();
    expect(asked.at(-1)).toEqual({ route: PUT, body: { version: NEW, expected: OLD, merchant: "*" } });
    expect(printed).toBe("live-host production: <red>07d1c0de → <green>9f2c1a0b\n12 rooms updated\n");
    expect(kinds).toEqual(["operator"]);
  });

  it("expects what it is told to, without looking", async ({ expect }) => {
    const args = ["release", "live-host", NEW, "--expected", "none", "--merchant", "m-1", "--json"];
    const { printed, asked } = await kaibo(args, { [PUT]: moved(null) });
    expect(asked).toEqual([{ route: PUT, body: { version: NEW, expected: null, merchant: "m-1" } }]);
    expect(parseJson(printed)).toMatchObject({ merchant: "m-1", version: NEW, moved: true, previous: null });
  });

  it("leaves a channel alone that serves the version", async ({ expect }) => {
    const answers = { [RELEASES]: theReleases({ channels: [aChannel(NEW)] }) };
    const { printed, failure } = await kaibo(["release", "live-host", NEW], answers);
    expect(failure).toBeNull();
    expect(printed).toBe("live-host production serves 9f2c1a0b already\n");
  });

  it("names the rooms that keep what they have", async ({ expect }) => {
    const rooms = theRooms(1, [{ room: "r9", code: "room_stream_full" }]);
    const answers = {
      [RELEASES]: theReleases(),
      [PUT]: { ...moved(null), rooms: { ...rooms, failed: 3, isComplete: false } },
    };
    const { printed } = await kaibo(["release", "live-host", NEW], answers);
    expect(printed).toBe(
      "live-host production: nothing → <green>9f2c1a0b\n1 room updated, <red>3 failed and keep what they have:\n" +
        "  r9: room_stream_full\n  and 2 more\nOthers are still being told.\n",
    );
  });

  it.for([
    ["harness_frozen", "unfreeze"],
    ["harness_gate_closed", "gate"],
    ["harness_unapproved", "npx kaibo harness plan <name> <version>; then somebody else: npx kaibo harness approve"],
    ["channel_moved", "run the command again"],
  ] as const)("says what to do about %s", async ([code, next], { expect }) => {
    const { failure } = await kaibo(["release", "live-host", NEW], {
      [RELEASES]: theReleases(),
      [PUT]: refusal(code, 409),
    });
    expect(failure).toMatchObject({
      message: "Channel production of live-host was not moved.",
      why: expect.stringContaining(code),
      next: expect.stringContaining(next),
      exitCode: 1,
    });
  });
});

describe("kaibo harness rollback", () => {
  it("says what the channel went back to", async ({ expect }) => {
    const route = `POST ${BASE}/channels/production/rollback`;
    const back = { ...moved(NEW), version: OLD };
    const { printed, asked } = await kaibo(["rollback", "live-host", "--expected", NEW], { [route]: back });
    expect(asked).toEqual([{ route, body: { merchant: "*", expected: NEW } }]);
    expect(printed).toBe("live-host production: <red>9f2c1a0b → <green>07d1c0de\n12 rooms updated\n");
  });
});

describe("changes that are one call", () => {
  it.for([
    [
      ["canary", "live-host", NEW, "--share", "5", "--rooms", "r1"],
      { route: `PUT ${BASE}/canary`, body: { version: NEW, share: 5, rooms: ["r1"], merchant: "*" } },
      "live-host 9f2c1a0b is the canary, for 5 % of the rooms and r1\n",
    ],
    [
      ["canary", "live-host", "--end", "--merchant", "m-1"],
      { route: `DELETE ${BASE}/canary?merchant=m-1`, body: undefined },
      "live-host has no canary any more\n",
    ],
    [
      ["pin", "live-host", NEW, "--merchant", "m-1", "--note", "试"],
      { route: `PUT ${BASE}/pins/merchant/m-1`, body: { version: NEW, note: "试" } },
      "merchant m-1 is pinned to live-host 9f2c1a0b\n",
    ],
    [
      ["unpin", "live-host", "--room", "r1"],
      { route: `DELETE ${BASE}/pins/room/r1`, body: undefined },
      "room r1 follows its channel again\n",
    ],
    [
      ["revoke", "live-host", NEW, "--reason", "报错价"],
      { route: `POST ${BASE}/versions/${NEW}/revoke`, body: { reason: "报错价" } },
      "live-host 9f2c1a0b is revoked for good; channels that served it went back to what they served before\n",
    ],
  ] as const)("%j", async ([args, call, done], { expect }) => {
    const { printed, asked, failure } = await kaibo(args, { [call.route]: CHANGED });
    expect(failure).toBeNull();
    expect(asked).toEqual([call]);
    expect(printed).toBe(`${done}12 rooms updated\n`);
    expect(parseJson((await kaibo([...args, "--json"], { [call.route]: CHANGED })).printed)).toEqual(CHANGED);
  });

  it("freezes and unfreezes", async ({ expect }) => {
    const frozen = await kaibo(["freeze", "live-host", "--reason", "大促"], { [`PUT ${BASE}/freeze`]: noContent });
    expect(frozen.asked).toEqual([{ route: `PUT ${BASE}/freeze`, body: { merchant: "*", reason: "大促" } }]);
    expect(frozen.printed).toBe("live-host is frozen: rollbacks alone are possible\n");
    const route = `DELETE ${BASE}/freeze?merchant=m-1`;
    const thawed = await kaibo(["unfreeze", "live-host", "--merchant", "m-1", "--json"], { [route]: noContent });
    expect(parseJson(thawed.printed)).toEqual({ name: "live-host", merchant: "m-1", isFrozen: false });
  });

  it("says what was refused", async ({ expect }) => {
    const { failure } = await kaibo(["unfreeze", "live-host"], {
      [`DELETE ${BASE}/freeze?merchant=*`]: refusal("release_not_found", 404),
    });
    expect(failure).toMatchObject({ message: "live-host was not released from its freeze.", exitCode: 1 });
  });
});

describe("kaibo harness gate", () => {
  it("judges a condition as a governor", async ({ expect }) => {
    const route = `PUT ${BASE}/versions/${NEW}/gate/holdout_holds`;
    const args = ["gate", "live-host", NEW, "--condition", "holdout_holds", "--ok", "--details", "cases=12"];
    const answer = { name: "live-host", version: NEW, isOpen: true, results: [] };
    const { printed, asked, kinds } = await kaibo(args, { [route]: answer });
    expect(asked).toEqual([{ route, body: { ok: true, details: { cases: 12 } } }]);
    expect(kinds).toEqual(["governor"]);
    expect(printed).toContain("<bold>live-host 9f2c1a0b\ngate <green>open\n");
  });

  it("is read as an operator", async ({ expect }) => {
    const answer = { name: "live-host", version: NEW, isOpen: false, results: [] };
    const answers = { [`GET ${BASE}/versions/${NEW}/gate`]: answer };
    const { printed, kinds } = await kaibo(["gate", "live-host", NEW, "--json"], answers);
    expect(kinds).toEqual(["operator"]);
    expect(parseJson(printed)).toEqual(answer);
  });
});
