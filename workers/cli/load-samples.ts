/** Puts the sample harness and the sample room into an instance, through the API that everyone uses. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { frameSeqSchema, roomSavedSchema } from "../../shared/contract/http-api.ts";
import { roomConfigSchema, type RoomConfig } from "../../shared/contract/room-config.ts";
import { roomViewSchema } from "../../shared/contract/room-view.ts";
import { parseJson } from "../../shared/core/json.ts";
import { SAMPLE_ROOM } from "./ask.ts";
import { CliError } from "./cli-error.ts";
import { createEdgeApi, expectOk, type ApiTarget, type EdgeApi } from "./edge-api.ts";
import { readHarness } from "./read-harness.ts";
import { pushVersion, serveVersion } from "./serve-version.ts";
import { ROOT } from "./local/project.ts";

const SAMPLE_CHANNEL = "production";

/** Link number of the product that is on screen when a room has just been made. */
const FIRST_LINK = 1;

export type LoadedSamples = {
  readonly room: string;
  readonly harness: { readonly name: string; readonly version: string };
  /** False when the channel served this version before. */
  readonly moved: boolean;
};

/**
 * Safe to repeat: what is there already stays as it is.
 *
 * @throws CliError - a sample does not read, or the instance refused it.
 */
export async function loadSamples(target: ApiTarget): Promise<LoadedSamples> {
  const api = createEdgeApi(target);
  const { bundle } = await readHarness(path.join(ROOT, "harness-kv/bundles/live-host"));
  const { version } = await pushVersion(api, bundle);
  const moved = await serveVersion(api, { name: bundle.name, channel: SAMPLE_CHANNEL, version });
  const config = await readRoomConfig(path.join(ROOT, "harness-kv/rooms", SAMPLE_ROOM, "room.json"));
  expectOk(
    await api.call("PUT", `/v1/rooms/${SAMPLE_ROOM}`, { body: config, answer: roomSavedSchema }),
    "The sample room was refused.",
  );
  await showFirstProduct(api, config);
  return { room: SAMPLE_ROOM, harness: { name: bundle.name, version }, moved };
}

async function showFirstProduct(api: EdgeApi, { products }: RoomConfig): Promise<void> {
  const view = await api.call("GET", `/v1/rooms/${SAMPLE_ROOM}`, { answer: roomViewSchema });
  if (expectOk(view, "The sample room could not be read.").snapshot.onScreenProductId !== null) return;
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
