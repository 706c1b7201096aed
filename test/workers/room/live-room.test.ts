/** What a room answers to its callers. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { inRoom, HARNESS, aFinish, aPolicy, aSetup, openRoom, readFrames, readTypes } from "./open-room.ts";
import { NEWEST, aMessage, aSentence } from "../../unit/workers/room/a-room.ts";
import { useRoomClock } from "./open-room.ts";
import { leasesOf } from "./started-leases.ts";
import { aRoomConfig } from "../../helpers/rooms.ts";

useRoomClock();

/** What a room is told when the channel that it follows serves another version. */
const aChange = () => ({
  channel: "production",
  merchant: "m1",
  harness: { name: "live-host", version: "b".repeat(64) },
  policy: aPolicy(),
  sessionContext: [],
  release: { seq: 7, trial: null },
});

describe("a room that was never configured", () => {
  it("refuses everything and writes nothing", async ({ expect }) => {
    const room = env.LIVE_ROOM.getByName(crypto.randomUUID());
    const refused = { ok: false, error: "room_not_found" };
    expect(await room.post([aMessage("m1")])).toEqual(refused);
    expect(await room.hear({ text: "欢迎", speaker: "host" })).toEqual(refused);
    expect(await room.patch({ onScreenProductId: null })).toEqual(refused);
    expect(await room.adopt(aChange())).toEqual(refused);
    expect(await room.setup()).toEqual(refused);
    expect(await room.view()).toEqual(refused);
    expect(await room.turn("t1")).toEqual(refused);
    expect(await room.promptPrefix("d1")).toBeNull();
    expect(await room.say({ stateSeq: NEWEST, turn: "t1", attempt: 1, sentences: [] })).toEqual({
      ok: false,
      error: "lease_lost",
    });
    expect(await room.finish(aFinish("t1"))).toEqual({ ok: false, error: "lease_lost" });
    const abandoned = await room.abandon({ turn: "t1", attempt: 1, code: "internal" });
    expect(abandoned).toEqual({ ok: false, error: "lease_lost" });
    const opened = await room.fetch("https://room.invalid/stream", { headers: { upgrade: "websocket" } });
    expect([opened.status, await opened.json()]).toEqual([404, { code: "room_not_found" }]);
    const tables = await inRoom(room, (_, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '_cf%'").toArray(),
    );
    expect(tables).toEqual([]);
  });
});

describe("configure", () => {
  it("keeps revision and log when the same content comes again, even after a sleep", async ({ expect }) => {
    const { room } = await openRoom();
    expect(await room.configure({ setup: aSetup(), policy: aPolicy() })).toEqual({
      ok: true,
      value: { revision: 1, seq: 1 },
    });
    await evictDurableObject(room);
    expect(await room.configure({ setup: aSetup(), policy: aPolicy() })).toEqual({
      ok: true,
      value: { revision: 1, seq: 1 },
    });
    expect(await readTypes(room)).toEqual(["config"]);
  });

  it("numbers what differs, and keeps it over a sleep", async ({ expect }) => {
    const { room } = await openRoom();
    const changed = await room.configure({ setup: aSetup({ title: "换季清仓" }), policy: aPolicy() });
    expect(changed).toEqual({ ok: true, value: { revision: 2, seq: 2 } });
    await evictDurableObject(room);
    expect(await room.setup()).toMatchObject({ ok: true, value: { revision: 2, config: { title: "换季清仓" } } });
  });

  it("refuses a configuration that would not fit into memory, before anything changes", async ({ expect }) => {
    const { room } = await openRoom();
    const setup = aSetup({ sessionContext: ["货".repeat(4_000_000)] });
    expect(await room.configure({ setup, policy: aPolicy() })).toEqual({ ok: false, error: "record_too_large" });
    expect(await room.setup()).toMatchObject({ ok: true, value: { revision: 1 } });
  });

  it("keeps a configuration that is larger than a row", async ({ expect }) => {
    const { room } = await openRoom();
    const sessionContext = ["🎉货".repeat(600_001), "尾"];
    await room.configure({ setup: aSetup({ sessionContext }), policy: aPolicy() });
    await evictDurableObject(room);
    const read = await room.setup();
    expect(read.ok && read.value.sessionContext[0] === sessionContext[0]).toBe(true);
    await room.configure({ setup: aSetup(), policy: aPolicy() });
    await evictDurableObject(room);
    expect(await room.setup()).toMatchObject({ ok: true, value: { revision: 3, sessionContext: [] } });
  });
});

describe("adopt", () => {
  it("gives the next turn the new version and leaves the open one on its own", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.post([aMessage("m1"), aMessage("m2")]);
    expect(await room.adopt(aChange())).toMatchObject({
      ok: true,
      value: { revision: 2, hasChanged: true },
    });
    await room.finish(aFinish("t2"));
    expect(
      (await leasesOf(name, 2)).map((lease) => [lease.turn, lease.harness.version[0], lease.configRevision]),
    ).toEqual([
      ["t2", "a", 1],
      ["t3", "b", 2],
    ]);
    expect(await room.turn("t2")).toMatchObject({ value: { harness: HARNESS, configRevision: 1 } });
  });

  it("changes nothing when it is told the same again", async ({ expect }) => {
    const { room } = await openRoom();
    await room.adopt(aChange());
    await evictDurableObject(room);
    expect(await room.adopt(aChange())).toEqual({ ok: true, value: { revision: 2, seq: 2, hasChanged: false } });
  });

  it.for([
    ["follows another channel", { name: "live-host", channel: "canary" }],
    ["follows another harness", { name: "late-host", channel: "production" }],
    ["is pinned to a version", { name: "live-host", version: HARNESS.version }],
  ] as const)("changes nothing in a room that %s by now", async ([, harness], { expect }) => {
    const { room } = await openRoom();
    const setup = { ...aSetup(), config: aRoomConfig({ harness }) };
    await room.configure({ setup, policy: aPolicy() });
    expect(await room.adopt(aChange())).toEqual({ ok: false, error: "channel_moved" });
    await evictDurableObject(room);
    expect(await room.setup()).toMatchObject({ value: { revision: 2, config: { harness }, harness: HARNESS } });
    expect(await readTypes(room)).toEqual(["config", "config"]);
  });
});

