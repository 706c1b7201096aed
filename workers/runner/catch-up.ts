/** A room that was not told of a release, because something failed, learns of it with its next turn. */
import { z } from "zod";
import { releaseKey } from "../../harness-kv/keys.ts";
import type { RoomSetup, TurnLease } from "../../shared/contract/turn-lease.ts";
import { BoundedCache } from "../../shared/core/bounded-cache.ts";
import { parseJson } from "../../shared/core/json.ts";
import { toAppError } from "../../shared/errors/app-error.ts";
import { reportFailure } from "../platform/report-failure.ts";
import { systemClock } from "../platform/system-clock.ts";

/** How long one isolate takes a pointer as known, ms. KV itself may be a minute behind. */
const POINTER_KNOWN_MS = 10_000;
/** Seconds that a location keeps a pointer: the least that KV takes. */
const POINTER_TTL_S = 30;

const pointerSchema = z.object({ seq: z.int() });

const known = new BoundedCache<string, { readonly atMs: number; readonly seq: number }>(64);

export type CatchUpTeller = {
  tell(name: string, rooms: readonly { id: string; channel: string; merchant: string }[]): Promise<unknown>;
};

/** Looks whether the room's version may be behind, and if so has it told. Runs beside the turn; what fails is tried next turn. */
export async function catchUp(
  env: Env,
  lease: TurnLease,
  { setup, teller }: { setup: RoomSetup; teller: CatchUpTeller },
) {
  const { harness, merchant } = setup.config;
  if (!("channel" in harness)) return;
  try {
    if ((await readPointer(env, harness.name)) <= lease.releaseSeq) return;
    await teller.tell(harness.name, [{ id: lease.room, channel: harness.channel, merchant: merchant.id }]);
  } catch (thrown) {
    reportFailure("catch-up", toAppError(thrown).code, thrown);
  }
}

async function readPointer(env: Env, name: string): Promise<number> {
  const nowMs = systemClock.nowMs();
  const kept = known.get(name);
  if (kept !== undefined && nowMs - kept.atMs < POINTER_KNOWN_MS) return kept.seq;
  const text = await env.HARNESS_KV.get(releaseKey(name), { cacheTtl: POINTER_TTL_S });
  const { seq } = pointerSchema.safeParse(text === null ? null : parseJson(text)).data ?? { seq: 0 };
  known.set(name, { atMs: nowMs, seq });
  return seq;
}
