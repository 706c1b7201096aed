import type { CompiledHarness } from "../../shared/agent/compiled-harness.ts";
import { runHooks } from "../../shared/agent/hooks/run-hooks.ts";
import { buildPrefix } from "../../shared/agent/prompt/build-prefix.ts";
import type { RoomConfig } from "../../shared/contract/room-config.ts";
import type { RoomSetup } from "../../shared/contract/turn-lease.ts";
import { createHookCode } from "../platform/hook-code.ts";
import { systemTimer } from "../platform/system-clock.ts";

/** Whether a session's start depends on the room: else nothing need be known of it. */
export function asksAtStart({ bundle }: CompiledHarness): boolean {
  return bundle.hooks.some(({ event }) => event === "SessionStart");
}

/** What SessionStart hooks add to the room's evidence. Asked once a configuration, so that every turn has the same bytes. */
export async function startSession(
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
