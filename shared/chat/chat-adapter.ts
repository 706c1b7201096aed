/** The shape of an adapter for a chat platform: bytes of the platform in, messages for a room out. */
import type { ViewerMessage } from "../contract/message.ts";

/**
 * Why something that came is no message for the room.
 *
 * Gifts, guards, likes and entries ask nothing: they are counted here, so that nobody takes them for lost.
 */
export type IgnoredReason =
  /** A comment that is one picture of the platform. */
  | "picture"
  /** A comment to another viewer. */
  | "reply"
  /** A comment from another room, without its sender. */
  | "mirror"
  | "empty"
  | "too_long"
  /** Without an id of use, repeats could not be told apart. */
  | "bad_id"
  | "gift"
  | "guard"
  | "like"
  | "enter"
  /** A paid comment was taken back. */
  | "withdrawn"
  /** The stream began or ended. */
  | "live_state"
  | "unknown_command"
  /** Bytes or fields that are not what the platform documents. */
  | "unreadable";

/** What a connection to a platform gives, in the order in which the platform sent it. */
export type ChatEvent =
  | {
      readonly type: "message";
      /** Fits the contract as it is. Its id begins with the platform's name: the room recognises it when it comes again. */
      readonly message: ViewerMessage;
      /** When the platform took it, ms since the epoch, by the platform's clock; `null`: not said. */
      readonly sentAtMs: number | null;
    }
  | { readonly type: "ignored"; readonly reason: IgnoredReason }
  /** The platform accepted the connection: from here on, messages come. */
  | { readonly type: "accepted" }
  /** The platform does not want this connection, nor the next one with the same proof. */
  | { readonly type: "refused"; readonly why: string }
  /** The platform will send nothing more, over this connection or another with the same proof. */
  | { readonly type: "ended"; readonly why: string }
  /** The bytes make no sense any more. Another connection may. */
  | { readonly type: "broken"; readonly why: string };

/** One connection, from its opening to its end. Made anew for each. */
export interface ChatConnection {
  /** What to send as soon as the connection is open. */
  readonly opening: readonly Uint8Array[];
  /** What to send while it is open, first when it was accepted. */
  readonly heartbeat: { readonly bytes: Uint8Array; readonly everyMs: number };
  /** Takes the next bytes. Called again only when the last call has settled; never rejects. */
  take(bytes: Uint8Array): Promise<ChatEvent[]>;
}
