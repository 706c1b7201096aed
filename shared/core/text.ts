/** Rules for text from outside: what may enter a room, a prompt or a page. */

/** Control characters other than tab, line feed and carriage return; they hide text from people and break logs. */
// oxlint-disable-next-line no-control-regex -- finding control characters is its purpose
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/u;

/** Characters that are invisible and used to split words past a filter: zero-width, directional and soft-hyphen marks. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/gu;

/** True when the text has no lone surrogate and no control character other than tab and line ends. */
export function isCleanText(text: string): boolean {
  return text.isWellFormed() && !CONTROL.test(text);
}

/** One spelling for comparing: NFKC, no invisible characters, lower case, no white space. Never shown to people. */
export function normaliseForMatch(text: string): string {
  return text.normalize("NFKC").replace(INVISIBLE, "").toLowerCase().replace(/\s+/gu, "");
}

/** Number of code points: what people count as characters. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** UTF-8 bytes of a text, for limits that are in bytes. */
export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** Neighbouring characters (code points) of a text, two by two. Chinese has no spaces to cut words at; pairs stand in for words. */
export function charPairs(text: string): string[] {
  const chars = [...text];
  return chars.slice(1).map((char, index) => `${chars[index]}${char}`);
}
