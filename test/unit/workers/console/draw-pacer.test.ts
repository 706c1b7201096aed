import { describe, it } from "vitest";
import { createDrawPacer, HIDDEN_DRAW_MS } from "../../../../workers/console/draw-pacer.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";

/** A pacer whose screen shows a frame when told. */
function aPacer() {
  const time = new FakeTime();
  const screen = { isHidden: false, draws: 0, due: new Array<() => void>() };
  const pacer = createDrawPacer(
    {
      isHidden: () => screen.isHidden,
      onScreenFrame: (fire) => void screen.due.push(fire),
      after: (delayMs, fire) => void time.after(delayMs, fire),
    },
    () => {
      screen.draws += 1;
    },
  );
  return { pacer, screen, time, showFrame: () => screen.due.splice(0).forEach((fire) => fire()) };
}

describe("createDrawPacer", () => {
  it("draws once a frame of the screen, however much changes", ({ expect }) => {
    const { pacer, screen, showFrame } = aPacer();
    for (let frame = 1; frame <= 3; frame += 1) {
      for (let change = 0; change < 2_000; change += 1) pacer.soon();
      expect(screen.draws).toBe(frame - 1);
      showFrame();
      expect(screen.draws).toBe(frame);
    }
    showFrame();
    expect(screen.draws).toBe(3);
  });

  it("draws once when it is told to draw now while a drawing is due", ({ expect }) => {
    const { pacer, screen, showFrame } = aPacer();
    pacer.soon();
    pacer.now();
    showFrame();
    expect(screen.draws).toBe(1);
  });

  it("draws by the clock while nobody looks, and once when somebody does again", ({ expect }) => {
    const { pacer, screen, time, showFrame } = aPacer();
    screen.isHidden = true;
    pacer.soon();
    time.advance(HIDDEN_DRAW_MS - 1);
    expect(screen.draws).toBe(0);
    time.advance(1);
    expect(screen.draws).toBe(1);
    pacer.soon();
    screen.isHidden = false;
    pacer.now();
    time.advance(HIDDEN_DRAW_MS);
    showFrame();
    expect(screen.draws).toBe(2);
  });
});
