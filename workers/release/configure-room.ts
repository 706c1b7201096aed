/** Giving a room its configuration: the harness is resolved, loaded and asked before the room changes. */
import { recordChange } from "../../harness-kv/record-change.ts";
import { resolveRoute, resolveVersion, type Route } from "../../harness-kv/resolve-harness.ts";
import { toRoomPolicy, type CompiledHarness } from "../../shared/agent/compiled-harness.ts";
import type { RoomConfig } from "../../shared/contract/room-config.ts";
import { AppError, toAppError } from "../../shared/errors/app-error.ts";
import type { ErrorCode } from "../../shared/errors/error-codes.ts";
import { loadHarness } from "../platform/harness-loader.ts";
import { registryOf, releasesOf } from "../platform/registry.ts";
import { saveRoom } from "../platform/room-directory.ts";
import { systemClock } from "../platform/system-clock.ts";
import { adoptVersion } from "./adopt-version.ts";
import { startSession } from "./start-session.ts";

/** The version is there, and must not be run or cannot be read. */
const DAMAGED: ReadonlySet<ErrorCode> = new Set(["harness_corrupt", "harness_unsigned", "harness_signature_invalid"]);

/**
 * Configures a room and lists it. A channel that moves meanwhile tells the rooms that are listed then, so this one looks
 * again once it is.
 *
 * @throws AppError `harness_not_found`, `harness_channel_not_found`, `harness_revoked`, `harness_corrupt`, `harness_unsigned`,
 *   `harness_signature_invalid` - the room keeps what it has.
 * @throws AppError `registry_unavailable` - the room may have the configuration; send it again.
 */
export async function openRoom(env: Env, room: string, config: RoomConfig) {
  const saved = await configureRoom(env, room, config);
  await saveRoom(env, room, config, systemClock.nowMs());
  const { harness, merchant } = config;
  if (!("channel" in harness)) return saved;
  const version = await resolveVersion(registryOf(env), { ...harness, merchant: merchant.id, room });
  if (version !== saved.route.version) {
    await adoptVersion(env, { id: room, channel: harness.channel, merchant: merchant.id }, harness.name);
  }
  return saved;
}

async function configureRoom(env: Env, room: string, config: RoomConfig) {
  const { name } = config.harness;
  const route = await resolveRoute(registryOf(env), { ...config.harness, merchant: config.merchant.id, room });
  const { harness, refused } = await loadOrBackUp(env, room, { name, route });
  const ref = { name, version: harness.version };
  const sessionContext = await startSession(env, room, harness, { config, source: "startup" });
  const stub = env.LIVE_ROOM.getByName(room);
  const configured = await stub.configure({
    setup: { config, harness: ref, sessionContext },
    policy: toRoomPolicy(harness),
    // The backup is neither of the two versions that a trial compares.
    release: { seq: route.seq, trial: refused === null ? route.trial : null },
  });
  if (!configured.ok) throw new AppError(configured.error, "The room did not take the configuration");
  if (refused !== null) await stub.refuseVersion({ version: route.version, code: refused, seq: route.seq });
  return { revision: configured.value.revision, harness: ref, route };
}

/**
 * A version that is damaged, or that no trusted key vouches for, is not run. A room that opens then runs the harness's backup,
 * where governors have set one; each use of it is a row of the audit log.
 */
async function loadOrBackUp(
  env: Env,
  room: string,
  { name, route }: { readonly name: string; readonly route: Route },
): Promise<{ readonly harness: CompiledHarness; readonly refused: ErrorCode | null }> {
  try {
    return { harness: await loadHarness(env, route.version), refused: null };
  } catch (thrown) {
    const { code } = toAppError(thrown);
    const backup = DAMAGED.has(code) ? await registryOf(env).tables.backup(name) : null;
    if (backup === null || backup === route.version) throw thrown;
    const harness = await loadHarness(env, backup);
    const change = { kind: "use-backup", name, version: backup, room, reason: code } as const;
    if (!(await recordChange(releasesOf(env), change, { name: "edge", audience: "rollout" }))) throw thrown;
    return { harness, refused: code };
  }
}
