/** Giving a room the version that it should run now. */
import { chooseRoute } from "../../harness-kv/resolve-harness.ts";
import type { HarnessRoutes } from "../../harness-kv/registry-store.ts";
import { toRoomPolicy, type CompiledHarness } from "../../shared/agent/compiled-harness.ts";
import { harnessChannelSchema } from "../../shared/contract/ids.ts";
import type { RoomLease } from "../../shared/contract/turn-lease.ts";
import { AppError, toAppError } from "../../shared/errors/app-error.ts";
import { ERROR_RULES } from "../../shared/errors/error-codes.ts";
import { loadHarness } from "../platform/harness-loader.ts";
import { registryOf } from "../platform/registry.ts";
import { sha256Hex } from "../platform/sha256.ts";
import { asksAtStart, startSession } from "./start-session.ts";

/** A room that follows a channel, as the directory has it. */
export type Follower = { readonly id: string; readonly channel: string; readonly merchant: string };

/**
 * Looks up what a room should run and gives it to the room. The turn in flight ends on the version that it began with.
 *
 * @throws AppError as {@link giveVersion}; `registry_unavailable`
 */
export async function adoptVersion(env: Env, room: Follower, name: string): Promise<void> {
  const routes = await registryOf(env).tables.routes(toRequest(name, room));
  await giveVersion(env, room, { name, routes });
}

/**
 * Gives a room what `routes` say. The room refuses what is older than what it has heard, so two releases in a row may tell
 * rooms in any order. A version that the room cannot have is noted there.
 *
 * @returns The warm-up that the room wants now; `null` when it had the version already.
 * @throws AppError `harness_channel_not_found`, `harness_revoked`, `harness_corrupt`, `harness_unsigned`,
 *   `harness_signature_invalid` - it keeps the version that it has. `room_not_found`; `channel_moved` - it follows another.
 */
export async function giveVersion(
  env: Env,
  room: Follower,
  { name, routes }: { readonly name: string; readonly routes: HarnessRoutes },
): Promise<RoomLease | null> {
  const request = toRequest(name, room);
  const { version, seq, trial } = await chooseRoute(routes, request, sha256Hex);
  const stub = env.LIVE_ROOM.getByName(room.id);
  const harness = await loadHarness(env, version).catch(async (thrown: unknown) => {
    const { code } = toAppError(thrown);
    if (ERROR_RULES[code].retry === "never") await stub.refuseVersion({ version, code, seq });
    throw thrown;
  });
  const adopted = await stub.adopt({
    channel: request.channel,
    merchant: request.merchant,
    harness: { name, version },
    policy: toRoomPolicy(harness),
    sessionContext: asksAtStart(harness) ? await askRoom(env, room.id, harness) : [],
    release: { seq, trial },
  });
  if (!adopted.ok) throw new AppError(adopted.error, "The room did not take the version");
  const { revision: configRevision, hasChanged } = adopted.value;
  return hasChanged ? { room: room.id, merchant: room.merchant, harness: { name, version }, configRevision } : null;
}

export function toRequest(name: string, { id, channel, merchant }: Follower) {
  return { name, channel: harnessChannelSchema.parse(channel), merchant, room: id };
}

async function askRoom(env: Env, room: string, harness: CompiledHarness): Promise<string[]> {
  const read = await env.LIVE_ROOM.getByName(room).setup();
  if (!read.ok) throw new AppError(read.error, "The room does not exist");
  return startSession(env, room, harness, { config: read.value.config, source: "update" });
}
