/** Who is signed in, which room is open, and what the views ask of both. */
import type { ApiFailure } from "../../shared/client/client-error.ts";
import { type KaiboApi, createApi } from "./api.ts";
import { browserPorts } from "./browser-ports.ts";
import { type ConsolePage, createConsolePage } from "./console-page.ts";
import type { Preferences } from "./preferences.ts";
import { createRoomActions } from "./room-actions.ts";
import { type RoomSession, openRoomSession } from "./room-session.ts";
import { forgetToken, keepToken, roomFragment } from "./session.ts";
import { fail } from "../../shared/core/result.ts";
import { createDesk } from "./views/desk.ts";
import { createEndpointsPanel } from "./views/endpoints-panel.ts";
import { createGateView } from "./views/gate-view.ts";
import { type Notice, createNoticesView } from "./views/notices-view.ts";
import { createRoomsDialog } from "./views/rooms-dialog.ts";
import { createVoiceToggle } from "./voice-toggle.ts";

const SIGNED_OUT: ApiFailure = { code: "unauthenticated", status: 401, title: "", retryAfterMs: null };

type Credential = { readonly token: string; readonly api: KaiboApi };

/** The page while it is open. */
export class ConsoleApp {
  #credential: Credential | null = null;
  #session: RoomSession | null = null;
  /** Counts openings, so that the slow answer of an earlier one does not replace a later room. */
  #openings = 0;
  #toldMissed = 0;
  readonly #notices = createNoticesView();
  readonly #page: ConsolePage;
  readonly #actions: ReturnType<typeof createRoomActions>;
  readonly #rooms: ReturnType<typeof createRoomsDialog>;
  readonly #gate: ReturnType<typeof createGateView>;
  readonly #voice: ReturnType<typeof createVoiceToggle>;
  readonly #endpoints: ReturnType<typeof createEndpointsPanel>;
  readonly #desk: ReturnType<typeof createDesk>;

  constructor(preferences: Preferences) {
    this.#page = createConsolePage({ preferences, nowMs: () => Date.now(), draw: () => this.#draw() });
    const { redraw, strings } = this.#page;
    this.#actions = createRoomActions({
      api: () => this.#credential?.api ?? null,
      room: () => this.#session?.model().room ?? null,
      strings,
      showNotice: (notice) => this.#showNotice(notice),
      restoreText: (text) => this.#desk.restoreText(text),
      onUnauthenticated: () => this.signOut(),
      noteWaitingMax: (max) => this.#session?.noteWaitingMax(max),
      onChange: redraw,
    });
    this.#rooms = createRoomsDialog({
      list: async (cursor) => this.#credential?.api.listRooms(cursor) ?? fail(SIGNED_OUT),
      onChoose: (room) => void this.openRoom(room),
      onFailure: (failure) => {
        this.#actions.report(strings().actionLoadRooms, failure, () => void this.#rooms.open(false));
      },
      onSignOut: () => this.signOut(),
      strings,
    });
    this.#gate = createGateView((token) => this.enter(token, null), strings);
    this.#voice = createVoiceToggle(
      () => this.#session?.model().config.locale ?? "zh-CN",
      () => this.#showNotice({ text: strings().voiceNone }),
      redraw,
    );
    this.#endpoints = createEndpointsPanel({
      load: async () => this.#credential?.api.listEndpoints() ?? fail(SIGNED_OUT),
      onChange: redraw,
    });
    this.#desk = createDesk({
      onAsk: this.#actions.ask,
      onRetry: () => this.#session?.retryNow(),
      onOpenRooms: () => void this.#rooms.open(false),
      redraw,
      screen: { isAllowed: this.#actions.mayDirect, show: (product) => void this.#actions.show(product) },
      stop: { isAllowed: this.#actions.mayDirect, stop: this.#actions.stop },
      records: {
        load: async (turn) => {
          const room = this.#session?.model().room;
          return room === undefined || this.#credential === null
            ? fail(SIGNED_OUT)
            : this.#credential.api.loadTurn(room, turn);
        },
        onFailure: (failure) => this.#actions.report(strings().actionLoadTurn, failure),
        onChange: redraw,
      },
    });
  }

  /** The open room, if one is. */
  session(): RoomSession | null {
    return this.#session;
  }

  /** Goes to the question box. */
  focusAsk(): void {
    this.#desk.focusAsk();
  }

  /** Stops the host, where it speaks. */
  stop(): void {
    this.#desk.stop();
  }

  /** Begins with what the address gave: a room, a choice of rooms, or the field for a token. */
  enter(token: string | null, room: string | null): void {
    if (token === null) return this.#gate.show();
    keepToken(token, sessionStorage);
    this.#gate.hide();
    this.#actions.forgetRights();
    this.#credential = {
      token,
      api: createApi({ ...browserPorts, origin: location.origin, token }),
    };
    this.#endpoints.restart();
    if (room === null) void this.#rooms.open(true);
    else void this.openRoom(room);
  }

  /** Reads a room and follows it. The room before it is left only once the new one could be read. */
  async openRoom(room: string): Promise<void> {
    const credential = this.#credential;
    if (credential === null) return;
    const opening = ++this.#openings;
    const answer = await credential.api.loadRoom(room);
    if (opening !== this.#openings || credential !== this.#credential) return;
    if (!answer.ok) {
      this.#actions.report(this.#page.strings().actionLoadRoom, answer.error, () => void this.openRoom(room));
      if (answer.error.code === "room_not_found") void this.#rooms.open(false);
      return;
    }
    this.#leaveRoom();
    history.replaceState(null, "", `${location.pathname}${location.search}${roomFragment(room)}`);
    this.#session = openRoomSession({
      api: credential.api,
      view: answer.value,
      token: credential.token,
      socketOrigin: location.origin.replace(/^http/, "ws"),
      ports: browserPorts,
      clock: { nowMs: () => Date.now() },
      onChange: this.#page.redraw,
      onRefused: (failure) => this.#actions.report(this.#page.strings().actionFollow, failure),
      onSentence: (sentence, ageMs) => this.#voice.offer(sentence, ageMs),
      onInterrupt: (act) => this.#voice.hush(act),
    });
    this.#page.redraw();
  }

  /** Forgets the token and asks for another one. */
  signOut(): void {
    forgetToken(sessionStorage);
    this.#credential = null;
    this.#endpoints.stop();
    this.#leaveRoom();
    this.#gate.show();
    this.#page.redraw();
  }

  #leaveRoom(): void {
    this.#session?.stop();
    this.#session = null;
    this.#toldMissed = 0;
    this.#voice.turnOff();
  }

  #showNotice(notice: Notice): void {
    this.#notices.show(notice, this.#page.strings());
  }

  #draw(): void {
    const context = this.#page.context();
    this.#desk.draw(this.#session, this.#credential !== null, context);
    this.#endpoints.draw(context);
    this.#voice.draw(context.strings, this.#session !== null);
    const missedCount = this.#session?.model().missedCount ?? 0;
    if (missedCount > this.#toldMissed) this.#showNotice({ text: context.strings.missed(missedCount) });
    this.#toldMissed = missedCount;
  }
}
