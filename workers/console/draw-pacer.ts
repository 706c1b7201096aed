/** Draws at most once a frame of the screen, however many changes come in. */

/** Frames arrive in bursts; while nobody looks, once in this time is enough, ms. Drawing waits for the screen otherwise. */
export const HIDDEN_DRAW_MS = 250;

export type DrawPorts = {
  /** Nobody sees the page: it gets no frames of the screen. */
  readonly isHidden: () => boolean;
  readonly onScreenFrame: (fire: () => void) => void;
  readonly after: (delayMs: number, fire: () => void) => void;
};

export type DrawPacer = {
  /** Draws soon, once for all calls until then. */
  readonly soon: () => void;
  /** Draws at once. What was due by then is drawn with it. */
  readonly now: () => void;
};

export function createDrawPacer({ isHidden, onScreenFrame, after }: DrawPorts, draw: () => void): DrawPacer {
  let isDue = false;
  const now = (): void => {
    isDue = false;
    draw();
  };
  const fire = (): void => {
    if (isDue) now();
  };
  return {
    now,
    soon: () => {
      if (isDue) return;
      isDue = true;
      if (isHidden()) after(HIDDEN_DRAW_MS, fire);
      else onScreenFrame(fire);
    },
  };
}
