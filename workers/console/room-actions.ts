/** What a reader can do to a room, with the failure put into words and a way to try again. */
import type { ApiFailure } from "../../shared/client/client-error.ts";
import type { Result } from "../../shared/core/result.ts";
import type { KaiboApi } from "./api.ts";
import { randomId } from "./browser-ports.ts";
import { type Strings, describeFailure, wordFor } from "./strings.ts";
import type { AskRole } from "./views/ask-view.ts";
import type { Notice } from "./views/notices-view.ts";

/** What actions need of the page. */
export type ActionPlace = {
  readonly api: () => KaiboApi | null;
  /** The open room's id. */
  readonly room: () => string | null;
  readonly strings: () => Strings;
  readonly showNotice: (notice: Notice) => void;
  /** A text that could not be sent goes back to where it was typed. */
  readonly restoreText: (text: string) => void;
  /** The token is not good: it must be asked for again. */
  readonly onUnauthenticated: () => void;
  /** Turns that may wait, as the room answered. */
  readonly noteWaitingMax: (max: number) => void;
  readonly onChange: () => void;
};

const TOKEN_CODES: ReadonlySet<string> = new Set(["unauthenticated", "token_expired"]);

type DirectCall = (api: KaiboApi, room: string) => Promise<Result<unknown, ApiFailure>>;

/** Builds the actions. Each reports its own failure; none throws. */
export function createRoomActions(place: ActionPlace) {
  /** One viewer for as long as the page is open, so that the room can tell its questions belong together. */
  const viewerId = `console-${randomId()}`;
  const viewerNumber = 100 + (Number.parseInt(viewerId.slice(-4), 16) % 900);
  /** Changing the screen and stopping the host need the same right. */
  let mayDirect = true;

  const report = (what: string, failure: Pick<ApiFailure, "code" | "title">, retry?: () => void): void => {
    const strings = place.strings();
    const text = describeFailure(strings, what, failure);
    place.showNotice(retry === undefined ? { text } : { text, action: { text: strings.tryAgain, run: retry } });
    if (TOKEN_CODES.has(failure.code)) place.onUnauthenticated();
  };

  const sendMessage = async (text: string, id: string): Promise<void> => {
    const [api, room] = [place.api(), place.room()];
    if (api === null || room === null) return;
    const viewer = { id: viewerId, name: place.strings().viewerName(viewerNumber) };
    const answer = await api.sendMessage(room, { id, text, viewer });
    if (answer.ok) {
      const { results, backlog } = answer.value;
      place.noteWaitingMax(backlog.max);
      const reason = results[0]?.reason ?? null;
      const { dropped, dropReasons } = place.strings();
      if (reason !== null) place.showNotice({ text: dropped(wordFor(dropReasons, reason)) });
      return;
    }
    // The same id: if the first one did arrive, the room answers that it has it.
    report(place.strings().actionSend, answer.error, () => void sendMessage(text, id));
    if (answer.error.code === "invalid_request") place.restoreText(text);
  };
  const sayAsHost = async (text: string): Promise<void> => {
    const [api, room] = [place.api(), place.room()];
    if (api === null || room === null) return;
    const answer = await api.sayAsHost(room, text, "host");
    if (answer.ok) return;
    report(place.strings().actionSpeech, answer.error);
    place.restoreText(text);
  };
  const direct = async (what: string, call: DirectCall): Promise<void> => {
    const [api, room] = [place.api(), place.room()];
    if (api === null || room === null) return;
    const answer = await call(api, room);
    if (!answer.ok) {
      if (answer.error.status === 403) mayDirect = false;
      // The one call here that names no turn: the room has none that could be stopped.
      const isIdle = answer.error.code === "turn_not_found";
      report(what, isIdle ? { ...answer.error, code: "nothing_spoken" } : answer.error);
    }
    place.onChange();
  };

  return {
    report,
    ask: (role: AskRole, text: string): void => {
      void (role === "host" ? sayAsHost(text) : sendMessage(text, `console:${randomId()}`));
    },
    mayDirect: () => mayDirect,
    show: (productId: string | null): Promise<void> =>
      direct(place.strings().actionScreen, (api, room) => api.changeState(room, { onScreenProductId: productId })),
    stop: (): Promise<void> => direct(place.strings().actionStop, (api, room) => api.interrupt(room)),
    /** A new token may have other rights. */
    forgetRights: (): void => {
      mayDirect = true;
    },
  };
}
