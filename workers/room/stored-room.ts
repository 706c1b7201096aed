/** A room as its object holds it in memory and on disk: configuration, state, and what to remember of prompts. */
import type { HarnessChannel } from "../../shared/contract/ids.ts";
import { type RoomRelease, UNKNOWN_RELEASE } from "../../shared/contract/room-release.ts";
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
  readonly release: RoomRelease;
};

/** What a room is given: everything but the number that it gives it. */
export type RoomConfiguration = {
  readonly setup: Omit<RoomSetup, "revision">;
  readonly policy: RoomPolicy;
  /** Absent: no release has a say in its version. */
  readonly release?: Pick<RoomRelease, "seq" | "trial">;
};

/** The room under its next configuration, with its state as it was; a new room for `null`. */
export function withConfiguration(
  room: StoredRoom | null,
  name: string,
  { setup, policy, release }: RoomConfiguration,
): StoredRoom {
  const { state, prefixDigest, setup: before } = room ?? { state: EMPTY_ROOM, prefixDigest: null, setup: null };
  const numbered = { ...setup, revision: (before?.revision ?? 0) + 1 };
  const rules = toRules(numbered, policy);
  return { name, setup: numbered, policy, rules, state, prefixDigest, release: { ...UNKNOWN_RELEASE, ...release } };
}

/** Whether the room takes what this channel serves: not when it is pinned to a version, or follows another one. */
export function followsChannel({ setup }: StoredRoom, { name, channel, merchant }: Followed): boolean {
  const { harness, merchant: own } = setup.config;
  return "channel" in harness && harness.name === name && harness.channel === channel && own.id === merchant;
}

/** What a version was looked up for. */
export type Followed = { readonly name: string; readonly channel: HarnessChannel; readonly merchant: string };

/** Whether a room that keeps its configuration would notice the other harness. */
export function hasSameHarness({ setup, policy }: StoredRoom, other: RoomConfiguration): boolean {
  const textOf = (room: Pick<RoomConfiguration, "setup" | "policy">) =>
    JSON.stringify([room.setup.harness, room.setup.sessionContext, room.policy]);
  return textOf({ setup, policy }) === textOf(other);
}

/** Everything that makes a configuration the same as another, as text. What is known of releases is no part of it. */
export function contentOf({ setup, policy }: Pick<RoomConfiguration, "setup" | "policy">): string {
  return JSON.stringify([setup.config, setup.harness, setup.sessionContext, policy]);
}
