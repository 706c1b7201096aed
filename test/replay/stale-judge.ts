/**
 * Whether what was said was true, judged by the script's own numbers and not by the product's guard.
 *
 * Prices and stocks of the script are telling: a number that a product had once and has no more is a stale claim, whatever
 * the words around it are. What has no number, that something is there or gone, is judged by words: it is untrue where no
 * specification that it may be about makes it true.
 */
import type { Product, RoomConfig } from "../../shared/contract/room-config.ts";
import type { RoomFrame } from "../../shared/contract/room-frame.ts";
import type { RoomPatch } from "../../shared/contract/room-state.ts";
import type { VoicedSentence } from "./replay-voice.ts";
import { amountsOf, numbersIn } from "./telling-numbers.ts";

export type StaleKind = "price" | "stock" | "on-screen";

export type StaleSentence = {
  readonly kind: StaleKind;
  readonly atMs: number;
  readonly turn: string;
  readonly seq: number;
  readonly text: string;
  readonly claim: string;
};

type SentenceFrame = Extract<RoomFrame, { type: "sentence" }>;

export type Judgement = {
  /** Sentences of answers that were judged. */
  readonly sentences: number;
  readonly stale: readonly StaleSentence[];
  /** Sentences that say 这款 after another product has come on screen. No claim by themselves, but a listener may mistake them. */
  readonly pointsAway: number;
};

/** Each sentence at the moment when the room said it. */
export function judgeSaid(config: RoomConfig, frames: readonly RoomFrame[]): Judgement {
  const judge = new Judge(config);
  for (const frame of frames) judge.see(frame, frame.atMs);
  return judge;
}

/** Each sentence at the moment when the voice began to speak it, which is up to a second later. */
export function judgeVoiced(
  config: RoomConfig,
  frames: readonly RoomFrame[],
  voiced: readonly VoicedSentence[],
): Judgement {
  const judge = new Judge(config);
  const began = new Map(voiced.map(({ frameSeq, beganAtMs }) => [frameSeq, beganAtMs]));
  const timed = frames.flatMap((frame) => {
    const atMs = frame.type === "sentence" ? began.get(frame.seq) : frame.atMs;
    return atMs === undefined ? [] : [{ frame, atMs }];
  });
  for (const { frame, atMs } of timed.toSorted((a, b) => a.atMs - b.atMs)) judge.see(frame, atMs);
  return judge;
}

class Judge implements Judgement {
  readonly #truth: Truth;
  readonly #products: readonly Product[];
  /** Products that were on screen since a turn's attempt began, the first one first. */
  readonly #screens = new Map<string, (string | null)[]>();
  /** Product that a turn spoke of last, by name. */
  readonly #subjects = new Map<string, Product>();
  /** Products that a turn's viewers asked about: by name or link, or else what was on screen then. */
  readonly #asked = new Map<string, Product[]>();
  sentences = 0;
  pointsAway = 0;
  readonly stale: StaleSentence[] = [];

  constructor(config: RoomConfig) {
    this.#truth = new Truth(config);
    this.#products = config.products;
  }

  see(frame: RoomFrame, atMs: number): void {
    if (frame.type === "state") this.#change(frame.patch);
    if (frame.type === "message") this.#ask(frame.turn, frame.message.text.normalize("NFKC"));
    if (frame.type === "turn-start") this.#screens.set(frame.turn, [this.#truth.onScreenProductId]);
    if (frame.type === "sentence" && frame.sentence.kind === "answer") this.#judge(frame, atMs);
  }

  #change(patch: RoomPatch): void {
    this.#truth.apply(patch);
    for (const screens of this.#screens.values()) screens.push(this.#truth.onScreenProductId);
  }

  #ask(turn: string, text: string): void {
    const links = [...text.matchAll(/(\d+)[号號]/gu)].map((match) => Number(match[1]));
    const named = longestNamed(text, this.#products);
    const asked = this.#products.filter((product) => product === named || links.includes(product.link));
    const shown = this.#products.filter(({ id }) => id === this.#truth.onScreenProductId);
    this.#asked.set(turn, [...(this.#asked.get(turn) ?? []), ...(asked.length > 0 ? asked : shown)]);
  }

