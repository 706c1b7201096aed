/** Giving a room its configuration and its harness: the harness is resolved, loaded and asked before the room changes. */
import { resolveVersion } from "../../harness-kv/resolve-harness.ts";
import { toRoomPolicy, type CompiledHarness } from "../../shared/agent/compiled-harness.ts";
import { runHooks } from "../../shared/agent/hooks/run-hooks.ts";
import { buildPrefix } from "../../shared/agent/prompt/build-prefix.ts";
import type { RoomConfig } from "../../shared/contract/room-config.ts";
import type { RoomSetup } from "../../shared/contract/turn-lease.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import { loadHarness } from "../platform/harness-loader.ts";
import { createHookCode } from "../platform/hook-code.ts";
import { registryOf } from "../platform/registry.ts";
import { systemTimer } from "../platform/system-clock.ts";

/**
 * @throws AppError `harness_not_found`, `harness_channel_not_found`, `harness_corrupt` - the room keeps what it has.
 */
export async function configureRoom(env: Env, room: string, config: RoomConfig) {
  const version = await resolveVersion(registryOf(env), config.harness);
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

/**
 * Gives a room another version of its harness; the turn in flight ends on the one it began with.
 *
 * @throws AppError as {@link configureRoom}, and `room_not_found`.
 */
export async function adoptVersion(env: Env, room: string, name: string, version: string): Promise<void> {
  const harness = await loadHarness(env, version);
  const stub = env.LIVE_ROOM.getByName(room);
  const read = await stub.setup();
  if (!read.ok) throw new AppError(read.error, "The room does not exist");
  const { config }: RoomSetup = read.value;
  const sessionContext = await startSession(env, room, harness, { config, source: "update" });
  const adopted = await stub.adopt({ harness: { name, version }, policy: toRoomPolicy(harness), sessionContext });
  if (!adopted.ok) throw new AppError(adopted.error, "The room did not take the version");
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
