import { assertNever } from "../../core/assert.ts";
import type { HookCheck, ToolDefinition } from "../../contract/harness-bundle.ts";
import { advertisingLaw } from "./advertising-law.ts";
import { contactDetails } from "./contact-details.ts";
import type { CompiledCheck } from "./finding.ts";
import { forbiddenWords } from "./forbidden-words.ts";
import { language } from "./language.ts";
import { length } from "./length.ts";
import { numberGrounding } from "./number-grounding.ts";
import { pattern } from "./pattern.ts";
import { promiseWithoutAction } from "./promise-without-action.ts";
import { promptInjection } from "./prompt-injection.ts";
import { repetition } from "./repetition.ts";
import { toolArguments } from "./tool-arguments.ts";

export type CheckContext = { readonly tools: readonly ToolDefinition[] };

/**
 * Makes a shipped check ready: once per harness version, so that a sentence costs microseconds.
 * @throws AppError `harness_invalid` - a pattern or a tool's schema cannot be checked.
 */
export function compileCheck(check: HookCheck, context: CheckContext): CompiledCheck {
  switch (check.type) {
    case "forbidden-words":
      return forbiddenWords(check);
    case "advertising-law":
      return advertisingLaw(check);
    case "number-grounding":
      return numberGrounding(check);
    case "length":
      return length(check);
    case "language":
      return language(check);
    case "contact-details":
      return contactDetails();
    case "promise-without-action":
      return promiseWithoutAction(check);
    case "prompt-injection":
      return promptInjection(check);
    case "repetition":
      return repetition(check);
    case "tool-arguments":
      return toolArguments(context.tools);
    case "pattern":
      return pattern(check);
    default:
      return assertNever(check);
  }
}
