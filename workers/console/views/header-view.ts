/** The bar on top: which room, which harness, how the connection stands. */
import { type PageContext, byId, setText } from "../dom.ts";
import { shortVersion } from "../format.ts";
import type { RoomModel } from "../frame-store.ts";
import type { ConnectionState } from "../../../shared/client/room-stream.ts";
import type { Strings } from "../strings.ts";

/** @param onRetry - The reader does not want to wait for the next attempt. */
export function createHeaderView(onRetry: () => void, onOpenRooms: () => void) {
  const button = byId("room-button", HTMLButtonElement);
  const title = byId("room-title", HTMLSpanElement);
  const harness = byId("harness", HTMLParagraphElement);
  const linkState = byId("link-state", HTMLParagraphElement);
  const retry = byId("retry", HTMLButtonElement);
  button.addEventListener("click", onOpenRooms);
  retry.addEventListener("click", onRetry);
  /** When the present wait ends, by this page's clock. */
  let waitEndsMs = 0;
  let shown: ConnectionState | null = null;

  return {
    update: (model: RoomModel, connection: ConnectionState, { strings, nowMs }: PageContext): void => {
      if (connection !== shown) {
        shown = connection;
        waitEndsMs = connection.status === "waiting" ? nowMs + connection.retryInMs : 0;
      }
      for (const element of [button, harness, linkState]) element.hidden = false;
      setText(title, model.config.title);
      button.ariaLabel = `${strings.openRooms}: ${model.config.title}`;
      document.title = `${model.config.title} · Kaibo`;
      setText(harness, `${model.harness.name}@${shortVersion(model.harness.version)}`);
      linkState.dataset["status"] = connection.status;
      const secondsLeft = Math.max(1, Math.ceil((waitEndsMs - nowMs) / 1_000));
      setText(linkState, describeConnection(connection, secondsLeft, strings));
      retry.hidden = connection.status !== "waiting" && connection.status !== "offline";
    },
    /** Without a room, all that is left is the way to choose one. */
    clear: (isSignedIn: boolean, { strings }: PageContext): void => {
      for (const element of [harness, linkState, retry]) element.hidden = true;
      button.hidden = !isSignedIn;
      button.ariaLabel = strings.roomsTitle;
      setText(title, strings.roomsTitle);
      document.title = "Kaibo 开播";
    },
  };
}

function describeConnection(connection: ConnectionState, secondsLeft: number, strings: Strings): string {
  switch (connection.status) {
    case "connecting":
      return strings.connecting;
    case "connected":
      return strings.connected;
    case "waiting":
      return strings.reconnecting(secondsLeft);
    case "offline":
      return strings.offline;
    case "refused":
      return strings.refused;
    case "closed":
      return strings.disconnected;
  }
}
