/** What a replay needs of the room and the registry: read here, so that a runner has nothing to refuse. */
import { RELEASED_CHANNEL, resolveVersion } from "../../harness-kv/resolve-harness.ts";
import { ALL_MERCHANTS } from "../../shared/contract/ids.ts";
import type { ReplayBody, ReplayRequest } from "../../shared/contract/replay.ts";
import type { RoomConfig } from "../../shared/contract/room-config.ts";
import type { TurnView } from "../../shared/contract/room-view.ts";
import type { HarnessRef, RoomSetup } from "../../shared/contract/turn-lease.ts";
import type { TurnRecord } from "../../shared/contract/turn-record.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import { loadHarness } from "../platform/harness-loader.ts";
import { registryOf } from "../platform/registry.ts";
import { startSession } from "../release/start-session.ts";
import { REFUSALS } from "./refusals.ts";

/**
 * @throws AppError `room_not_found`; `turn_not_found` - there is no such turn, or it has not ended; `invalid_request` - nobody
 *   asked anything in it; and as `resolveVersion` and `loadHarness`.
 */
export async function prepareReplay(
  env: Env,
  { room, turn }: { readonly room: string; readonly turn: string },
  asked: ReplayBody,
): Promise<ReplayRequest> {
  const record = await readRecord(env, room, turn);
  const read = await env.LIVE_ROOM.getByName(room).setup();
  if (!read.ok) throw new AppError(read.error, REFUSALS[read.error]);
  const setup: RoomSetup = read.value;
  const ref = await findHarness(env, { room, config: setup.config }, asked);
  const harness = await loadHarness(env, ref.version);
  const isRooms = ref.version === setup.harness.version;
  const sessionContext = isRooms
    ? setup.sessionContext
    : await startSession(env, room, harness, { config: setup.config, source: "startup" });
  return { record, setup: { ...setup, harness: ref, sessionContext }, onTools: asked.onTools };
}

async function readRecord(env: Env, room: string, turn: string): Promise<TurnRecord> {
  const read = await env.LIVE_ROOM.getByName(room).turn(turn);
  if (!read.ok) throw new AppError(read.error, REFUSALS[read.error]);
  const view: TurnView = read.value;
  if (view.schema !== "kaibo.turn/1") {
    throw new AppError("turn_not_found", "The turn has no record yet: it has not ended", {
      details: { turn, status: view.status },
    });
  }
  if (view.messages.length > 0) return view;
  throw new AppError("invalid_request", "The turn has no messages; there is nothing to answer", { details: { turn } });
}

async function findHarness(
  env: Env,
  { room, config }: { readonly room: string; readonly config: RoomConfig },
  asked: ReplayBody,
): Promise<HarnessRef> {
  const registry = registryOf(env);
  const name = asked.harness ?? config.harness.name;
  const merchant = config.merchant.id;
  if (asked.version !== undefined) {
    return { name, version: await resolveVersion(registry, { name, version: asked.version }) };
  }
  if (asked.channel === undefined && asked.harness === undefined) {
    return { name, version: await resolveVersion(registry, { ...config.harness, merchant, room }) };
  }
  // Who names a channel wants to see what it serves, whatever is pinned.
  const channel = asked.channel ?? RELEASED_CHANNEL;
  const own = await registry.tables.channel({ name, channel, merchant });
  const served = own ?? (await registry.tables.channel({ name, channel, merchant: ALL_MERCHANTS }));
  if (served === null) {
    throw new AppError("harness_channel_not_found", "The channel does not exist", { details: { name, channel } });
  }
  return { name, version: await resolveVersion(registry, { name, version: served.version }) };
}
