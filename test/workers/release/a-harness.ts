/** Harnesses, releases and rooms as operators see them. Every test has a harness of its own, so none meets another's releases. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";
import { setCanary as startCanary } from "../../../harness-kv/change-release.ts";
import { moveChannel } from "../../../harness-kv/move-channel.ts";
import type { HarnessBundleInput } from "../../../shared/contract/harness-bundle.ts";
import { harnessChannelSchema, harnessVersionSchema } from "../../../shared/contract/ids.ts";
import type { AuditRow, CanaryReport, ToldRooms } from "../../../shared/contract/release.ts";
import type { RoomView } from "../../../shared/contract/room-view.ts";
import { releasesOf } from "../../../workers/platform/registry.ts";
import { aBundle } from "../../helpers/harnesses.ts";
import { aRoomConfig } from "../../helpers/rooms.ts";
import { aToken, call, type CallOptions, collectEvents } from "../api.ts";

/** A day ahead of the real clock: alarms are set, but none goes off before a test runs it. */
const AHEAD_MS = 86_400_000;

/** Lets every test of the file choose the time. */
export function useReleaseClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + AHEAD_MS });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

function advanceMs(elapsedMs: number): void {
  vi.setSystemTime(Date.now() + elapsedMs);
}

/** Answers every message with this line, so that it can be heard which version a turn ran on. */
export function says(text: string): Partial<HarnessBundleInput> {
  const action = { type: "answer", text, reason: "test" } as const;
  return { hooks: [{ type: "check", name: "says", event: "UserPromptSubmit", action }] };
}

/** What the edge answers, as JSON with its status. */
export async function callJson<Body>(
  path: string,
  options: CallOptions = {},
): Promise<Body & { readonly status: number }> {
  const response = await call(path, options);
  return { status: response.status, ...(await response.json<Body>()) };
}

export async function asGovernor(): Promise<{ token: string }> {
  return { token: await aToken({ aud: ["governor"] }) };
}

export async function pushVersion(
  name: string,
  line: string,
  fields: Partial<HarnessBundleInput> = {},
): Promise<string> {
  const body = aBundle({ name, description: line, ...says(line), ...fields });
  return (await callJson<{ version: string }>("/v1/harnesses", { method: "POST", body })).version;
}

export type AnsweredMove = { readonly code?: string; readonly previous: string | null; readonly rooms: ToldRooms };
type Move = { readonly channel?: string; readonly merchant?: string; readonly expected: string | null };

export function moveTo(name: string, version: string, { channel = "production", ...move }: Move) {
  return callJson<AnsweredMove>(`/v1/harnesses/${name}/channels/${channel}`, {
    method: "PUT",
    body: { version, ...move },
  });
}

/** Moves production in the table, as a caller does that is lost before it tells anyone. */
export async function moveUntold(name: string, expected: string, to: string): Promise<void> {
  const move = { name, channel: harnessChannelSchema.parse("production"), merchant: "*" };
  const versions = { expected: harnessVersionSchema.parse(expected), to: harnessVersionSchema.parse(to) };
  await moveChannel(releasesOf(env), { ...move, ...versions }, { name: "test", audience: "operator" });
}

/** Makes a canary of all of production's rooms in the table, and tells nobody. */
export async function canaryUnseen(name: string, version: string): Promise<void> {
  const canary = { name, merchant: "*", version: harnessVersionSchema.parse(version), sharePermille: 1_000, rooms: [] };
  await startCanary(releasesOf(env), { ...canary, salt: crypto.randomUUID() }, { name: "test", audience: "operator" });
}

/** A harness of two versions, which say 一 and 二; production serves the first. */
export async function aHarness(): Promise<{ name: string; first: string; second: string }> {
  const name = `h-${crypto.randomUUID()}`;
  const [first, second] = [await pushVersion(name, "一。"), await pushVersion(name, "二。")];
  await moveTo(name, first, { expected: null });
  return { name, first, second };
}

type RoomFields = { readonly channel?: string; readonly version?: string; readonly merchant?: string };

/** Puts a room and gives the answer. */
export function putRoom(room: string, name: string, { channel, version, merchant = "m1" }: RoomFields = {}) {
  const harness = version === undefined ? { name, channel: channel ?? "production" } : { name, version };
  const body = aRoomConfig({ harness, merchant: { id: merchant, name: "好物小店" } });
  return callJson<{ code?: string }>(`/v1/rooms/${room}`, { method: "PUT", body });
}

export async function aRoom(name: string, fields: RoomFields = {}): Promise<string> {
  const room = crypto.randomUUID();
  const { status, code } = await putRoom(room, name, fields);
  if (status !== 200) throw new Error(`PUT room answered ${status} ${code ?? ""}`);
  return room;
}

export function viewOf(room: string) {
  return callJson<RoomView>(`/v1/rooms/${room}`);
}

/** The versions that rooms run, in the rooms' order. */
export async function versionsOf(rooms: readonly string[]): Promise<string[]> {
  return Promise.all(rooms.map(async (room) => (await viewOf(room)).harness.version));
}

/** Everything that a room says to one question. */
export async function hear(room: string, text = "1号链接多少钱"): Promise<string> {
  const id = crypto.randomUUID();
  const headers = { accept: "text/event-stream" };
  const asked = await call(`/v1/rooms/${room}/messages`, { method: "POST", body: { id, text }, headers });
  const events = await collectEvents(asked);
  return events
    .flatMap(({ data }) => (data["sentence"] === undefined ? [] : [(data["sentence"] as { text: string }).text]))
    .join("");
}

export function rolloutOf(name: string) {
  return env.HARNESS_ROLLOUT.getByName(name);
}

/** Waits as long as it needs, and runs the rollout's alarm. */
export function runAlarmAfter(name: string, elapsedMs: number): Promise<boolean> {
  advanceMs(elapsedMs);
  return runDurableObjectAlarm(rolloutOf(name));
}

export function canaryOf(name: string) {
  return callJson<CanaryReport>(`/v1/harnesses/${name}/canary`);
}

export function setCanary(
  name: string,
  body: { version: string; merchant?: string; share?: number; rooms?: string[] },
) {
  return callJson<{ code?: string; rooms: ToldRooms }>(`/v1/harnesses/${name}/canary`, { method: "PUT", body });
}

/** Rows of the audit log about one harness. */
export async function auditOf(name: string): Promise<AuditRow[]> {
  const { rows } = await callJson<{ rows: AuditRow[] }>("/v1/audit?limit=500");
  return rows.filter(({ subject }) => subject["name"] === name);
}

/** Changes one character of a version's text: in KV, and in the table as well where `inTable`. */
export async function damage(version: string, { inTable }: { readonly inTable: boolean }): Promise<void> {
  const key = `harness:${version}`;
  const text = (await env.HARNESS_KV.get(key)) ?? "";
  await env.HARNESS_KV.put(key, text.replace("二。", "三。"));
  if (!inTable) return;
  const update = "UPDATE harness_version SET bundle = replace(bundle, '二。', '三。') WHERE version = ?";
  await env.REGISTRY_DB.prepare(update).bind(version).run();
}
