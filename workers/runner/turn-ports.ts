/** What a turn of a harness needs of the platform: its tools, the code of its hooks, the time. */
import type { CompiledHarness } from "../../shared/agent/compiled-harness.ts";
import type { TurnDeps } from "../../shared/agent/turn/turn-run.ts";
import type { Clock } from "../../shared/core/clock.ts";
import { createHookCode } from "../platform/hook-code.ts";
import { createHttpTool } from "../platform/http-tool.ts";
import { readSettings } from "../platform/settings.ts";
import { systemTimer } from "../platform/system-clock.ts";

/** @param acceptedAtMs - By the same clock: what the times of its hooks count from. */
export function openTurnPorts(
  env: Env,
  harness: CompiledHarness,
  { clock, acceptedAtMs }: { readonly clock: Clock; readonly acceptedAtMs: number },
): Pick<TurnDeps, "http" | "hookDeps" | "clock" | "timer"> {
  return {
    http: createHttpTool(readSettings(env).toolOrigins, (name) => secretOf(env, name)),
    hookDeps: {
      code: createHookCode(env.LOADER, harness.version, harness.bundle.hooks),
      timer: systemTimer,
      elapsedMs: () => clock.nowMs() - acceptedAtMs,
    },
    clock,
    timer: systemTimer,
  };
}

/** A bundle may name secrets of this prefix alone, so it can never name the endpoint's key or the token secret. */
function secretOf(env: Env, name: string): string | undefined {
  const value = name.startsWith("TOOL_SECRET_") ? Reflect.get(env, name) : undefined;
  return typeof value === "string" ? value : undefined;
}
