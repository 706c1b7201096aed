import { describe, it } from "vitest";
import { pause } from "../../../shared/core/timer.ts";
import { VirtualTime } from "../../replay/virtual-time.ts";

describe("VirtualTime", () => {
  it("plays events by time, and those of one time in the order in which they were put in", async ({ expect }) => {
    const time = new VirtualTime(1_000);
    const seen: string[] = [];
    const note = (name: string) => () => seen.push(`${name} ${time.nowMs()}`);
    time.at(1_200, note("c"));
    time.at(1_100, note("a"));
    time.after(100, note("b"));
    time.after(200, note("d"));
    time.at(500, note("past"));
    await time.run(2_000);
    expect(seen).toEqual(["past 1000", "a 1100", "b 1100", "c 1200", "d 1200"]);
  });

  it("lets all promises settle before the next event", async ({ expect }) => {
    const time = new VirtualTime(0);
    const seen: string[] = [];
    const walk = async () => {
      for (let step = 0; step < 3; step += 1) {
        await pause(time, 10);
        for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
        seen.push(`step ${time.nowMs()}`);
      }
    };
    void walk();
    time.at(15, () => seen.push("event 15"));
    await time.run(100);
    expect(seen).toEqual(["step 10", "event 15", "step 20", "step 30"]);
  });

  it("does not play what was cancelled, nor what is after the end", async ({ expect }) => {
    const time = new VirtualTime(0);
    const seen: number[] = [];
    const cancel = time.at(10, () => seen.push(10));
    time.at(5, cancel);
    time.at(20, () => seen.push(20));
    time.at(21, () => seen.push(21));
    await time.run(20);
    expect(seen).toEqual([20]);
    await time.run(21);
    expect(seen).toEqual([20, 21]);
  });
});
