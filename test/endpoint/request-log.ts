/** What the emulator remembers of each request, for tests and benchmarks. */
import { PrefixCache } from "./prefix-cache.ts";
import { PrefixHash } from "./prefix-hash.ts";

/** Requests of which figures are kept: the last ones. */
const LOG_ENTRIES_MAX = 1_000;

/** Step of the comparison of beginnings, bytes: a hash is kept for each, not the bodies. */
const PREFIX_STEP_BYTES = 64;

/** Some thousand bodies of 20 KB. */
const PREFIX_STEPS_MAX = 500_000;

/** Times in ms; `null`: it did not come so far, or is not known. */
export type LogEntry = {
  readonly index: number;
  /** Top-level fields of the body, in their order. */
  fields: readonly string[];
  readonly bodyBytes: number;
  /** Share of the body's bytes that some earlier body began with as well, exact to {@link PREFIX_STEP_BYTES}. */
  readonly prefixShare: number;
  priority: number;
  salt: string | null;
  promptTokens: number;
  cachedTokens: number;
  /** Generated, whether sent or not. */
  outputTokens: number;
  queuedMs: number | null;
  firstTokenMs: number | null;
  /** From the whole request to the end of the answer, or to the client's going. */
  totalMs: number | null;
  /** Finish reason, `fault:<name>`, `refused:<status>` or `closed`; `null` while it goes on. */
  finish: string | null;
  closedByClient: boolean;
  /** From the close of the connection to the end of the generation. */
  msFromCloseToStop: number | null;
};

export class RequestLog {
  #entries: LogEntry[] = [];
  #count = 0;
  #lastBody = "";
  readonly #beginnings = new PrefixCache(PREFIX_STEPS_MAX);

  get count(): number {
    return this.#count;
  }

  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  get lastBody(): string {
    return this.#lastBody;
  }

  begin(body: Buffer): LogEntry {
    this.#lastBody = body.toString("utf8");
    const entry: LogEntry = {
      index: this.#count,
      fields: [],
      bodyBytes: body.byteLength,
      prefixShare: this.#sharedWithEarlier(body),
      priority: 0,
      salt: null,
      promptTokens: 0,
      cachedTokens: 0,
      outputTokens: 0,
      queuedMs: null,
      firstTokenMs: null,
      totalMs: null,
      finish: null,
      closedByClient: false,
      msFromCloseToStop: null,
    };
    this.#count += 1;
    this.#entries.push(entry);
    if (this.#entries.length > LOG_ENTRIES_MAX) this.#entries.shift();
    return entry;
  }

  /** Entries and count begin again, and what earlier bodies began with is forgotten. */
  reset(): void {
    this.#entries = [];
    this.#count = 0;
    this.#beginnings.clear();
  }

  #sharedWithEarlier(body: Buffer): number {
    const hash = new PrefixHash();
    const keys: number[] = [];
    for (let at = 0; at < body.length; at += 1) {
      hash.add(body[at] ?? 0);
      if ((at + 1) % PREFIX_STEP_BYTES === 0) keys.push(hash.key);
    }
    const shared = this.#beginnings.match(keys);
    this.#beginnings.insert(keys);
    return body.length === 0 ? 0 : (shared * PREFIX_STEP_BYTES) / body.length;
  }
}
