import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { parseTrace, replay } from "../../endpoint/trace.ts";
import { FakeTime } from "../../helpers/fake-timer.ts";

const SAMPLE = path.resolve(import.meta.dirname, "../../endpoint/traces/hand-made.jsonl");

describe("replay", () => {
  it("gives a recorded stream again at its own times", ({ expect }) => {
    const [call, text] = parseTrace(readFileSync(SAMPLE, "utf8"));
    expect(call?.answer.toolCalls).toEqual([
      { id: "chatcmpl-tool-1", name: "check_stock", argumentsText: '{"product":"1"}' },
    ]);
    expect([call?.finish, text?.finish]).toEqual(["tool_calls", "stop"]);
    if (text === undefined) return;
    const time = new FakeTime();
    const told: [number, number][] = [];
    replay({ recording: text, timer: time, speed: 1, onPieces: (count) => told.push([time.nowMs(), count]) });
    for (let ms = 0; ms < 300; ms += 1) time.advance(1);
    const first = [
      [95, 1],
      [107, 2],
      [116, 3],
    ];
    expect(told.slice(0, 3)).toEqual(first);
    expect(told.at(-1)?.[1]).toBe(6);
  });

  it("refuses a line that is no recording", ({ expect }) => {
    expect(() => parseTrace('{"firstMs":1}')).toThrow();
  });
});
