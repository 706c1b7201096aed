/** The credential and the room of this tab: from the link's fragment, kept until the tab is closed. */

/** Where a tab keeps text until it is closed. */
export interface TabStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export type Session = { readonly token: string | null; readonly room: string | null };

const TOKEN_KEY = "kaibo.token";

/** Three base64url parts: what a credential looks like. It travels in a header and in a subprotocol, so nothing else may. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The credential in a pasted text: itself, or the one in a pasted link. `null` when there is none. */
export function findToken(text: string): string | null {
  const trimmed = text.trim();
  const fragment = trimmed.includes("#") ? trimmed.slice(trimmed.indexOf("#") + 1) : "";
  const candidate = new URLSearchParams(fragment).get("token") ?? trimmed;
  return TOKEN.test(candidate) ? candidate : null;
}

/**
 * Reads a fragment such as `#token=…&room=demo` and keeps its token.
 *
 * @returns The session, and the fragment that may stay in the address bar: the room, never the token.
 */
export function openSession(fragment: string, storage: TabStorage): { session: Session; publicFragment: string } {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  const given = findToken(parameters.get("token") ?? "");
  if (given !== null) keepToken(given, storage);
  const room = parameters.get("room");
  return { session: { token: given ?? storage.getItem(TOKEN_KEY), room }, publicFragment: roomFragment(room) };
}

/** Keeps a token until the tab is closed. */
export function keepToken(token: string, storage: TabStorage): void {
  storage.setItem(TOKEN_KEY, token);
}

/** Forgets the token of this tab. */
export function forgetToken(storage: TabStorage): void {
  storage.removeItem(TOKEN_KEY);
}

/** `#room=demo`, so that a reload comes back to the same room. */
export function roomFragment(room: string | null): string {
  return room === null ? "" : `#${new URLSearchParams({ room }).toString()}`;
}
