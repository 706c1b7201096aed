import { parseJson } from "../../core/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";

/**
 * Reads a tool call's arguments as the model wrote them. No text at all means no arguments.
 *
 * Takes one mistake of speculative decoding: the arguments followed by themselves as a JSON string
 * (`{"a":1}"{\"a\":1}"`). Everything else that is not one JSON object is refused, for half an order is worse than none.
 *
 * @returns The arguments without a prototype, so that a name such as `constructor` or `__proto__` is only what the
 * model sent. Not yet checked against the tool's schema.
 */
export function parseToolArguments(
  text: string | null | undefined,
): Result<Record<string, unknown>, "tool_input_invalid"> {
  const trimmed = text?.trim() ?? "";
  if (trimmed === "") return ok(withoutPrototype({}));
  const value = parseJson(trimmed) ?? parseDoubled(trimmed);
  return isObject(value) ? ok(withoutPrototype(value)) : fail("tool_input_invalid");
}

/** The first value of a doubled text; `undefined` unless the rest is the same value, serialised once more. */
function parseDoubled(text: string): unknown {
  const end = endOfObject(text);
  if (end === -1) return undefined;
  const first = parseJson(text.slice(0, end));
  const rest = parseJson(text.slice(end));
  if (first === undefined || typeof rest !== "string") return undefined;
  // By value, not by letter: the second copy has the engine's spacing, not the model's.
  return JSON.stringify(first) === JSON.stringify(parseJson(rest)) ? first : undefined;
}

/** Offset after the object that starts the text; -1 if none starts or it does not end. */
function endOfObject(text: string): number {
  if (!text.startsWith("{")) return -1;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isInString) {
      if (char === "\\") at += 1;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === "{") depth += 1;
    else if (char === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function withoutPrototype(value: Record<string, unknown>): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) copy[key] = value[key];
  return copy;
}
