/** The subtitles: what the room hears, the latest sentence largest. */
import { type PageContext, byId, make, setText } from "../dom.ts";
import { type HeardItem, type RoomModel, floorState } from "../frame-store.ts";
import { createKeyedList } from "../keyed-list.ts";
import { createPinnedScroller } from "../pinned-scroller.ts";
import type { Strings } from "../strings.ts";

/** Lines on the stage. Older ones are in the turns. */
const LINES_SHOWN = 12;

/** A line, with the question above it where an answer begins. */
type StageLine = { readonly item: HeardItem; readonly caption: string | null; readonly isLatest: boolean };

/** Builds the stage. Screen readers hear lines only once the history is in, or opening a room would read it all out. */
export function createStageView() {
  const list = byId("subtitles", HTMLOListElement);
  const empty = byId("stage-empty", HTMLParagraphElement);
  const scroller = createPinnedScroller(byId("subtitles-scroller", HTMLDivElement), () => {});
  const tally = byId("tally", HTMLHeadingElement);
  const tallyText = byId("tally-text", HTMLSpanElement);
  let strings: Strings | null = null;

  const lines = createKeyedList<StageLine>({
    parent: list,
    key: ({ item }) => item.key,
    inputs: ({ item, caption, isLatest }) => [item, caption, isLatest, strings],
    create: () => {
      const element = make("li", "line");
      const caption = make("p", "line-caption");
      const tag = make("span", "line-tag");
      const text = make("span", "line-text");
      const body = make("p", "line-body");
      body.append(tag, text);
      element.append(caption, body);
      return {
        element,
        update: (line) => {
          element.classList.toggle("is-latest", line.isLatest);
          element.dataset["kind"] = line.item.kind;
          caption.hidden = line.caption === null;
          setText(caption, line.caption ?? "");
          const tagText = strings === null ? "" : lineTag(line.item, strings);
          tag.hidden = tagText === "";
          setText(tag, tagText);
          setText(text, line.item.text);
        },
      };
    },
  });

  return {
    update: (model: RoomModel, context: PageContext): void => {
      strings = context.strings;
      list.setAttribute("aria-live", model.lastSeq >= model.historySeq ? "polite" : "off");
      list.lang = model.config.locale;
      const shown = model.heard.slice(-LINES_SHOWN);
      empty.hidden = shown.length > 0;
      lines.update(
        shown.map((item, index) => ({
          item,
          caption: item.turn === shown[index - 1]?.turn ? null : toCaption(model, item, context.strings),
          isLatest: index === shown.length - 1,
        })),
      );
      const state = floorState(model, context.nowMs + (model.skewMs ?? 0));
      tally.dataset["state"] = state;
      const words = { "on-air": strings.onAir, thinking: strings.thinking, standby: strings.standby };
      setText(tallyText, words[state]);
      scroller.follow();
    },
  };
}

function toCaption(model: RoomModel, item: HeardItem, strings: Strings): string | null {
  const turn = model.turns.find(({ id }) => id === item.turn);
  if (turn === undefined || turn.question === null) return null;
  return strings.answering(turn.askedBy ?? strings.someone, turn.question, turn.askers);
}

function lineTag(item: HeardItem, strings: Strings): string {
  switch (item.kind) {
    case "answer":
      return "";
    case "filler":
      return strings.kindFiller;
    case "fallback":
      return strings.kindFallback;
    case "host-speech":
      return strings.kindSpeech(item.speaker ?? "host");
  }
}
