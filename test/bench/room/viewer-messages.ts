/** What thousands of viewers of one room write within seconds, drawn from a seed. */
import type { ViewerMessage } from "../../../shared/contract/message.ts";
import { seededRandom } from "../../endpoint/random.ts";

/** Viewers of the room who write. */
const VIEWERS = 3_000;
/** Questions that most viewers ask, and the share of messages that ask them in some spelling of their own. */
const HOT_QUESTIONS = 12;
const HOT_SHARE = 0.25;
const EMOJI_SHARE = 0.12;
const ADVERTISING_SHARE = 0.05;
/** Chance that a viewer goes on writing, and of how many messages then: 3 to 6 at once. */
const BURST_SHARE = 0.03;
const BURST_MESSAGES_MIN = 3;
const BURST_MESSAGES_SPAN = 4;

const EMOJI = ["😂😂😂", "[鼓掌][鼓掌]", "666", "哈哈哈哈", "❤️❤️", "。。。", "🌹", "来了来了", "好看好看好看", "👍"];
const ADVERTISING = [
  "加我微信abc12345领券",
  "加V信 kk88990 有内部价",
  "来我直播间，便宜一半",
  "www.hao123.top 同款九块九",
  "互关互粉",
  "日赚500，私信我",
];
const SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => `${text}？？`,
  (text) => `主播 ${text}`,
  (text) => `${text}啊`,
  (text) => `请问${text}呀`,
  (text) => text.replaceAll(/\d/gu, (digit) => String.fromCodePoint((digit.codePointAt(0) ?? 0) + 0xfee0)),
  (text) => text.replaceAll("多少钱", "多少米"),
  (text) => `${text} ${text}`,
  (text) => `宝宝们 ${text} 🙏`,
];

/** Endless messages; the same seed and name give the same ones. `texts` come from real viewers. */
export function* drawMessages(texts: readonly string[], seed: number, name: string): Generator<ViewerMessage> {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[], fallback: Item): Item =>
    items[Math.floor(random() * items.length)] ?? fallback;
  const drawText = () => {
    const kind = random();
    if (kind < EMOJI_SHARE) return pick(EMOJI, "666");
    if (kind < EMOJI_SHARE + ADVERTISING_SHARE) return pick(ADVERTISING, "互关互粉");
    if (kind > 1 - HOT_SHARE) return pick(SPELLINGS, String)(pick(texts.slice(0, HOT_QUESTIONS), "多少钱"));
    return pick(texts, "多少钱");
  };
  for (let index = 0; ;) {
    const viewer = { id: `viewer-${Math.floor(random() * VIEWERS)}`, level: Math.floor(random() ** 3 * 60) };
    const isBurst = random() < BURST_SHARE;
    const count = isBurst ? BURST_MESSAGES_MIN + Math.floor(random() * BURST_MESSAGES_SPAN) : 1;
    for (let message = 0; message < count; message += 1, index += 1) {
      yield { id: `${name}-${index}`, text: drawText(), viewer };
    }
  }
}
