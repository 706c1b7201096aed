import { checkBundle } from "./check-bundle.ts";
import type { Problem } from "./problem.ts";
import { findAdvertisingWords } from "../shared/agent/checks/advertising-law.ts";
import { checkHooks } from "../shared/agent/hooks/compile-hooks.ts";
import { BUILTIN_NAMES } from "../shared/agent/tools/builtin-tools.ts";
import type { HarnessBundle } from "../shared/contract/harness-bundle.ts";

/** The check of a push, with what this product knows: its builtins, its hook compiler, its word lists. */
export function checkForPush(bundle: HarnessBundle): readonly Problem[] {
  return checkBundle(bundle, { knownBuiltins: BUILTIN_NAMES, checkHooks, findForbiddenWords: findAdvertisingWords });
}