describe("post", () => {
  it("hands the first message to a runner with all that it needs", async ({ expect }) => {
    const { room, name } = await openRoom();
    await room.hear({ text: "家人们晚上好", speaker: "小美" });
    await room.patch({ onScreenProductId: "p2", skus: [{ skuId: "p2-s", priceCents: 39_900 }] });
    await room.post([aMessage("m1", "有黑色吗")]);
    expect(await leasesOf(name, 1)).toMatchObject([
      {
        room: name,
        turn: "t4",
        attempt: 1,
        acceptedAtMs: Date.now(),
        deadlineAtMs: Date.now() + 8_000,
        messages: [{ id: "m1", text: "有黑色吗" }],
        spoken: [],
        harness: HARNESS,
        configRevision: 1,
        snapshot: {
          onScreenProductId: "p2",
          skuOverrides: { "p2-s": { priceCents: 39_900 } },
          heard: [{ speaker: "小美", text: "家人们晚上好" }],
        },
        knownPrefixDigest: null,
      },
    ]);
  });

  it("answers a repeated id as the first time and logs nothing, even after a sleep and the turn's end", async ({
    expect,
  }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1")]);
    const results = [{ id: "m1", disposition: "duplicate", reason: null, turn: "t2", seq: 2 }];
    const duplicate = { ok: true, value: { results, backlog: { waiting: 0, max: 5 } } };
    expect(await room.post([aMessage("m1")])).toEqual(duplicate);
    await room.finish(aFinish("t2"));
    await evictDurableObject(room);
    expect(await room.post([aMessage("m1", "别的话")])).toEqual(duplicate);
    expect(await readTypes(room)).toEqual(["config", "message", "turn-start", "turn-end"]);
  });

  it("says how many turns wait and how many may, and drops what matters least beyond them", async ({ expect }) => {
    const { room } = await openRoom({ intake: { backlogMax: 1 } });
    await room.post([aMessage("m1")]);
    expect(await room.post([aMessage("m2", "怎么下单"), aMessage("m3", "主播辛苦了")])).toMatchObject({
      ok: true,
      value: { results: [{ disposition: "queued" }, { reason: "crowded" }], backlog: { waiting: 1, max: 1 } },
    });
    expect(await readTypes(room)).toEqual(["config", "message", "turn-start", "message", "dropped"]);
  });

  it("gives five posts at once five turns, numbers without gaps and one runner", async ({ expect }) => {
    const { room, name } = await openRoom();
    const answers = await Promise.all([1, 2, 3, 4, 5].map((id) => room.post([aMessage(`m${id}`), aMessage("same")])));
    const all = answers.flatMap((answer) => (answer.ok ? answer.value.results : []));
    expect(all.filter(({ disposition }) => disposition === "queued")).toHaveLength(6);
    const frames = await readFrames(room);
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, index) => index + 1));
    expect(new Set(all.map(({ turn }) => turn)).size).toBe(6);
    expect(await leasesOf(name, 1)).toHaveLength(1);
  });

  it("takes a hundred messages at once", async ({ expect }) => {
    const { room } = await openRoom({ intake: { backlogMax: 100 } });
    const messages = Array.from({ length: 100 }, (_, index) => aMessage(`m${index}`, "这款蚕丝被".repeat(60)));
    expect((await room.post(messages)).ok).toBe(true);
    expect(await readTypes(room)).toHaveLength(102);
  });
});

