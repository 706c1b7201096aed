/** The dialog in which one chooses a room. */
import type { ApiFailure } from "../../../shared/client/client-error.ts";
import type { KaiboApi, RoomPage } from "../api.ts";
import { byId, make, makeButton, setText } from "../dom.ts";
import type { Strings } from "../strings.ts";

type RoomSummary = RoomPage["rooms"][number];

/** Rooms in the list. Whoever has more knows the room's name and its link. */
const ROOMS_SHOWN_MAX = 500;

export type RoomsDialogOptions = {
  readonly list: KaiboApi["listRooms"];
  readonly onChoose: (room: string) => void;
  readonly onFailure: (failure: ApiFailure) => void;
  readonly onSignOut: () => void;
  readonly strings: () => Strings;
};

/** Builds the dialog, closed. */
export function createRoomsDialog(options: RoomsDialogOptions) {
  const dialog = byId("rooms", HTMLDialogElement);
  const list = byId("room-list", HTMLUListElement);
  const empty = byId("rooms-empty", HTMLParagraphElement);
  const more = byId("rooms-more", HTMLButtonElement);
  let cursor: string | null = null;
  let count = 0;

  const choose = (room: string): void => {
    dialog.close();
    options.onChoose(room);
  };
  /** @returns The rooms of the next page. */
  const readPage = async (): Promise<readonly RoomSummary[]> => {
    const strings = options.strings();
    more.hidden = true;
    if (count === 0) setText(empty, strings.loading);
    const answer = await options.list(cursor);
    setText(empty, "");
    if (!answer.ok) {
      options.onFailure(answer.error);
      return [];
    }
    const { rooms, nextCursor } = answer.value;
    cursor = nextCursor;
    count += rooms.length;
    list.append(...rooms.map((room) => makeRoomRow(room, strings, choose)));
    more.hidden = nextCursor === null || count >= ROOMS_SHOWN_MAX;
    if (count === 0) setText(empty, strings.roomsNone);
    return rooms;
  };

  byId("rooms-close", HTMLButtonElement).addEventListener("click", () => dialog.close());
  byId("sign-out", HTMLButtonElement).addEventListener("click", () => {
    dialog.close();
    options.onSignOut();
  });
  more.addEventListener("click", () => void readPage());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });

  return {
    /** Shows the list. With `chooseOnly`, a single room is opened without asking. */
    open: async (chooseOnly: boolean): Promise<void> => {
      cursor = null;
      count = 0;
      list.replaceChildren();
      if (!chooseOnly) dialog.showModal();
      const rooms = await readPage();
      const [only] = rooms;
      if (chooseOnly && rooms.length === 1 && only !== undefined) choose(only.id);
      else if (!dialog.open) dialog.showModal();
      list.querySelector("button")?.focus();
    },
  };
}

function makeRoomRow(room: RoomSummary, strings: Strings, choose: (room: string) => void): HTMLLIElement {
  const row = make("li");
  const button = makeButton("room-row", "", () => choose(room.id));
  const { name, channel } = room.harness;
  // A room without a channel is pinned to one version.
  const harness = channel === null ? name : `${name}:${channel}`;
  const facts = [room.id, harness, strings.roomUpdated(new Date(room.updatedAtMs).toLocaleString())];
  button.append(make("strong", "", room.title), make("span", "hint", facts.join(" · ")));
  row.append(button);
  return row;
}
