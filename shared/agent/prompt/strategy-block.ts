/** What a turn is shown of the room's strategy: as much of it as still holds. */
import { BoundedCache } from "../../core/bounded-cache.ts";
import { countCodePoints } from "../../core/text.ts";
import type { RoomStrategy } from "../../contract/strategy.ts";
import type { TurnLease } from "../../contract/turn-lease.ts";
import { fitSentences, splitSentences } from "../../speech/whole-sentences.ts";
import { extractNumbers } from "../checks/extract-numbers.ts";
import { evidenceBlock } from "../evidence.ts";
import { withoutPeopleCounts } from "../facts/people-counts.ts";

/** Characters (code points) of a summary in a prompt. A strategist is asked for 200; each costs every turn its prefill. */
const SUMMARY_CHARS_IN_PROMPT_MAX = 300;

/** Words that are true of a price or a stock until the next change of the room. */
const TELLS_PRICE_OR_STOCK =
  /[降涨减调改变]了?价|特价|价格?(?:是|为|有变|更|不变|[高低]|便宜)|[卖抢]\s*[完光空]|售罄|[没有缺断补无现]货|库存(?:不|充|紧|告|有限|没|还|只|够|少|多)|断码|(?:还|只)剩/u;

/** Words that are true of the screen until the next product. */
const TELLS_SCREEN = /正在|屏幕|在[讲卖播]|当前|这[款个件]/u;

type ReadSentence = { readonly text: string; readonly tellsPriceOrStock: boolean; readonly tellsScreen: boolean };

/** A strategy stands for a minute, and each turn of its room asks; an isolate serves some rooms at a time. */
const TEXTS_MAX = 128;
const sentencesOfTexts = new BoundedCache<string, readonly ReadSentence[]>(TEXTS_MAX);

type Now = Pick<TurnLease, "stateSeq" | "snapshot">;

/**
 * Evidence of source `strategy`, or empty. A summary outlives what it tells: once the room shows or sells something
 * else, its sentences on prices and stock are left out, and with another product on screen the advice goes too.
 */
export function strategyBlock(strategy: RoomStrategy | null | undefined, now: Now): string {
  if (strategy === null || strategy === undefined) return "";
  const isSameScreen = strategy.onScreenProductId === now.snapshot.onScreenProductId;
  const isSameState = now.stateSeq <= strategy.basedOnSeq;
  const whatHolds = (text: string) =>
    readSentences(text)
      .filter((said) => (isSameState || !said.tellsPriceOrStock) && (isSameScreen || !said.tellsScreen))
      .map((said) => said.text)
      .join("");
  const summary = fit(whatHolds(strategy.summary));
  const advice = isSameScreen ? whatHolds(strategy.advice) : "";
  if (summary === "" && advice === "") return "";
  return evidenceBlock("strategy", [{ ...(summary !== "" && { summary }), ...(advice !== "" && { advice }) }]);
}

function readSentences(text: string): readonly ReadSentence[] {
  const known = sentencesOfTexts.get(text);
  if (known !== undefined) return known;
  const sentences = splitSentences(text).map((sentence) => ({
    text: sentence,
    tellsPriceOrStock: tellsPriceOrStock(sentence),
    tellsScreen: TELLS_SCREEN.test(sentence),
  }));
  sentencesOfTexts.set(text, sentences);
  return sentences;
}

function fit(summary: string): string {
  return countCodePoints(summary) <= SUMMARY_CHARS_IN_PROMPT_MAX
    ? summary
    : fitSentences(summary, SUMMARY_CHARS_IN_PROMPT_MAX);
}

function tellsPriceOrStock(sentence: string): boolean {
  if (TELLS_PRICE_OR_STOCK.test(sentence)) return true;
  const numbers = extractNumbers(withoutPeopleCounts(sentence));
  return numbers.some(({ kind, isStock }) => kind === "price" || kind === "discount" || isStock);
}
