/** Giving a room its configuration and its harness: the harness is resolved, loaded and asked before the room changes. */
import { resolveVersion } from "../../harness-kv/resolve-harness.ts";
import { toRoomPolicy, type CompiledHarness } from "../../shared/agent/compiled-harness.ts";
import { runHooks } from "../../shared/agent/hooks/run-hooks.ts";
import { buildPrefix } from "../../shared/agent/prompt/build-prefix.ts";
import type { HarnessChannel } from "../../shared/contract/ids.ts";
import type { RoomConfig } from "../../shared/contract/room-config.ts";
import type { RoomSetup } from "../../shared/contract/turn-lease.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import { loadHarness } from "../platform/harness-loader.ts";
import { createHookCode } from "../platform/hook-code.ts";
import { registryOf } from "../platform/registry.ts";
import { saveRoom } from "../platform/room-directory.ts";
import { systemClock, systemTimer } from "../platform/system-clock.ts";

/**
 * @throws AppError `harness_not_found`, `harness_channel_not_found`, `harness_revoked`, `harness_corrupt`, `harness_unsigned`,
 *   `harness_signature_invalid` - the room keeps what it has.
 */
async function configureRoom(env: Env, room: string, config: RoomConfig) {
  const version = await resolveVersion(registryOf(env), { ...config.harness, merchant: config.merchant.id, room });
  const harness = await loadHarness(env, version);
  const ref = { name: config.harness.name, version };
  const sessionContext = await startSession(env, room, harness, { config, source: "startup" });
  const configured = await env.LIVE_ROOM.getByName(room).configure({
    setup: { config, harness: ref, sessionContext },
    policy: toRoomPolicy(harness),
  });
  if (!configured.ok) throw new AppError(configured.error, "The room did not take the configuration");
  return { revision: configured.value.revision, harness: ref };
}

export type ChannelRef = { readonly name: string; readonly channel: HarnessChannel };

/**
 * Gives a room the version that it should run now: by pin, canary or channel; the turn in flight ends on the one it began
 * with. That is found here, not by the caller: of two moves in a row, a late word of the first brings the second.
 *
 * @throws AppError as {@link configureRoom}; `room_not_found`; `channel_moved` - the room follows another channel by now.
 */
export async function adoptChannel(env: Env, room: string, { name, channel }: ChannelRef): Promise<void> {
  const stub = env.LIVE_ROOM.getByName(room);
  const read = await stub.setup();
  if (!read.ok) throw new AppError(read.error, "The room does not exist");
  const { config }: RoomSetup = read.value;
  const version = await resolveVersion(registryOf(env), { name, channel, merchant: config.merchant.id, room });
  const harness = await loadHarness(env, version);
  const sessionContext = await startSession(env, room, harness, { config, source: "update" });
  const adopted = await stub.adopt({
    channel,
    harness: { name, version },
    policy: toRoomPolicy(harness),
    sessionContext,
  });
  if (!adopted.ok) throw new AppError(adopted.error, "The room did not take the version");
}

/**
 * Configures a room and lists it. A channel that moves meanwhile tells the rooms that are listed then, so this one looks
 * again once it is.
 *
 * @throws AppError as {@link configureRoom}; `registry_unavailable` - the room may have the configuration; send it again.
 */
export async function openRoom(env: Env, room: string, config: RoomConfig) {
  const saved = await configureRoom(env, room, config);
  await saveRoom(env, room, config, systemClock.nowMs());
  const { harness } = config;
  if (!("channel" in harness)) return saved;
  const version = await resolveVersion(registryOf(env), { ...harness, merchant: config.merchant.id, room });
  if (version !== saved.harness.version) await adoptChannel(env, room, harness);
  return saved;
}

/** What SessionStart hooks add to the room's evidence. Asked once a configuration, so that every turn has the same bytes. */
async function startSession(
  env: Env,
  room: string,
  harness: CompiledHarness,
  { config, source }: { config: RoomConfig; source: "startup" | "update" },
): Promise<string[]> {
  const setup: RoomSetup = {
    revision: 0,
    config,
    harness: { name: harness.bundle.name, version: harness.version },
    sessionContext: [],
  };
  const verdict = await runHooks(
    harness.hooks,
    {
      hook_event_name: "SessionStart",
      source,
      session_id: room,
      turn_id: "",
      retry_active: false,
      question: "",
      evidence: buildPrefix(harness, setup).evidence,
    },
    { code: createHookCode(env.LOADER, harness.version, harness.bundle.hooks), timer: systemTimer, elapsedMs: () => 0 },
  );
  return [...verdict.contexts];
}
