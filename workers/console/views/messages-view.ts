/** Viewers' messages as they came, each with what became of it. */
import { type PageContext, byId, make, makeButton, setText } from "../dom.ts";
import { formatClock } from "../format.ts";
import { type DroppedItem, type MessageItem, type RoomModel, turnPhase } from "../frame-store.ts";
import { createKeyedList } from "../keyed-list.ts";
import { createPinnedScroller } from "../pinned-scroller.ts";
import { type Strings, wordFor } from "../strings.ts";
import type { TurnPhase } from "../turn-item.ts";
import { countReasons, createFold } from "./fold.ts";

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

  const dropped = createFold<DroppedItem>("dropped", {
    key: ({ key }) => key,
    inputs: (item) => [item, strings],
    create: () => createDroppedRow(() => strings),
  });

  return {
    update: (model: RoomModel, context: PageContext): void => {
      ({ strings } = context);
      dropped.update({
        line: strings.unanswered(model.dropped.count, countReasons(model.dropped, strings.dropReasons)),
        title: strings.unansweredTitle,
        // The fold opens downwards.
        items: model.dropped.latest.toReversed(),
      });
      empty.hidden = model.messages.length > 0;
      list.update(model.messages.map((message) => ({ message, phase: turnPhase(model, message.turn) })));
      scroller.follow();
    },
  };
}

/** Who wrote what, and when: what all lines have. */
function createMessageLine(className: string) {
  const element = make("li", className);
  const head = make("p", "message-head");
  const name = make("span", "message-name");
  const askers = make("span", "message-askers");
  const time = make("time", "message-time");
  head.append(name, askers, time);
  const text = make("p", "message-text");
  element.append(head, text);
  return {
    element,
    show: (said: Pick<MessageItem, "viewerName" | "atMs" | "text" | "askers">, strings: Strings): void => {
      setText(name, said.viewerName ?? strings.someone);
      askers.hidden = said.askers < 2;
      setText(askers, strings.askers(said.askers));
      setText(time, formatClock(said.atMs));
      time.dateTime = new Date(said.atMs).toISOString();
      setText(text, said.text);
    },
  };
}

function createMessageRow(getStrings: () => Strings | null, onOpenTurn: (turn: string) => void) {
  const { element, show } = createMessageLine("message");
  let turn = "";
  const phase = makeButton("badge", "", () => onOpenTurn(turn));
  element.append(phase);
  return {
    element,
    update: (line: MessageLine): void => {
      const strings = getStrings();
      if (strings === null) return;
      ({ turn } = line.message);
      show(line.message, strings);
      setText(phase, phaseText(line.phase, strings));
      phase.dataset["phase"] = line.phase;
      phase.title = strings.openTurn;
      phase.disabled = line.phase === "waiting" || line.phase === "past";
    },
  };
}

function createDroppedRow(getStrings: () => Strings | null) {
  const { element, show } = createMessageLine("message is-dropped");
  const reason = make("span", "badge");
  element.append(reason);
  return {
    element,
    update: (item: DroppedItem): void => {
      const strings = getStrings();
      if (strings === null) return;
      show({ ...item, askers: 1 }, strings);
      setText(reason, wordFor(strings.dropReasons, item.reason));
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
