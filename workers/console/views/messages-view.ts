/** Viewers' messages as they came, each with what became of it. */
import { type PageContext, byId, make, makeButton, setText } from "../dom.ts";
import { formatClock } from "../format.ts";
import { type MessageItem, type RoomModel, type TurnPhase, turnPhase } from "../frame-store.ts";
import { createKeyedList } from "../keyed-list.ts";
import { createPinnedScroller } from "../pinned-scroller.ts";
import type { Strings } from "../strings.ts";

type MessageLine = { readonly message: MessageItem; readonly phase: TurnPhase };

/** @param onOpenTurn - The reader wants to see the turn that answers a message. */
export function createMessagesView(onOpenTurn: (turn: string) => void) {
  const empty = byId("messages-empty", HTMLParagraphElement);
  const latest = byId("messages-latest", HTMLButtonElement);
  const scroller = createPinnedScroller(byId("messages-scroller", HTMLDivElement), (isPinned) => {
    latest.hidden = isPinned;
  });
  latest.addEventListener("click", () => scroller.pin());
  let strings: Strings | null = null;

  const list = createKeyedList<MessageLine>({
    parent: byId("messages", HTMLOListElement),
    // The room's number, not the viewer's id: the room keeps ids apart, but a page must not trust that.
    key: ({ message }) => `${message.seq}`,
    inputs: ({ message, phase }) => [message, phase, strings],
    create: () => createMessageRow(() => strings, onOpenTurn),
  });

  return {
    update: (model: RoomModel, context: PageContext): void => {
      strings = context.strings;
      empty.hidden = model.messages.length > 0;
      list.update(model.messages.map((message) => ({ message, phase: turnPhase(model, message.turn) })));
      scroller.follow();
    },
  };
}

function createMessageRow(getStrings: () => Strings | null, onOpenTurn: (turn: string) => void) {
  const element = make("li", "message");
  const head = make("p", "message-head");
  const name = make("span", "message-name");
  const time = make("time", "message-time");
  head.append(name, time);
  const text = make("p", "message-text");
  let turn = "";
  const phase = makeButton("badge", "", () => onOpenTurn(turn));
  element.append(head, text, phase);
  return {
    element,
    update: (line: MessageLine): void => {
      const strings = getStrings();
      if (strings === null) return;
      const { message } = line;
      turn = message.turn;
      setText(name, message.viewerName ?? strings.someone);
      setText(time, formatClock(message.atMs));
      time.dateTime = new Date(message.atMs).toISOString();
      setText(text, message.text);
      setText(phase, phaseText(line.phase, strings));
      phase.dataset["phase"] = line.phase;
      phase.title = strings.openTurn;
      phase.disabled = line.phase === "waiting" || line.phase === "past";
    },
  };
}

/** Where a turn stands, in a word. */
export function phaseText(phase: TurnPhase, strings: Strings): string {
  const words: Readonly<Record<TurnPhase, string>> = {
    waiting: strings.phaseWaiting,
    thinking: strings.phaseThinking,
    speaking: strings.phaseSpeaking,
    answered: strings.phaseAnswered,
    fallback: strings.phaseFallback,
    expired: strings.phaseExpired,
    silent: strings.phaseSilent,
    interrupted: strings.phaseInterrupted,
    past: strings.phasePast,
  };
  return words[phase];
}
