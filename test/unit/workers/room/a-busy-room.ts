/** A room in which one message is answered and the others wait. */
import type { ViewerMessage } from "../../../../shared/contract/message.ts";
import { admitMessages } from "../../../../workers/room/admit-messages.ts";
import type { RoomNow } from "../../../../workers/room/room-draft.ts";
import { findSpeaking } from "../../../../workers/room/room-state.ts";
import { finishTurn } from "../../../../workers/room/room-step.ts";
import { type PolicyFields, aFinish, aRoom, aSentence, after } from "./a-room.ts";

/** A room that merges, where the first message has the floor and the others wait. */
export const aBusyRoom = (policy: PolicyFields = {}) => {
  const room = aRoom({ ...policy, intake: { merges: true, backlogMax: 50, ...policy.intake } });
  return take(room, said("m0", "主播今天讲到几点")).room;
};

export const said = (id: string, text: string, viewer?: { id: string; level?: number }): ViewerMessage => ({
  id,
  text,
  ...(viewer !== undefined && { viewer }),
});

export function take(room: RoomNow, ...messages: readonly ViewerMessage[]) {
  const { step, dispositions } = admitMessages(room, messages, new Map());
  return { room: after(room, step), step, dispositions };
}

export function finish(room: RoomNow) {
  const turn = findSpeaking(room.state);
  if (turn === undefined) throw new Error("nobody speaks");
  const finished = finishTurn(room, aFinish({ turn: turn.id, attempt: turn.lease.attempt, sentences: [aSentence(0)] }));
  if (!finished.ok) throw new Error(finished.error);
  return { room: after(room, finished.value.step), step: finished.value.step };
}
