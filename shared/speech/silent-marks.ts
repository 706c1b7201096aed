/** What people see and never hear: emoji, kaomoji and web addresses. Every quantifier is bounded or cannot backtrack. */

/** `1️⃣`: a digit in a box. Speech reads the digit; alone it says nothing. */
const KEYCAP = /[0-9#*]\ufe0f?\u20e3/gu;
const EMOJI =
  /(?:[\p{Extended_Pictographic}\p{Emoji_Presentation}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d]|\u20e3|[\ufe0e-\ufe0f]|[\u{e0020}-\u{e007f}])+/gu;

/** `(^_^)`, `（｡･ω･｡）`, `(T_T)`: a short bracket of symbols and of the few letters that draw eyes, mouths and arms. */
const BRACKETED_FACE =
  /[(（](?=[^()（）]{0,14}[^\p{L}\p{N}\s()（）])[^\p{L}\p{N}()（）oOTQuUxXvVwmωДεзσ益皿ヮﾟ]{0,14}[)）]/gu;
const LETTERED_FACE =
  /[(（](?=[^()（）]{0,14}[_^*≧≦▽╯°□;｡･•￣>﹏])(?:[^\p{L}\p{N}()（）]|[oOTQuUxXvVwmωДεзσ益皿ヮﾟ]){2,14}[)）]/gu;
/** `^_^`, `T_T`, `>_<`, `:-D`: only where no word or number touches them. */
const BARE_FACE =
  /(?<![\p{L}\p{N}_])(?:[Tt]_+[Tt]|Q[AW]Q|[oO0]_[oO0]|XD|orz)(?![A-Za-z0-9_])|\^[_o.]?\^|>_+<|-_+-|(?<![\p{L}\p{N}/])[:;]-?[)(DPp](?![A-Za-z0-9])/gu;

const URL = /(?:(?:https?|ftp):\/\/|(?<![A-Za-z0-9.])www\.)[\x21-\x7e]+/giu;

/** Removes emoji; a digit in a box stays as the digit. */
export function removeEmoji(text: string): string {
  return text.replace(KEYCAP, (keycap) => keycap.charAt(0).replace(/[#*]/u, "")).replace(EMOJI, "");
}

/** Removes faces drawn in characters: `(^_^)`, `T_T`, `:)`. */
export function removeKaomoji(text: string): string {
  return text.replace(BRACKETED_FACE, "").replace(LETTERED_FACE, "").replace(BARE_FACE, "");
}

/** Removes `https://…` and `www.…` up to the first white space or character outside ASCII. */
export function removeUrls(text: string): string {
  return text.replace(URL, "");
}
