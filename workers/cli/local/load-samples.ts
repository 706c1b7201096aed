/**
 * Puts the sample harness and the sample room into an instance that has none, through the API that everyone uses. What an
 * operator has released or changed since stays: a restart is no release.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { channelSchema, frameSeqSchema, roomSavedSchema } from "../../../shared/contract/http-api.ts";
import { roomConfigSchema, type RoomConfig } from "../../../shared/contract/room-config.ts";
import { roomViewSchema } from "../../../shared/contract/room-view.ts";
import { parseJson } from "../../../shared/core/json.ts";
import { SAMPLE_ROOM } from "../ask.ts";
import { CliError } from "../cli-error.ts";
import { createEdgeApi, expectOk, type ApiTarget, type EdgeApi } from "../edge-api.ts";
import { checkHarness, readHarness } from "../harness/read-harness.ts";
import { pushVersion, serveVersion } from "../harness/serve-version.ts";
import { versionOf } from "../harness/version-of.ts";
import { ROOT } from "./project.ts";

const SAMPLE_HARNESS = "live-host";
const SAMPLE_FOLDER = path.join(ROOT, "harness-kv/bundles", SAMPLE_HARNESS);
const SAMPLE_CHANNEL = "production";

/** Link number of the product that is on screen when a room has just been made. */
const FIRST_LINK = 1;

export type LoadedSamples = {
  readonly room: string;
  /** What the sample channel serves. */
  readonly harness: { readonly name: string; readonly version: string };
  /** True when the folder holds something else than the channel serves: an edit that nobody has pushed. */
  readonly folderDiffers: boolean;
};

/**
 * Safe to repeat: what is there already stays as it is.
 *
 * @throws CliError - a sample that is needed does not read, or the instance refused it.
 */
export async function loadSamples(target: ApiTarget): Promise<LoadedSamples> {
  const api = createEdgeApi(target);
  const { version, folderDiffers } = await ensureHarness(api);
  await ensureRoom(api);
  return { room: SAMPLE_ROOM, harness: { name: SAMPLE_HARNESS, version }, folderDiffers };
}

async function ensureHarness(api: EdgeApi): Promise<{ version: string; folderDiffers: boolean }> {
  const route = `/v1/harnesses/${SAMPLE_HARNESS}/channels/${SAMPLE_CHANNEL}`;
  const current = await api.call("GET", route, { answer: channelSchema });
  if (!current.ok && current.error.code === "harness_channel_not_found") {
    const { bundle } = await readHarness(SAMPLE_FOLDER);
    const { version } = await pushVersion(api, bundle);
    await serveVersion(api, { name: SAMPLE_HARNESS, channel: SAMPLE_CHANNEL, version });
    return { version, folderDiffers: false };
  }
  const { version } = expectOk(current, "The sample channel could not be read.");
  // A folder in the middle of an edit need not even be a harness.
  const { bundle } = await checkHarness(SAMPLE_FOLDER);
  return { version, folderDiffers: bundle === null || (await versionOf(bundle)) !== version };
}

async function ensureRoom(api: EdgeApi): Promise<void> {
  const view = await api.call("GET", `/v1/rooms/${SAMPLE_ROOM}`, { answer: roomViewSchema });
  if (view.ok) return;
  if (view.error.code !== "room_not_found") expectOk(view, "The sample room could not be read.");
  const config = await readRoomConfig(path.join(ROOT, "harness-kv/rooms", SAMPLE_ROOM, "room.json"));
  const saved = await api.call("PUT", `/v1/rooms/${SAMPLE_ROOM}`, { body: config, answer: roomSavedSchema });
  expectOk(saved, "The sample room was refused.");
  await showFirstProduct(api, config);
}

async function showFirstProduct(api: EdgeApi, { products }: RoomConfig): Promise<void> {
  const first = products.find(({ link }) => link === FIRST_LINK);
  if (first === undefined) return;
  const body = { onScreenProductId: first.id };
  const patched = await api.call("PATCH", `/v1/rooms/${SAMPLE_ROOM}/state`, { body, answer: frameSeqSchema });
  expectOk(patched, "The sample room did not show its first product.");
}

async function readRoomConfig(file: string): Promise<RoomConfig> {
  const parsed = roomConfigSchema.safeParse(parseJson(await readFile(file, "utf8").catch(() => "")));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CliError("The sample room does not read.", {
    why: `${path.relative(ROOT, file)}: ${issue?.path.join(".")}: ${issue?.message}`,
    next: `git checkout -- ${path.relative(ROOT, file)}`,
  });
}
