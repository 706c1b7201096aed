/**
 * One hour of a busy room, drawn from a seed: viewers in bursts, spam and floods, products that come and go, prices and
 * stock that change while answers are made, people who speak, an operator who cuts in.
 */
import type { HostSpeech, ViewerMessage } from "../../shared/contract/message.ts";
import type { Product, RoomConfig } from "../../shared/contract/room-config.ts";
import type { RoomPatch } from "../../shared/contract/room-state.ts";
import { seededRandom } from "../endpoint/random.ts";
import { TellingNumbers } from "./telling-numbers.ts";
import { ADVERTISING, CO_HOST_LINES, EMOJI, LINK_QUESTIONS, SCREEN_QUESTIONS, SPELLINGS } from "./viewer-wordings.ts";

export type MessageKind = "question" | "hot" | "burst" | "flood" | "emoji" | "advertising" | "resent";
export type PatchKind = "opening" | "switch" | "price" | "stock" | "sold-out" | "back";

export type ScriptEvent =
  | { readonly atMs: number; readonly type: "message"; readonly kind: MessageKind; readonly message: ViewerMessage }
  | { readonly atMs: number; readonly type: "patch"; readonly kind: PatchKind; readonly patch: RoomPatch }
  | { readonly atMs: number; readonly type: "speech"; readonly speech: HostSpeech }
  | { readonly atMs: number; readonly type: "interrupt"; readonly reason: string };

/** How busy the room is. Counts are by the hour. */
export type ScriptFigures = {
  /** Of all kinds together, about. */
  readonly messages: number;
  readonly viewers: number;
  /** Shares of the messages outside bursts and floods; the rest are questions of the sample's viewers. */
  readonly hotShare: number;
  readonly emojiShare: number;
  readonly advertisingShare: number;
  /** Share of messages that come a second time with the same id, a moment later. */
  readonly resentShare: number;
  /** Share of messages with a `ttlMs` of their own, 5 to 60 s. */
  readonly ownTtlShare: number;
  /** Messages after a product switch or a price change, within {@link BURST_MS}. */
  readonly burstMessages: number;
  /** Single viewers who write {@link FLOOD_MIN} messages or more within {@link FLOOD_MS}. */
  readonly floods: number;
  readonly switches: number;
  readonly prices: number;
  readonly stocks: number;
  readonly soldOuts: number;
  /** Times that a person begins to speak, for one to four segments. */
  readonly speeches: number;
  readonly interrupts: number;
};

const SCRIPT_FIGURES: ScriptFigures = {
  messages: 4_000,
  viewers: 1_500,
  hotShare: 0.3,
  emojiShare: 0.15,
  advertisingShare: 0.04,
  resentShare: 0.01,
  ownTtlShare: 0.05,
  burstMessages: 25,
  floods: 20,
  switches: 15,
  prices: 24,
  stocks: 60,
  soldOuts: 12,
  speeches: 30,
  interrupts: 6,
};

const HOUR_MS = 3_600_000;
/** Clients post what came within so many ms together. */
const BATCH_MS = 100;
const BURST_MS = 15_000;
const FLOOD_MIN = 10;
const FLOOD_SPAN = 16;
const FLOOD_MS = 8_000;
/** Products that are shown within the hour; only their prices and stock change. */
const SHOWN_PRODUCTS = 12;
/** A change comes so long after the burst of questions that it falls into, at most. */
const MID_ANSWER_MS = 10_000;
const SPEECH_PARTIAL_MS = 400;

export type ScriptOptions = {
  readonly config: RoomConfig;
  readonly comments: readonly string[];
  readonly seed: number;
  readonly minutes: number;
  /** The first event comes then. */
  readonly startMs: number;
  readonly figures?: Partial<ScriptFigures>;
};

/** The events in their order. The same options give the same events. */
export function writeScript(options: ScriptOptions): ScriptEvent[] {
  return new ScriptWriter(options).write();
}

class ScriptWriter {
  readonly #options: ScriptOptions;
  readonly #figures: ScriptFigures;
  readonly #random: () => number;
  readonly #numbers: TellingNumbers;
  readonly #shown: readonly Product[];
  readonly #events: ScriptEvent[] = [];
  /** Products on screen by the time from which they are, the first at the start. */
  readonly #screen: { readonly atMs: number; readonly product: Product }[] = [];
  #messagesCount = 0;

