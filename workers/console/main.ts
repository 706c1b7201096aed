/** Wires the page together. */
import { type KaiboApi, createApi } from "./api.ts";
import { browserTimer, openBrowserSocket } from "./browser-ports.ts";
import { bindKeys, bindNetwork, createConsolePage } from "./console-page.ts";
import { createPreferences } from "./preferences.ts";
import { createRoomActions } from "./room-actions.ts";
import { type RoomSession, openRoomSession } from "./room-session.ts";
import { forgetToken, openSession, roomFragment } from "./session.ts";
import { createDesk } from "./views/desk.ts";
import { createGateView } from "./views/gate-view.ts";
import { type Notice, createNoticesView } from "./views/notices-view.ts";
import { createRoomsDialog } from "./views/rooms-dialog.ts";
import { createVoiceToggle } from "./voice-toggle.ts";

const clock = { nowMs: () => Date.now() };
let credential: { readonly token: string; readonly api: KaiboApi } | null = null;
let session: RoomSession | null = null;

const page = createConsolePage({
  preferences: createPreferences(localStorage, navigator.languages),
  nowMs: clock.nowMs,
  draw: (context) => {
    desk.draw(session, context);
    voice.draw(context.strings, session !== null);
  },
});
const { strings, redraw } = page;
const notices = createNoticesView();
const showNotice = (notice: Notice): void => notices.show(notice, strings());
const actions = createRoomActions({
  api: () => credential?.api ?? null,
  room: () => session?.model().room ?? null,
  strings,
  showNotice,
  restoreText: (text) => desk.restoreText(text),
  onUnauthenticated: () => signOut(),
  onChange: redraw,
});
const voice = createVoiceToggle(
  () => session?.model().config.locale ?? "zh-CN",
  () => showNotice({ text: strings().voiceNone }),
  redraw,
);
const rooms = createRoomsDialog({
  list: async (cursor) => (credential === null ? NO_TOKEN : credential.api.listRooms(cursor)),
  onChoose: (room) => void openRoom(room),
  onFailure: (failure) => actions.report(strings().actionLoadRooms, failure, () => void rooms.open(false)),
  onSignOut: () => signOut(),
  getContext: page.context,
});
const NO_TOKEN = { ok: false, error: { code: "unauthenticated", status: 401, title: "" } } as const;
const desk = createDesk({
  onAsk: actions.ask,
  onRetry: () => session?.retryNow(),
  onOpenRooms: () => void rooms.open(false),
  redraw,
  screen: { isAllowed: actions.mayChangeScreen, show: (product) => void actions.show(product) },
  records: {
    load: async (turn) =>
      credential === null || session === null ? NO_TOKEN : credential.api.loadTurn(session.model().room, turn),
    onFailure: (failure) => actions.report(strings().actionLoadTurn, failure),
    onChange: redraw,
  },
});
