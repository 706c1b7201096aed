const THINK_OPEN = "<think>";
const THINK_CLOSE = "</think>";
const TOOL_CALL_OPEN = "<tool_call>";
const TOOL_CALL_CLOSE = "</tool_call>";

const TAGS = [THINK_OPEN, THINK_CLOSE, TOOL_CALL_OPEN, TOOL_CALL_CLOSE] as const;
type Tag = (typeof TAGS)[number];

const TAG_CHARS_MAX = TOOL_CALL_CLOSE.length;

/** Characters of leaked tool calls that are kept for the record. What is beyond is dropped like the rest of the leak. */
export const LEAKED_CHARS_MAX = 16_384;

/**
 * Keeps thoughts and tool calls that leaked into the content away from speech: `<think>…</think>`,
 * `<tool_call>…</tool_call>`, and each of the four tags alone. Same text out for the same text in, however it is cut.
 *
 * Holds back only what may become a tag (at most 11 characters), and half of a surrogate pair. Text with `<` that
 * starts no tag (`价格<100`) passes at once.
 *
 * A `</think>` without its `<think>` ends thoughts only if the filter was told that the stream starts inside them
 * (a chat template that ends the prompt in `<think>`, and an engine without a reasoning parser). Else the tag alone
 * is removed: what came before has been spoken already, and must not depend on how the text was cut.
 * A block that never closes is hidden to the end.
 */
export class ThinkFilter {
  /** The tag that ends the hidden block we are in; `null` in text. */
  #closeTag: Tag | null;
  /** What may be the start of a tag, or half a character. */
  #held = "";
  /** Inside `<tool_call>`: its text so far. */
  #leak = "";
  #leakedChars = 0;
  readonly #leakedToolCalls: string[] = [];

  constructor(options: { readonly startsInsideThinking?: boolean } = {}) {
    this.#closeTag = options.startsInsideThinking === true ? THINK_CLOSE : null;
  }

  /** Inner text of each `<tool_call>` block that was removed. For the record only: never execute it. */
  get leakedToolCalls(): readonly string[] {
    return this.#leakedToolCalls;
  }

  /** The speakable text that `delta` makes certain; may be empty. */
  push(delta: string): string {
    if (this.#closeTag === null && this.#held === "" && !delta.includes("<") && !endsInHalfPair(delta)) return delta;
    const text = this.#held + delta;
    this.#held = "";
    let output = "";
    let at = 0;
    while (at < text.length) {
      if (this.#closeTag !== null) {
        at = this.#passHidden(text, at, this.#closeTag);
        continue;
      }
      const angle = text.indexOf("<", at);
      if (angle === -1) {
        output += text.slice(at);
        break;
      }
      output += text.slice(at, angle);
      const tag = TAGS.find((known) => text.startsWith(known, angle));
      if (tag !== undefined) {
        this.#enter(tag);
        at = angle + tag.length;
      } else if (mayBecomeTag(text, angle)) {
        this.#held = text.slice(angle);
        break;
      } else {
        output += "<";
        at = angle + 1;
      }
    }
    return this.#holdHalfPair(output);
  }

  /** Ends the text: a held start of a tag that never became one is text after all. Call it once, last. */
  flush(): string {
    const held = this.#held;
    this.#held = "";
    if (this.#closeTag === null) return endsInHalfPair(held) ? "" : held;
    if (this.#closeTag === TOOL_CALL_CLOSE) this.#closeLeak(held);
    return "";
  }

  #enter(tag: Tag): void {
    if (tag === THINK_OPEN) this.#closeTag = THINK_CLOSE;
    if (tag === TOOL_CALL_OPEN) this.#closeTag = TOOL_CALL_CLOSE;
  }

  /** Moves over hidden text from `at`. Returns where text may go on: after the closing tag, or at the end. */
  #passHidden(text: string, at: number, closeTag: Tag): number {
    const close = text.indexOf(closeTag, at);
    if (close !== -1) {
      if (closeTag === TOOL_CALL_CLOSE) this.#closeLeak(text.slice(at, close));
      this.#closeTag = null;
      return close + closeTag.length;
    }
    const angle = text.lastIndexOf("<");
    const isPartial = angle >= at && text.length - angle < closeTag.length && closeTag.startsWith(text.slice(angle));
    if (isPartial) this.#held = text.slice(angle);
    if (closeTag === TOOL_CALL_CLOSE) this.#keepLeak(isPartial ? text.slice(at, angle) : text.slice(at));
    return text.length;
  }

  #keepLeak(text: string): void {
    const kept = text.slice(0, LEAKED_CHARS_MAX - this.#leakedChars);
    this.#leakedChars += kept.length;
    this.#leak += kept;
  }

  #closeLeak(text: string): void {
    this.#keepLeak(text);
    const leak = this.#leak.trim();
    if (leak !== "") this.#leakedToolCalls.push(leak);
    this.#leak = "";
  }

  /** Keeps back half of an emoji: alone it would be broken by the next hop's UTF-8. */
  #holdHalfPair(output: string): string {
    if (this.#held !== "" || !endsInHalfPair(output)) return output;
    this.#held = output.slice(-1);
    return output.slice(0, -1);
  }
}

function mayBecomeTag(text: string, angle: number): boolean {
  if (text.length - angle >= TAG_CHARS_MAX) return false;
  const start = text.slice(angle);
  return TAGS.some((tag) => tag.startsWith(start));
}

function endsInHalfPair(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