describe("patch", () => {
  it("refuses what the room does not sell and changes nothing", async ({ expect }) => {
    const { room } = await openRoom();
    const refused = { ok: false, error: "product_not_found" };
    expect(await room.patch({ onScreenProductId: "p9" })).toEqual(refused);
    expect(await room.patch({ onScreenProductId: "p2", skus: [{ skuId: "p9-s", stock: 1 }] })).toEqual(refused);
    expect(await readTypes(room)).toEqual(["config"]);
  });

  it("keeps live values over a sleep and another configuration", async ({ expect }) => {
    const { room } = await openRoom();
    expect(await room.patch({ onScreenProductId: "p1", skus: [{ skuId: "p1-blue", stock: 2 }] })).toEqual({
      ok: true,
      value: { seq: 2 },
    });
    await room.configure({ setup: aSetup({ title: "换季清仓" }), policy: aPolicy() });
    await evictDurableObject(room);
    expect(await room.view()).toMatchObject({
      value: { seq: 3, revision: 2, snapshot: { onScreenProductId: "p1", skuOverrides: { "p1-blue": { stock: 2 } } } },
    });
  });
});

describe("turn", () => {
  it("shows where an open turn stands, then its record", async ({ expect }) => {
    const { room } = await openRoom();
    await room.post([aMessage("m1"), aMessage("m2")]);
    await room.say({ stateSeq: NEWEST, turn: "t2", attempt: 1, sentences: [aSentence(0)] });
    expect(await room.turn("t2")).toMatchObject({
      value: { schema: "kaibo.open-turn/1", status: "speaking", attempt: 1 },
    });
    expect(await room.turn("t3")).toMatchObject({ value: { status: "waiting", sentences: [] } });
    await room.finish(aFinish("t2"));
    expect(await room.turn("t2")).toMatchObject({
      value: { schema: "kaibo.turn/1", sentences: [{ seq: 0, atMs: 0 }] },
    });
    expect(await room.turn("t9")).toEqual({ ok: false, error: "turn_not_found" });
  });
});

describe("promptPrefix", () => {
  it("keeps each prefix once and tells runners which one it has", async ({ expect }) => {
    const { room, name } = await openRoom();
    const prefix = { digest: "e".repeat(64), text: "你是直播间的主播。" };
    await room.post([aMessage("m1"), aMessage("m2")]);
    await room.finish(aFinish("t2", { prefix }));
    await evictDurableObject(room);
    await room.finish(aFinish("t3"));
    await room.post([aMessage("m3")]);
    expect((await leasesOf(name, 3)).map(({ knownPrefixDigest }) => knownPrefixDigest)).toEqual([
      null,
      prefix.digest,
      prefix.digest,
    ]);
    expect(await room.promptPrefix(prefix.digest)).toBe(prefix.text);
    expect(await room.promptPrefix("f".repeat(64))).toBeNull();
  });
});