  #judge(frame: SentenceFrame, atMs: number): void {
    const { turn, sentence } = frame;
    const text = sentence.text.normalize("NFKC");
    this.sentences += 1;
    const named = longestNamed(text, this.#products);
    if (named !== null) this.#subjects.set(turn, named);
    else if (POINTS_AT_SCREEN.test(text)) this.#subjects.delete(turn);
    const claims = [...this.#truth.staleNumbers(text), ...this.#untrueWords(turn, text), ...this.#untrueScreen(text)];
    const [first] = claims;
    if (first !== undefined) this.stale.push({ ...first, atMs, turn, seq: sentence.seq, text: sentence.text });
    const [before] = this.#screens.get(turn) ?? [];
    const hasLeft = before !== undefined && before !== this.#truth.onScreenProductId;
    if (hasLeft && named === null && POINTS_AT_SCREEN.test(text)) this.pointsAway += 1;
  }

  /** 没货 where something is there, 有货 where nothing is; of each clause the specifications that it names. */
  #untrueWords(turn: string, text: string): Claim[] {
    const subject = this.#subjects.get(turn);
    const screens = this.#products.filter(({ id }) => this.#screens.get(turn)?.includes(id));
    const others = [...(this.#asked.get(turn) ?? []), ...screens];
    const candidates = subject === undefined ? others : [subject];
    return text.split(/[,，。;；!！?？]/u).flatMap((clause) => {
      const isGone = /没货|售罄|卖完|缺货/u.test(clause);
      const isThere = !isGone && /有货|现货/u.test(clause);
      if (!isGone && !isThere) return [];
      // Of a turn with several questions, the product whose specification the clause names.
      const naming = [candidates, others].map((products) => products.filter((product) => namesSpecOf(clause, product)));
      const about = naming.find((products) => products.length > 0) ?? candidates;
      const isTrue = about.length === 0 || about.some((product) => this.#truth.holds(product, clause, isThere));
      return isTrue ? [] : [{ kind: "stock" as const, claim: clause }];
    });
  }

  #untrueScreen(text: string): Claim[] {
    const link = /(?:现在|正在|当前)(?:讲|介绍|展示)的是(\d+)号/u.exec(text)?.[1];
    const shown = this.#products.find(({ id }) => id === this.#truth.onScreenProductId);
    return link === undefined || Number(link) === shown?.link ? [] : [{ kind: "on-screen", claim: `${link}号` }];
  }
}

type Claim = { readonly kind: StaleKind; readonly claim: string };

/** What the room shows and sells at one moment, and all numbers that it ever told. */
class Truth {
  readonly #coupons: RoomConfig["coupons"];
  readonly #prices = new Map<string, number>();
  readonly #stocks: Map<string, number>;
  readonly #told = { price: new Set<number>(), stock: new Set<number>() };
  onScreenProductId: string | null = null;

  constructor({ coupons, products }: RoomConfig) {
    this.#coupons = coupons;
    this.#stocks = new Map(products.flatMap(({ skus }) => skus.map(({ id, stock }) => [id, stock])));
  }

  apply({ onScreenProductId, skus = [] }: RoomPatch): void {
    if (onScreenProductId !== undefined) this.onScreenProductId = onScreenProductId;
    for (const { skuId, priceCents, stock } of skus) {
      if (priceCents !== undefined) this.#prices.set(skuId, priceCents);
      if (stock !== undefined) this.#stocks.set(skuId, stock);
    }
    for (const amount of this.#amounts()) this.#told.price.add(amount);
    for (const stock of this.#stocks.values()) this.#told.stock.add(stock);
  }

  staleNumbers(text: string): Claim[] {
    const [amounts, stocks] = [this.#amounts(), new Set(this.#stocks.values())];
    return numbersIn(text).flatMap((number): Claim[] => {
      if (this.#told.price.has(number) && !amounts.has(number)) return [{ kind: "price", claim: String(number) }];
      const isOldStock = number >= TELLING_STOCK_MIN && this.#told.stock.has(number) && !stocks.has(number);
      return isOldStock && !amounts.has(number) ? [{ kind: "stock", claim: String(number) }] : [];
    });
  }

  /** Whether any specification that the clause may be about is there, or gone. */
  holds({ skus }: Product, clause: string, isThere: boolean): boolean {
    const counts = skus.map(({ specs }) => specs.filter((spec) => names(clause, spec)).length);
    const most = Math.max(...counts);
    return skus.some(({ id }, index) => counts[index] === most && (this.#stocks.get(id) ?? 0) > 0 === isThere);
  }

  #amounts(): Set<number> {
    const prices = new Set(this.#prices.values());
    return new Set([...prices].flatMap((priceCents) => amountsOf(priceCents, this.#coupons)));
  }
}

const POINTS_AT_SCREEN = /这款|这个|这件/u;

/** Smaller stocks are the configuration's, and no telling numbers: 100 pieces of one and 100 cm of another. */
const TELLING_STOCK_MIN = 101;

function names(clause: string, spec: string): boolean {
  return clause.includes(spec.normalize("NFKC"));
}

function namesSpecOf(clause: string, { skus }: Product): boolean {
  return skus.some(({ specs }) => specs.some((spec) => names(clause, spec)));
}

function longestNamed(text: string, products: readonly Product[]): Product | null {
  let longest: { readonly product: Product; readonly chars: number } | null = null;
  for (const product of products) {
    for (const name of [product.name, ...product.aliases]) {
      const isNamed = name.length >= 2 && text.includes(name.normalize("NFKC"));
      if (isNamed && name.length > (longest?.chars ?? 0)) longest = { product, chars: name.length };
    }
  }
  return longest?.product ?? null;
}
