/** A comment as a platform tells it, made to fit the contract. The same for every platform. */
import { viewerMessageSchema } from "../contract/message.ts";
import { countCodePoints, isCleanText } from "../core/text.ts";
import type { ChatEvent } from "./chat-adapter.ts";

export type Comment = {
  /** In front of every id, so that two platforms can serve one room: `bilibili`. */
  readonly platform: string;
  /** As the platform gives it. Empty: none. */
  readonly id: string;
  readonly text: string;
  /** As the platform gives it; an empty id: the platform hides who it was. */
  readonly viewer: { readonly id: string; readonly name: string; readonly level: number };
  /** How long an answer is of use, ms. */
  readonly ttlMs?: number;
  /** Ms since the epoch; `null`: not said. */
  readonly sentAtMs: number | null;
};

const NAME_CHARS_MAX = 40;
const LEVEL_MAX = 100;
const TTL_MS_MIN = 1_000;
const TTL_MS_MAX = 600_000;

/**
 * The message for the room, or why there is none.
 *
 * One message that the contract refuses would have its whole batch refused: what comes out here never is.
 */
export function toMessage(comment: Comment): ChatEvent {
  const text = cleanChatText(comment.text);
  if (text === "") return { type: "ignored", reason: "empty" };
  if (comment.id === "") return { type: "ignored", reason: "bad_id" };
  const { ttlMs } = comment;
  const viewer = toViewer(comment);
  const parsed = viewerMessageSchema.safeParse({
    id: toId(comment.platform, comment.id),
    text,
    ...(viewer !== null && { viewer }),
    ...(ttlMs !== undefined && { ttlMs: clamp(ttlMs, TTL_MS_MIN, TTL_MS_MAX) }),
  });
  if (parsed.success) return { type: "message", message: parsed.data, sentAtMs: comment.sentAtMs };
  const isText = parsed.error.issues.some(({ path }) => path[0] === "text");
  return { type: "ignored", reason: isText ? "too_long" : "bad_id" };
}

/** Without what the contract refuses in a text, and without white space around it. */
export function cleanChatText(text: string): string {
  return [...text].filter(isCleanText).join("").trim();
}

/** A viewer without an id cannot be told from others, so there is no viewer then, whatever the name. */
function toViewer({ platform, viewer: { id, name, level } }: Comment) {
  if (id === "") return null;
  const shown = cutTo(cleanChatText(name), NAME_CHARS_MAX);
  return { id: toId(platform, id), ...(shown !== "" && { name: shown }), level: clamp(level, 0, LEVEL_MAX) };
}

/**
 * The platform's id under the platform's name. Characters that our ids cannot hold are written as `:hex:`, and so is the
 * colon: two ids never become one.
 */
function toId(platform: string, id: string): string {
  const written = id.replace(/[^\w.-]/gu, (char) => `:${(char.codePointAt(0) ?? 0).toString(16)}:`);
  return `${platform}:${written}`;
}

function cutTo(text: string, charsMax: number): string {
  return countCodePoints(text) <= charsMax ? text : [...text].slice(0, charsMax).join("").trim();
}

/** A whole number within the limits; the lower limit for what is no number. */
function clamp(value: number, min: number, max: number): number {
  return Number.isFinite(value) ? Math.min(max, Math.max(min, Math.trunc(value))) : min;
}
