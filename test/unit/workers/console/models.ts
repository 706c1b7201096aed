/** Views and models for the page's tests. A test names only the field that it is about. */
import type { RoomFrame } from "../../../../shared/contract/room-frame.ts";
import { UNKNOWN_RELEASE } from "../../../../shared/contract/room-release.ts";
import type { RoomView } from "../../../../shared/contract/room-view.ts";
import { applyFrame, openRoom, type RoomModel } from "../../../../workers/console/frame-store.ts";
import { HARNESS } from "../../../helpers/frames.ts";
import { aRoomConfig } from "../../../helpers/rooms.ts";

export function aView(fields: Partial<RoomView> = {}): RoomView {
  return {
    room: "room-1",
    seq: 0,
    config: aRoomConfig(),
    revision: 1,
    harness: HARNESS,
    release: UNKNOWN_RELEASE,
    snapshot: { onScreenProductId: null, skuOverrides: {}, heard: [] },
    openTurns: [],
    rowsWritten: 0,
    ...fields,
  };
}

/** The model after these frames, each at its own time. */
export function modelAfter(frames: readonly RoomFrame[], view: RoomView = aView()): RoomModel {
  return frames.reduce((model, frame) => applyFrame(model, frame, frame.atMs).model, openRoom(view));
}
