/**
 * Tokens without a tokenizer, the same for the same text always, and from left to right: what comes later changes nothing
 * before it. Weights are in tenths of a token, so that sums are exact.
 */
import { PrefixHash } from "./prefix-hash.ts";

/**
 * A Chinese character, as any other that is not ASCII: 0.7 tokens. Qwen's tokenizer has many words of two characters;
 * its documents give 1.5 to 1.8 characters a token for prose, and prompts here are full of prices and names.
 */
const WIDE_TENTHS = 7;
/** An ASCII character: 0.3 tokens, for JSON and identifiers; English prose has about 0.25. */
const ASCII_TENTHS = 3;

const SENTENCE_END = /[。！？]/u;

export type TokenBlocks = {
  readonly tokens: number;
  /** One key for each full block, which stands for all text up to its end. */
  readonly keys: readonly number[];
};

/** Counts tokens and cuts full blocks. The salt is in every key, so that texts under different salts share none. */
export function toTokenBlocks(text: string, blockTokens: number, salt: string): TokenBlocks {
  const hash = new PrefixHash();
  for (let at = 0; at < salt.length; at += 1) hash.add(salt.charCodeAt(at));
  const keys: number[] = [];
  let tenths = 0;
  let blockEnd = blockTokens * 10;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    hash.add(unit);
    tenths += unit < 128 ? ASCII_TENTHS : WIDE_TENTHS;
    while (tenths >= blockEnd) {
      keys.push(hash.key);
      blockEnd += blockTokens * 10;
    }
  }
  return { tokens: Math.max(1, Math.floor(tenths / 10)), keys };
}

/** Cuts a text into pieces of one token each; none goes past the end of a sentence. */
export function toTokenPieces(text: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  let tenths = 0;
  for (const char of text) {
    piece += char;
    tenths += char.charCodeAt(0) < 128 ? ASCII_TENTHS : WIDE_TENTHS;
    if (tenths < 10 && !SENTENCE_END.test(char)) continue;
    pieces.push(piece);
    piece = "";
    tenths = Math.max(0, tenths - 10);
  }
  return piece === "" ? pieces : [...pieces, piece];
}
