import { findAdvertisingWords } from "../shared/agent/checks/advertising-law.ts";
import { compileHarness } from "../shared/agent/compiled-harness.ts";
import { checkHooks } from "../shared/agent/hooks/compile-hooks.ts";
import { BUILTIN_NAMES } from "../shared/agent/tools/builtin-tools.ts";
import type { HarnessBundle } from "../shared/contract/harness-bundle.ts";
import { harnessVersionSchema } from "../shared/contract/ids.ts";
import { toAppError } from "../shared/errors/app-error.ts";
import { checkBundle } from "./check-bundle.ts";
import { placeInWireForm, type PlaceOf } from "./place-of.ts";
import { errorAt, hasErrors, type Problem } from "./problem.ts";

/** Stands for the version while there is none: compiling does not look at it. */
const NO_VERSION = harnessVersionSchema.parse("0".repeat(64));

/** The check of a push, with what this product knows: its builtins, its hook compiler, its word lists. */
export function checkForPush(bundle: HarnessBundle, at: PlaceOf = placeInWireForm): readonly Problem[] {
  const checks = { knownBuiltins: BUILTIN_NAMES, checkHooks, findForbiddenWords: findAdvertisingWords };
  const problems = checkBundle(bundle, checks, at);
  return hasErrors(problems) ? problems : [...problems, ...checkCompiles(bundle)];
}

/** What passes every check and still does not compile must not be pushed: no room could run it. */
function checkCompiles(bundle: HarnessBundle): Problem[] {
  try {
    compileHarness(bundle, NO_VERSION);
    return [];
  } catch (thrown) {
    return [
      errorAt(
        "does-not-compile",
        { file: "harness.json" },
        toAppError(thrown).message,
        "Mend the part that the message names",
      ),
    ];
  }
}
