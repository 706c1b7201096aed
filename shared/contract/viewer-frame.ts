import type { RoomFrame } from "./room-frame.ts";

type FrameOf<Type extends RoomFrame["type"]> = Extract<RoomFrame, { type: Type }>;
type MessageFrame = FrameOf<"message">;
type StrategyFrame = FrameOf<"strategy">;

/** A frame as viewers get it: the same numbers and the same types, without what concerns other people or the works behind. */
export type ViewerFrame =
  | Exclude<RoomFrame, MessageFrame | StrategyFrame>
  | Omit<StrategyFrame, "strategy">
  | (Omit<MessageFrame, "message"> & {
      readonly message: { readonly id: string; readonly text: string; readonly viewer?: { readonly name: string } };
    });

/** Takes out viewers' ids, what the policy and its tools did, and why a turn ended so. Every frame stays, so that no number is missing. */
export function toViewerFrame(frame: RoomFrame): ViewerFrame {
  if (frame.type === "turn-end") return { ...frame, reason: null, activity: null };
  if (frame.type === "dropped") return { ...frame, messages: [] };
  if (frame.type === "strategy") {
    const { strategy: _strategy, ...shown } = frame;
    return shown;
  }
  if (frame.type === "turn-start") {
    const { priority: _priority, ...shown } = frame;
    return shown;
  }
  if (frame.type !== "message") return frame;
  const { id, text, viewer } = frame.message;
  return { ...frame, message: viewer?.name === undefined ? { id, text } : { id, text, viewer: { name: viewer.name } } };
}
