import { describe, it } from "vitest";
import { parseToolArguments } from "../../../../../shared/agent/stream/parse-tool-arguments.ts";

describe("parseToolArguments", () => {
  it.for<[string | null | undefined, Record<string, unknown>]>([
    ['{"sku":"面膜A1","count":2}', { sku: "面膜A1", count: 2 }],
    [' {"a":1}\n', { a: 1 }],
    ["{}", {}],
    ["", {}],
    [" \n", {}],
    [null, {}],
    [undefined, {}],
    ['{"a":1}"{\\"a\\":1}"', { a: 1 }],
    ['{"a": 1} "{\\"a\\":1}"', { a: 1 }],
    ['{"a":"}\\"{"}"{\\"a\\":\\"}\\\\\\"{\\"}"', { a: '}"{' }],
  ])("reads %s", ([text, value], { expect }) => {
    const result = parseToolArguments(text);
    expect(result).toEqual({ ok: true, value });
  });

  it.for([
    "[]",
    "[1]",
    "3",
    "null",
    '"text"',
    '"{\\"a\\":1}"',
    '{"a":1',
    '{"a":',
    '{"a":1}}',
    '{"a":1}{"a":1}',
    '{"a":1}"{\\"a\\":2}"',
    '{"a":1}"x"',
    '{"a":1}"{\\"a\\":1}',
    '{"a":1} 好的',
    '[1]"[1]"',
    "command=ls",
    "<parameter=sku>A1",
  ])("refuses %s", (text, { expect }) => {
    expect(parseToolArguments(text)).toEqual({ ok: false, error: "tool_input_invalid" });
  });

  it("gives only what the model sent, whatever the names", ({ expect }) => {
    const result = parseToolArguments('{"__proto__":{"price":0},"constructor":1}');
    const value = result.ok ? result.value : {};
    expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
    expect(value["price"]).toBeUndefined();
    expect(value["toString"]).toBeUndefined();
    expect(({} as Record<string, unknown>)["price"]).toBeUndefined();
  });
});