  constructor(options: ScriptOptions) {
    const { config, comments, seed, figures } = options;
    this.#options = options;
    this.#figures = { ...SCRIPT_FIGURES, ...figures };
    this.#random = seededRandom(seed);
    this.#numbers = new TellingNumbers(config, comments, this.#random);
    this.#shown = config.products.slice(0, SHOWN_PRODUCTS);
  }

  write(): ScriptEvent[] {
    this.#open();
    this.#switchProducts();
    this.#changePrices();
    this.#changeStock();
    this.#sellOut();
    this.#speak();
    this.#times(this.#figures.interrupts, (atMs) => this.#events.push({ atMs, type: "interrupt", reason: "operator" }));
    this.#times(this.#figures.floods, (atMs) => this.#flood(atMs));
    this.#times(this.#figures.messages - this.#messagesCount / this.#share(), (atMs) => this.#chat(atMs));
    return this.#events.toSorted((a, b) => a.atMs - b.atMs);
  }

  /** Numbers that tell what they are of, for all that will change. */
  #open(): void {
    const [first] = this.#shown;
    if (first === undefined) return;
    this.#screen.push({ atMs: this.#options.startMs, product: first });
    this.#patch(this.#options.startMs, "opening", { onScreenProductId: first.id });
    for (const product of this.#shown) {
      const prices = new Map(
        [...new Set(product.skus.map(({ priceCents }) => priceCents))].map((priceCents) => [
          priceCents,
          this.#numbers.priceNear(priceCents),
        ]),
      );
      const skus = product.skus.map(({ id, priceCents, stock }) => ({
        skuId: id,
        priceCents: prices.get(priceCents) ?? priceCents,
        stock: stock === 0 ? 0 : this.#numbers.stock(),
      }));
      this.#patch(this.#options.startMs, "opening", { skus });
    }
  }

  #switchProducts(): void {
    this.#times(this.#figures.switches, (atMs) => {
      const product = this.#pick(this.#shown);
      this.#screen.push({ atMs, product });
      this.#patch(atMs, "switch", { onScreenProductId: product.id });
      this.#burst(atMs, product);
    });
    this.#screen.sort((a, b) => a.atMs - b.atMs);
  }

  /** A price of all SKUs that cost the same, half of them the product on screen's, into the answers of a burst of questions. */
  #changePrices(): void {
    this.#times(this.#figures.prices, (atMs) => {
      const product = this.#productFor(atMs);
      const priceOf = this.#pick(product.skus).priceCents;
      const priceCents = this.#numbers.priceNear(priceOf);
      const skus = product.skus
        .filter((sku) => sku.priceCents === priceOf)
        .map(({ id }) => ({ skuId: id, priceCents }));
      this.#burst(atMs - this.#random() * MID_ANSWER_MS, product);
      this.#patch(atMs, "price", { skus });
    });
  }

  #changeStock(): void {
    this.#times(this.#figures.stocks, (atMs) => {
      const sku = this.#pick(this.#productFor(atMs).skus);
      this.#patch(atMs, "stock", { skus: [{ skuId: sku.id, stock: this.#numbers.stock() }] });
    });
  }

  /** Gone while viewers ask, and most often back some minutes later. */
  #sellOut(): void {
    this.#times(this.#figures.soldOuts, (atMs) => {
      const product = this.#productFor(atMs);
      const sku = this.#pick(product.skus);
      this.#burst(atMs - this.#random() * MID_ANSWER_MS, product);
      this.#patch(atMs, "sold-out", { skus: [{ skuId: sku.id, stock: 0 }] });
      const backAtMs = Math.round(atMs + 60_000 + this.#random() * 120_000);
      const isBack = this.#random() < 0.7 && backAtMs < this.#endMs();
      if (isBack) this.#patch(backAtMs, "back", { skus: [{ skuId: sku.id, stock: this.#numbers.stock() }] });
    });
  }

  /** Segments as a recogniser gives them: the words so far, again and again, then the whole sentence. */
  #speak(): void {
    this.#times(this.#figures.speeches, (beginAtMs) => {
      let atMs = beginAtMs;
      const speaker = this.#random() < 0.7 ? "主播小雅" : "助理阿明";
      for (let segments = 1 + Math.floor(this.#random() * 4); segments > 0; segments -= 1) {
        const text = this.#pick(CO_HOST_LINES);
        for (let chars = 3; chars < text.length; chars += 3, atMs += SPEECH_PARTIAL_MS) {
          this.#say(atMs, { text: text.slice(0, chars), speaker, isFinal: false });
        }
        this.#say(atMs, { text, speaker, isFinal: true });
        atMs += Math.round(300 + this.#random() * 1_500);
      }
    });
  }

  #say(atMs: number, speech: HostSpeech): void {
    this.#events.push({ atMs, type: "speech", speech });
  }

  /** Many ask about what has just come or changed. */
  #burst(atMs: number, product: Product): void {
    for (let count = 0; count < this.#figures.burstMessages; count += 1) {
      const isOnScreen = this.#onScreen(atMs).id === product.id && this.#random() < 0.6;
      const question = isOnScreen
        ? this.#pick(SCREEN_QUESTIONS)
        : this.#pick(LINK_QUESTIONS).replace("N", String(product.link));
      const text = this.#pick(SPELLINGS)(question);
      // Most come soon.
      this.#write("burst", atMs + 500 + this.#random() ** 2 * BURST_MS, text);
    }
  }

  #flood(atMs: number): void {
    const viewer = this.#viewer();
    const isOneText = this.#random() < 0.5;
    const first = this.#pick(this.#options.comments);
    for (let count = FLOOD_MIN + Math.floor(this.#random() * FLOOD_SPAN); count > 0; count -= 1) {
      const text = isOneText ? first : this.#pick(this.#options.comments);
      this.#write("flood", atMs + this.#random() * FLOOD_MS, text, viewer);
    }
  }

  #chat(atMs: number): void {
    const { emojiShare, advertisingShare, hotShare } = this.#figures;
    const kind = this.#random();
    if (kind < emojiShare) return this.#write("emoji", atMs, this.#pick(EMOJI));
    if (kind < emojiShare + advertisingShare) return this.#write("advertising", atMs, this.#pick(ADVERTISING));
    const isHot = kind < emojiShare + advertisingShare + hotShare;
    if (!isHot) return this.#write("question", atMs, this.#pick(this.#options.comments));
    const link = String(this.#pick(this.#shown).link);
    const question = this.#pick([...SCREEN_QUESTIONS, this.#pick(LINK_QUESTIONS).replace("N", link)]);
    this.#write("hot", atMs, this.#pick(SPELLINGS)(question));
  }

  #write(kind: MessageKind, atMs: number, text: string, viewer = this.#viewer()): void {
    const at = Math.ceil(Math.max(atMs, this.#options.startMs + BATCH_MS) / BATCH_MS) * BATCH_MS;
    const ttl =
      this.#random() < this.#figures.ownTtlShare ? { ttlMs: 5_000 + Math.floor(this.#random() * 55_000) } : {};
    this.#messagesCount += 1;
    const message = { id: `m${this.#messagesCount}`, text, viewer, ...ttl };
    this.#events.push({ atMs: at, type: "message", kind, message });
    if (this.#random() < this.#figures.resentShare) {
      const againAtMs = at + BATCH_MS * (1 + Math.floor(this.#random() * 50));
      this.#events.push({ atMs: againAtMs, type: "message", kind: "resent", message });
    }
  }

  #viewer() {
    const id = `viewer-${Math.floor(this.#random() * this.#figures.viewers)}`;
    return { id, level: Math.floor(this.#random() ** 3 * 60) };
  }

  #patch(atMs: number, kind: PatchKind, patch: RoomPatch): void {
    this.#events.push({ atMs, type: "patch", kind, patch });
  }

  #productFor(atMs: number): Product {
    return this.#random() < 0.5 ? this.#onScreen(atMs) : this.#pick(this.#shown);
  }

  #onScreen(atMs: number): Product {
    return this.#screen.findLast((shown) => shown.atMs <= atMs)?.product ?? this.#pick(this.#shown);
  }

  /** Calls `act` at random times, `perHour` of them an hour, some seconds after the start at the earliest. */
  #times(perHour: number, act: (atMs: number) => void): void {
    const lengthMs = this.#endMs() - this.#options.startMs;
    for (let count = Math.round(perHour * this.#share()); count > 0; count -= 1) {
      act(Math.round(this.#options.startMs + 1_000 + this.#random() * (lengthMs - 1_000)));
    }
  }

  #share(): number {
    return (this.#options.minutes * 60_000) / HOUR_MS;
  }

  #endMs(): number {
    return this.#options.startMs + this.#options.minutes * 60_000;
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error("There is nothing to pick from");
    return item;
  }
}
