import { describe, it } from "vitest";
import { ToolCallCollector } from "../../../../../shared/agent/stream/tool-call-collector.ts";

type Entry = { id?: string | null; index?: number; name?: string; args?: unknown };

function collect(deltas: readonly Entry[][]) {
  const collector = new ToolCallCollector("t7");
  for (const entries of deltas) {
    collector.push(entries.map(({ id, index, name, args }) => ({ id, index, function: { name, arguments: args } })));
  }
  return collector.calls().map(({ id, name, argumentsText }) => `${id} ${name} ${argumentsText}`);
}

describe("ToolCallCollector", () => {
  it.for<{ name: string; deltas: Entry[][]; calls: string[] }>([
    {
      name: "a new id is a new call, whatever the index",
      deltas: [
        [{ id: "a", index: 2, name: "f", args: "{" }],
        [{ id: "b", index: 0, name: "g", args: "{}" }],
        [{ index: 2, args: "}" }],
      ],
      calls: ["a f {}", "b g {}"],
    },
    {
      name: "a known id goes on with its call, whatever the index",
      deltas: [
        [{ id: "a", index: 0, name: "f" }],
        [{ id: "b", index: 1, name: "g" }],
        [{ id: "a", index: 5, args: "{}" }],
      ],
      calls: ["a f {}", "b g "],
    },
    {
      name: "a fragment with nothing but a wrong index goes on with the newest call",
      deltas: [[{ id: "a", name: "f" }], [{ index: 3, args: "{}" }]],
      calls: ["a f {}"],
    },
    {
      name: "an id that comes late belongs to the call without one",
      deltas: [[{ index: 0, name: "f" }], [{ id: "a", index: 0, args: "{}" }], [{ index: 0, args: " " }]],
      calls: ["a f {} "],
    },
    {
      name: "a new id with a name is a new call, also beside one without an id",
      deltas: [[{ index: 0, name: "f" }], [{ id: "b", index: 0, name: "g" }]],
      calls: ["call_t7_0 f ", "b g "],
    },
    {
      name: "calls in one delta without ids and indexes are different calls",
      deltas: [[{ name: "f" }, { name: "g" }], [{ args: "{}" }]],
      calls: ["call_t7_0 f ", "call_t7_1 g {}"],
    },
    {
      name: "another name after arguments is another call",
      deltas: [[{ index: 0, name: "f", args: "{}" }], [{ index: 0, name: "g", args: "{}" }]],
      calls: ["call_t7_0 f {}", "call_t7_1 g {}"],
    },
    {
      name: "the same name after whole arguments is another call",
      deltas: [[{ index: 0, name: "f", args: '{"a":1}' }], [{ index: 0, name: "f", args: '{"a":2}' }]],
      calls: ['call_t7_0 f {"a":1}', 'call_t7_1 f {"a":2}'],
    },
    {
      name: "the same name inside arguments is the same call",
      deltas: [
        [{ index: 0, name: "f", args: '{"a":{}' }],
        [{ index: 0, name: "f", args: "}" }],
        [{ index: 0, name: "f", args: "" }],
      ],
      calls: ['call_t7_0 f {"a":{}}'],
    },
    {
      name: "a name that comes after its arguments is kept",
      deltas: [[{ id: "a", index: 0, args: "{}" }], [{ id: "a", index: 0, name: "f" }]],
      calls: ["a f {}"],
    },
    { name: "a fragment of nothing is no call", deltas: [[{ index: 0 }], [{ id: "a", index: 1 }]], calls: [] },
    {
      name: "arguments as an object are written out",
      deltas: [[{ id: "a", name: "f", args: { b: 1 } }]],
      calls: ['a f {"b":1}'],
    },
  ])("$name", ({ deltas, calls }, { expect }) => {
    expect(collect(deltas)).toEqual(calls);
  });

  it.for([
    null,
    undefined,
    "x",
    3,
    {},
    [null],
    ["x"],
    [[]],
    [{ function: null }],
    [{ id: 3, index: "x", function: { name: 1 } }],
  ])("takes no call from %j", (toolCalls, { expect }) => {
    const collector = new ToolCallCollector("t7");
    collector.push(toolCalls);
    expect(collector.calls()).toEqual([]);
  });

  it("counts the characters that the model wrote", ({ expect }) => {
    const collector = new ToolCallCollector("t7");
    collector.push([{ id: "a", function: { name: "get", arguments: "{}" } }]);
    expect(collector.charCount).toBe(5);
  });
});
