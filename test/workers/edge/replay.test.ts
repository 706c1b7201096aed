/** A recorded turn run again on another version: the whole Worker with the offline policy. */
import { describe, it } from "vitest";
import type { HarnessBundleInput } from "../../../shared/contract/harness-bundle.ts";
import { type TurnReplay, turnReplaySchema } from "../../../shared/contract/replay.ts";
import { aBundle } from "../../helpers/harnesses.ts";
import { aProduct, aRoomConfig } from "../../helpers/rooms.ts";
import { aToken, call, collectEvents, openRoom, readEvents } from "../api.ts";

const PAUSE = "主播休息五分钟，马上回来。";
const onBreak = (when?: string): HarnessBundleInput["hooks"] => [
  {
    type: "check",
    name: "busy",
    event: "UserPromptSubmit",
    ...(when !== undefined && { when }),
    action: { type: "answer", text: PAUSE, reason: "pause" },
  },
];

/** Asks the room and gives the turn that it made. */
async function ask(room: string, text: string): Promise<string> {
  const body = { id: crypto.randomUUID(), text, viewer: { id: "v1", name: "小李" } };
  const headers = { accept: "text/event-stream" };
  const events = await collectEvents(await call(`/v1/rooms/${room}/messages`, { method: "POST", body, headers }));
  return String(events.find(({ event }) => event === "turn-end")?.data["turn"]);
}

async function push(fields: Partial<HarnessBundleInput>): Promise<string> {
  const pushed = await call("/v1/harnesses", { method: "POST", body: aBundle(fields) });
  return (await pushed.json<{ version: string }>()).version;
}

const replayOf = (room: string, turn: string, body: object = {}, token?: string) =>
  call(`/v1/rooms/${room}/turns/${turn}/replay`, { method: "POST", body, ...(token !== undefined && { token }) });

async function replay(room: string, turn: string, body: object = {}): Promise<TurnReplay> {
  const response = await replayOf(room, turn, body);
  if (response.status !== 200) throw new Error(`replay answered ${response.status}: ${await response.text()}`);
  return turnReplaySchema.parse(await response.json());
}

async function refusal(response: Response): Promise<[status: number, code: string]> {
  return [response.status, (await response.json<{ code: string }>()).code];
}

const wordsOf = ({ sentences }: Pick<TurnReplay["replayed"], "sentences">) =>
  sentences.map(({ text }) => text).join("");

/** All that the room says of itself, as bytes: its view, its log and the turn's record. */
async function roomBytes(room: string, turn: string): Promise<string[]> {
  const stream = await call(`/v1/rooms/${room}/stream?after=0`, { headers: { accept: "text/event-stream" } });
  const frames: string[] = [];
  for await (const frame of readEvents(stream)) {
    frames.push(JSON.stringify(frame));
    if (frame.event === "turn-end") break;
  }
  const view = await (await call(`/v1/rooms/${room}`)).text();
  return [view, await (await call(`/v1/rooms/${room}/turns/${turn}`)).text(), ...frames];
}

