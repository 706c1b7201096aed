/** Tool arguments against the tool's JSON Schema, with complaints that the policy can act on. */
import { z } from "zod";
import type { ToolDefinition } from "../../contract/harness-bundle.ts";
import { AppError } from "../../errors/app-error.ts";
import { compileLinearPattern, type LinearPattern } from "./linear-pattern.ts";
import type { CompiledCheck } from "./finding.ts";

type InputSchema = ToolDefinition["inputSchema"];
type PropertySchema = Readonly<Record<string, unknown>>;

/** `message` says in one line what is wrong and what is wanted, in the policy's language. */
export type InputVerdict = { readonly ok: true } | { readonly ok: false; readonly message: string };
export type InputValidator = (value: unknown) => InputVerdict;

/** Complaints in a message: the first few are what a model can mend at once. */
const COMPLAINTS_MAX = 4;

/**
 * Makes a tool's schema ready to judge arguments. Nothing is coerced or filled in: a value of another type is refused.
 *
 * `pattern` of an argument runs in linear time (see {@link compileLinearPattern}) and reads as in JSON Schema: anywhere in the text.
 *
 * @throws AppError `harness_invalid` - the schema has keywords or a pattern that cannot be checked.
 */
export function compileInputSchema(schema: InputSchema): InputValidator {
  const properties = new Map(Object.entries(schema.properties));
  const patterns = compilePatterns(properties);
  const validator = compileZod(schema);
  const wanted = describeAll(schema);
  return (value) => {
    const result = validator.safeParse(value);
    const complaints = result.success ? patternComplaints(value, patterns) : toComplaints(result.error, schema);
    if (complaints.length === 0) return { ok: true };
    const list = [...new Set(complaints)].slice(0, COMPLAINTS_MAX).join("；");
    return { ok: false, message: `${list}。${wanted}` };
  };
}

/** Judges `tool_input` of PreToolUse by the named tool's schema. A tool that the bundle does not have is left to the executor. */
export function toolArguments(tools: readonly ToolDefinition[]): CompiledCheck {
  const validators = new Map(tools.map((tool) => [tool.name, compileInputSchema(tool.inputSchema)]));
  return (input) => {
    if (input.hook_event_name !== "PreToolUse") return null;
    const verdict = validators.get(input.tool_name)?.(input.tool_input) ?? { ok: true };
    // Not cut like other findings: it is our own text about the schema, and half of it would not help the policy.
    return verdict.ok ? null : { found: verdict.message };
  };
}

function compileZod(schema: InputSchema): z.ZodType {
  const plain = { ...schema, properties: withoutPatterns(schema.properties) };
  try {
    return z.fromJSONSchema(plain as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "unknown";
    throw new AppError("harness_invalid", `Tool schema: ${reason}`, { cause: thrown });
  }
}

/** The library would run a pattern with the language's backtracking engine; ours are checked beside it. */
function withoutPatterns(properties: Readonly<Record<string, PropertySchema>>): Record<string, PropertySchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const { pattern: _pattern, ...rest } = schema;
      if (/"pattern(?:Properties)?":/.test(JSON.stringify(rest))) {
        throw new AppError("harness_invalid", `Tool schema: a pattern inside \`${name}\` cannot be checked`);
      }
      return [name, rest];
    }),
  );
}

function compilePatterns(properties: ReadonlyMap<string, PropertySchema>): ReadonlyMap<string, LinearPattern> {
  const patterns = new Map<string, LinearPattern>();
  for (const [name, { pattern }] of properties) {
    if (pattern === undefined) continue;
    const compiled = typeof pattern === "string" ? compileLinearPattern(pattern) : null;
    if (compiled?.ok !== true) {
      const reason = compiled === null ? "it is no text" : compiled.error;
      throw new AppError("harness_invalid", `Tool schema: the pattern of \`${name}\`: ${reason}`);
    }
    patterns.set(name, compiled.value);
  }
  return patterns;
}

function patternComplaints(value: unknown, patterns: ReadonlyMap<string, LinearPattern>): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    typeof part === "string" && patterns.get(name)?.find(part) === null ? [`${name} 的格式不对`] : [],
  );
}

function toComplaints(error: z.ZodError, schema: InputSchema): string[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
      return issue.keys.slice(0, COMPLAINTS_MAX).map((key) => `没有参数 ${key.slice(0, 40)}`);
    }
    const name = issue.path[0];
    if (typeof name !== "string") return ["参数要是一个 JSON 对象"];
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    return [`${name} 应为${property === undefined ? "别的值" : describe(property)}`];
  });
}

function describeAll(schema: InputSchema): string {
  const parts = Object.entries(schema.properties).map(
    ([name, property]) => `${name}（${describe(property)}${schema.required.includes(name) ? "，必填" : ""}）`,
  );
  return parts.length === 0 ? "这个工具没有参数" : `参数：${parts.join("、")}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "文字",
  integer: "整数",
  number: "数字",
  boolean: "true 或 false",
  array: "列表",
  object: "对象",
  null: "null",
};

function describe(property: PropertySchema): string {
  const choices = property["enum"];
  if (Array.isArray(choices)) return `${choices.map((choice) => JSON.stringify(choice)).join(" 或 ")} 之一`;
  if ("const" in property) return JSON.stringify(property["const"]);
  const types = Array.isArray(property["type"]) ? property["type"] : [property["type"]];
  const names = types.map((type) => (typeof type === "string" ? (TYPE_NAMES[type] ?? type) : "值"));
  return `${names.join("或 ")}${describeBounds(property)}`;
}

function describeBounds(property: PropertySchema): string {
  const bounds = [
    range(property["minimum"], property["maximum"], ""),
    range(property["minLength"], property["maxLength"], "字"),
    range(property["minItems"], property["maxItems"], "项"),
  ].filter((text) => text !== "");
  return bounds.length === 0 ? "" : `（${bounds.join("，")}）`;
}

function range(min: unknown, max: unknown, unit: string): string {
  const [from, to] = [min, max].map((bound) => (typeof bound === "number" ? String(bound) : null));
  if (from != null && to != null) return `${from} 到 ${to}${unit}`;
  if (from != null) return `至少 ${from}${unit}`;
  return to != null ? `至多 ${to}${unit}` : "";
}
