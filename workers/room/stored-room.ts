/** A room as its object holds it in memory and on disk: configuration, state, and what to remember of prompts. */
import type { HarnessChannel } from "../../shared/contract/ids.ts";
import type { RoomPolicy, RoomSetup } from "../../shared/contract/turn-lease.ts";
import { EMPTY_ROOM, type RoomRules, type RoomState, toRules } from "./room-state.ts";

export type StoredRoom = {
  readonly name: string;
  readonly setup: RoomSetup;
  readonly policy: RoomPolicy;
  readonly rules: RoomRules;
  readonly state: RoomState;
  /** Digest of the prompt prefix that was stored last. */
  readonly prefixDigest: string | null;
};

/** What a room is given: everything but the number that it gives it. */
export type RoomConfiguration = { readonly setup: Omit<RoomSetup, "revision">; readonly policy: RoomPolicy };

/** The room under its next configuration, with its state as it was; a new room for `null`. */
export function withConfiguration(
  room: StoredRoom | null,
  name: string,
  { setup, policy }: RoomConfiguration,
): StoredRoom {
  const { state, prefixDigest, setup: before } = room ?? { state: EMPTY_ROOM, prefixDigest: null, setup: null };
  const numbered = { ...setup, revision: (before?.revision ?? 0) + 1 };
  return { name, setup: numbered, policy, rules: toRules(numbered, policy), state, prefixDigest };
}

/** Whether the room takes what this channel serves: not when it is pinned to a version, or follows another one. */
export function followsChannel({ setup }: StoredRoom, name: string, channel: HarnessChannel): boolean {
  const { harness } = setup.config;
  return "channel" in harness && harness.name === name && harness.channel === channel;
}

/** Everything that makes a configuration the same as another, as text. */
export function contentOf({ setup, policy }: RoomConfiguration): string {
  return JSON.stringify([setup.config, setup.harness, setup.sessionContext, policy]);
}
