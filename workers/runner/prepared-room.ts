/** A room's configuration made ready for its turns. */
import type { CompiledHarness } from "../../shared/agent/compiled-harness.ts";
import { buildPrefix, type PromptPrefix } from "../../shared/agent/prompt/build-prefix.ts";
import type { RoomSetup } from "../../shared/contract/turn-lease.ts";
import { sha256Hex } from "../platform/sha256.ts";

/** `digest` names the prefix in records. */
export type PreparedRoom = { readonly setup: RoomSetup; readonly prefix: PromptPrefix; readonly digest: string };

export async function prepareRoom(harness: CompiledHarness, setup: RoomSetup): Promise<PreparedRoom> {
  const prefix = buildPrefix(harness, setup);
  return { setup, prefix, digest: await sha256Hex(textOf(prefix)) };
}

/** What the digest is of, and what the room keeps under it. */
export function textOf({ system, room }: PromptPrefix): string {
  return `${system}\n\n${room}`;
}
