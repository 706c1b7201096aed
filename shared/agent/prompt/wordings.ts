import type { ViewerMessage } from "../../contract/message.ts";

/** Wordings that the policy sees: a viewer's burst has two or three; the rest ask the same and would only lengthen the prompt. */
const WORDINGS_MAX = 3;

/** The messages that stand for a turn's question: each wording once, in the order in which they came. */
export function wordingsOf(messages: readonly ViewerMessage[]): readonly ViewerMessage[] {
  const byText = new Map<string, ViewerMessage>();
  for (const message of messages) {
    if (byText.size === WORDINGS_MAX) break;
    if (!byText.has(message.text)) byText.set(message.text, message);
  }
  return [...byText.values()];
}
