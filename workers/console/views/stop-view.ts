/** The button that takes the floor from the AI host. */
import { type PageContext, byId } from "../dom.ts";
import { type RoomModel, floorState } from "../frame-store.ts";

export type StopControl = {
  /** False once the server has refused it. */
  readonly isAllowed: () => boolean;
  readonly stop: () => Promise<void>;
};

/** Builds the button, disabled: there is nothing to stop before a room speaks. */
export function createStopView({ isAllowed, stop }: StopControl) {
  const button = byId("stop", HTMLButtonElement);
  let isStopping = false;
  button.addEventListener("click", () => {
    isStopping = button.disabled = true;
    void stop().finally(() => {
      isStopping = false;
    });
  });
  return {
    update: (model: RoomModel, { nowMs }: PageContext): void => {
      const isIdle = floorState(model, nowMs + (model.skewMs ?? 0)) === "standby";
      button.disabled = isIdle || isStopping || !isAllowed();
    },
    /** As if pressed; nothing happens while it is disabled. */
    press: (): void => button.click(),
  };
}
