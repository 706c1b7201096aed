/** The room's turns, newest first, on one time scale. */
import type { KaiboApi } from "../api.ts";
import { type PageContext, byId, setText } from "../dom.ts";
import { formatMs } from "../format.ts";
import type { RoomModel } from "../frame-store.ts";
import { type KeyedListOptions, createKeyedList } from "../keyed-list.ts";
import { timelineScaleMs, toTimeline } from "../timeline.ts";
import type { TurnItem } from "../turn-item.ts";
import { countReasons, createFold } from "./fold.ts";
import { type RecordState, type TurnLine, createTurnRow } from "./turn-row.ts";

/** Records kept in memory: those that were opened last. */
const RECORDS_KEPT_MAX = 20;
const ABSENT: RecordState = { status: "absent", record: null };

/** How to read a turn's record, and what to do when that fails. */
export type RecordSource = {
  readonly load: (turn: string) => ReturnType<KaiboApi["loadTurn"]>;
  readonly onFailure: (failure: { readonly code: string; readonly title: string }) => void;
  /** The list should be drawn again. */
  readonly onChange: () => void;
};

/** Builds the list. Records are read only when a turn is opened. */
export function createTurnsView(source: RecordSource) {
  const empty = byId("turns-empty", HTMLParagraphElement);
  const scale = byId("turns-scale", HTMLParagraphElement);
  let room = "";
  let records = new Map<string, RecordState>();

  const keep = (turn: string, state: RecordState): void => {
    records.delete(turn);
    records.set(turn, state);
    records = new Map([...records].slice(-RECORDS_KEPT_MAX));
    source.onChange();
  };
  const read = async (turn: string): Promise<void> => {
    if (records.get(turn)?.status === "loading") return;
    keep(turn, { status: "loading", record: null });
    const answer = await source.load(turn);
    const record = answer.ok ? answer.value : null;
    keep(turn, record === null ? { status: "failed", record: null } : { status: "read", record });
    if (!answer.ok) source.onFailure(answer.error);
  };

  const rows: Omit<KeyedListOptions<TurnLine>, "parent"> = {
    key: ({ turn }) => turn.id,
    inputs: ({ turn, recordState, scaleMs, strings, serverNowMs }) => [
      turn,
      recordState,
      scaleMs,
      strings,
      // Only an open turn grows with time.
      turn.end === null ? serverNowMs : 0,
    ],
    create: () => createTurnRow((turn) => void read(turn)),
  };
  const list = createKeyedList<TurnLine>({ ...rows, parent: byId("turns", HTMLOListElement) });
  const expired = createFold<TurnLine>("expired", rows);

  return {
    update: (model: RoomModel, { strings, nowMs }: PageContext): void => {
      if (room !== model.room) records = new Map();
      room = model.room;
      const serverNowMs = nowMs + (model.skewMs ?? 0);
      // An expired turn only waited: its length tells nothing about the others.
      const measured = model.turns.filter((turn) => turn.end?.outcome !== "expired");
      const scaleMs = timelineScaleMs(measured.map((turn) => toTimeline(turn, null, serverNowMs).totalMs));
      const toLines = (turns: readonly TurnItem[]): TurnLine[] =>
        turns
          .map((turn) => ({ turn, recordState: records.get(turn.id) ?? ABSENT, scaleMs, serverNowMs, strings }))
          .toReversed();
      empty.hidden = model.turns.length > 0;
      setText(scale, model.turns.length > 0 ? strings.turnsScale(formatMs(scaleMs)) : "");
      list.update(toLines(model.turns));
      expired.update({
        line: strings.expired(model.expired.count, countReasons(model.expired, strings.turnReasons)),
        title: strings.expiredTitle,
        items: toLines(model.expired.latest),
      });
    },
    /** Opens a turn and moves focus to it. */
    reveal: (turn: string): void => {
      const find = () => document.getElementById(`turn-${turn}`);
      // A turn without a row is one that waited in vain.
      if (find() === null) expired.open();
      const details = find()?.querySelector("details");
      if (!details) return;
      details.open = true;
      details.scrollIntoView({ block: "nearest" });
      details.querySelector("summary")?.focus();
    },
  };
}
