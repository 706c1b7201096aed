import { describe, it } from "vitest";
import { pause } from "../../../../shared/core/timer.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";

describe("pause", () => {
  it("settles when its time has come, and not before", async ({ expect }) => {
    const time = new FakeTime();
    let isOver = false;
    const pausing = pause(time, 200).then(() => {
      isOver = true;
    });
    time.advance(199);
    await Promise.resolve();
    expect(isOver).toBe(false);
    time.advance(1);
    await pausing;
    expect(isOver).toBe(true);
  });
});
