/**
 * Prompt templates: `{{ name }}` and nothing else. One pass, raw values, no expressions.
 *
 * Extracting and filling read the same pattern, so a name that the check accepts is a name that gets filled.
 */
import { AppError } from "../../errors/app-error.ts";

/**
 * Variables of each part of the prompt. A section may use those of its own part only: one value that changes per room
 * inside the system part would cost every room the shared prefix.
 *
 * - `skills`: the `<available_skills>` block, or empty.
 * - `merchant.rules`: the merchant's own rules, one `- ` line each.
 * - `room.*`, `turn.*`: ready evidence blocks, or empty where there is nothing to show.
 */
export const TEMPLATE_VARIABLES = {
  system: ["harness.name", "skills"],
  merchant: ["room.title", "merchant.name", "merchant.rules"],
  room: ["room.shop", "room.catalogue", "room.faq", "room.coupons", "room.context"],
  turn: [
    "turn.strategy",
    "turn.state",
    "turn.changes",
    "turn.heard",
    "turn.facts",
    "turn.knowledge",
    "turn.context",
    "turn.messages",
  ],
} as const satisfies Record<string, readonly string[]>;

export type TemplateScope = keyof typeof TEMPLATE_VARIABLES;

/** Values that a part's sections may name: leaving one out does not compile. */
export type TemplateValues<Scope extends TemplateScope> = Readonly<
  Record<(typeof TEMPLATE_VARIABLES)[Scope][number], string>
>;

/** An opening `{{`, with the name where a whole placeholder follows. The bare form catches `{{ a | b }}` and `{{`. */
const PLACEHOLDER = /\{\{(?:[ \t]*([\p{L}\p{N}_.]+)[ \t]*\}\})?/gu;

export type Placeholder = {
  /** Null for an opening `{{` that is no placeholder: it would stay in the prompt as it stands. */
  readonly name: string | null;
  /** Line of the template, from 1. */
  readonly line: number;
};

/** Every placeholder of a template in order, broken ones included. */
export function listPlaceholders(template: string): Placeholder[] {
  return [...template.matchAll(PLACEHOLDER)].map(({ 1: name, index }) => ({
    name: name ?? null,
    line: template.slice(0, index).split("\n").length,
  }));
}

/**
 * Fills each placeholder once with its value as it is: no escaping, and a value that holds `{{ … }}` stays text.
 *
 * @throws AppError `harness_invalid` - a placeholder is broken, or names a variable that `values` does not own.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(PLACEHOLDER, (_whole, name: string | undefined) => {
    const value = name !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) {
      throw new AppError("harness_invalid", "A template names a variable that does not exist", {
        details: { variable: name ?? "{{" },
      });
    }
    return value;
  });
}