describe("a replay", () => {
  it("gives other words on a version with another hook, and leaves the room as it was, to the byte", async ({
    expect,
  }) => {
    await openRoom("replayed");
    const turn = await ask("replayed", "1号链接多少钱");
    const before = await roomBytes("replayed", turn);
    const version = await push({ hooks: onBreak() });
    const { recorded, replayed, configRevision } = await replay("replayed", turn, { version });
    expect(wordsOf(recorded)).toContain("39.9");
    expect([wordsOf(replayed), replayed.harness.version]).toEqual([PAUSE, version]);
    expect([replayed.outcome, replayed.reason]).toEqual(["answered", "hook:busy"]);
    expect(configRevision).toEqual({ recorded: 1, now: 1 });
    expect(await roomBytes("replayed", turn)).toEqual(before);
  });

  it("has the prompt of the version that it runs on", async ({ expect }) => {
    await openRoom("prompted");
    const turn = await ask("prompted", "1号链接多少钱");
    const { prompt } = aBundle();
    const version = await push({ prompt: { ...prompt, turn: `${prompt["turn"] ?? ""}\n请说英文。` } });
    const { recorded, replayed } = await replay("prompted", turn, { version });
    expect([recorded.trace?.turnPrompt.includes("请说英文"), replayed.trace.turnPrompt.includes("请说英文")]).toEqual([
      false,
      true,
    ]);
    expect(replayed.trace.prefixDigest).toBe(recorded.trace?.prefixDigest);
  });

  it("gives the same words and prompt on the room's own version, by default", async ({ expect }) => {
    await openRoom("same");
    const { recorded, replayed } = await replay("same", await ask("same", "1号链接多少钱"));
    expect(wordsOf(replayed)).toBe(wordsOf(recorded));
    expect(replayed.harness).toEqual(recorded.harness);
    expect(replayed.trace.turnPrompt).toBe(recorded.trace?.turnPrompt);
    expect(replayed.trace.prefixDigest).toBe(recorded.trace?.prefixDigest);
    expect(replayed.timings.waitedMs).toBe(recorded.timings.waitedMs);
    expect(replayed.timings.firstSentenceMs).toBeGreaterThanOrEqual(recorded.timings.waitedMs);
  });

  it("answers by the prices of then, whatever the room sells now; a new configuration is told of", async ({
    expect,
  }) => {
    await openRoom("then");
    await call("/v1/rooms/then/state", { method: "PATCH", body: { skus: [{ skuId: "p1-blue", priceCents: 2_990 }] } });
    const turn = await ask("then", "1号链接多少钱");
    await call("/v1/rooms/then/state", { method: "PATCH", body: { skus: [{ skuId: "p1-blue", priceCents: 1_990 }] } });
    expect(wordsOf((await replay("then", turn)).replayed)).toContain("29.9");
    const products = [aProduct({ name: "竹纤维毛巾" })];
    await call("/v1/rooms/then", { method: "PUT", body: aRoomConfig({ products }) });
    const { replayed, configRevision } = await replay("then", turn);
    expect(configRevision).toEqual({ recorded: 1, now: 2 });
    expect(replayed.trace.configRevision).toBe(2);
  });

  it("has the time of then: an offer that began since is not known", async ({ expect }) => {
    await openRoom("offer");
    const turn = await ask("offer", "1号链接多少钱");
    const coupon = { id: "c1", name: "满30减5", minCents: 3_000, offCents: 500 };
    const stateAfter = async (startsAtMs: number) => {
      await call("/v1/rooms/offer", { method: "PUT", body: aRoomConfig({ coupons: [{ ...coupon, startsAtMs }] }) });
      return (await replay("offer", turn)).replayed.trace.turnPrompt;
    };
    expect(await stateAfter(1)).toContain("满30减5");
    expect(await stateAfter(Date.now())).not.toContain("满30减5");
  });

  it("hears what the version's SessionStart hooks add", async ({ expect }) => {
    await openRoom("session");
    const turn = await ask("session", "1号链接多少钱");
    const { prompt } = aBundle();
    const version = await push({
      prompt: { ...prompt, room: `${prompt["room"] ?? ""}\n{{ room.context }}` },
      hooks: [{ type: "check", name: "greet", event: "SessionStart", action: { type: "context", text: "周三上新" } }],
    });
    const { recorded, replayed } = await replay("session", turn, { version });
    expect(replayed.trace.prefixDigest).not.toBe(recorded.trace?.prefixDigest);
    expect(replayed.outcome).toBe("answered");
  });

  it("runs on what a channel serves", async ({ expect }) => {
    await openRoom("channel");
    const turn = await ask("channel", "1号链接多少钱");
    const version = await push({ hooks: onBreak("input.prompt != ''") });
    const channel = "/v1/harnesses/live-host/channels/candidate";
    await call(channel, { method: "PUT", body: { version, expected: null } });
    const { replayed } = await replay("channel", turn, { channel: "candidate" });
    expect([wordsOf(replayed), replayed.harness.version]).toEqual([PAUSE, version]);
    expect(await refusal(await replayOf("channel", turn, { channel: "nightly" }))).toEqual([
      404,
      "harness_channel_not_found",
    ]);
    const alone = (await replay("channel", turn, { harness: "live-host" })).replayed;
    expect(alone.harness.version).not.toBe(version);
  });

  it("is refused for a turn or a version that is not there, and for two versions at once", async ({ expect }) => {
    await openRoom("refused");
    const turn = await ask("refused", "1号链接多少钱");
    const missing = "0".repeat(64);
    expect(await refusal(await replayOf("no-such-room", turn))).toEqual([404, "room_not_found"]);
    expect(await refusal(await replayOf("refused", "t999999"))).toEqual([404, "turn_not_found"]);
    expect(await refusal(await replayOf("refused", turn, { version: missing }))).toEqual([404, "harness_not_found"]);
    expect(await refusal(await replayOf("refused", turn, { version: missing, channel: "production" }))).toEqual([
      400,
      "invalid_request",
    ]);
    expect(await refusal(await replayOf("refused", turn, { harness: "no-such-harness" }))).toEqual([
      404,
      "harness_channel_not_found",
    ]);
  });

  it("is refused for a version that was revoked", async ({ expect }) => {
    await openRoom("revoked");
    const turn = await ask("revoked", "1号链接多少钱");
    const version = await push({ description: "撤回的" });
    const revoked = await call(`/v1/harnesses/live-host/versions/${version}/revoke`, {
      method: "POST",
      body: { reason: "test" },
    });
    expect(revoked.status).toBe(200);
    await revoked.body?.cancel();
    expect(await refusal(await replayOf("revoked", turn, { version }))).toEqual([409, "harness_revoked"]);
  });

  it("is for operators of the room alone", async ({ expect }) => {
    await openRoom("guarded");
    const turn = await ask("guarded", "1号链接多少钱");
    const tokens = [
      await aToken({ aud: ["room"] }),
      await aToken({ aud: ["analyst"] }),
      await aToken({ aud: ["operator"], room: "another" }),
    ];
    for (const token of tokens) {
      expect(await refusal(await replayOf("guarded", turn, {}, token))).toEqual([403, "forbidden"]);
    }
    const token = await aToken({ aud: ["operator"], room: "guarded" });
    expect((await replayOf("guarded", turn, {}, token)).status).toBe(200);
  });
});
