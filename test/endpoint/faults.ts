/** Faults on demand: which request gets one, and at which point of its answer. */
import { z } from "zod";
import type { Piece } from "./answers.ts";
import type { ChatBody } from "./chat-body.ts";

const MOMENTS = [
  /** Before the headers. */
  "connect",
  /** After the headers. */
  "before-first-byte",
  /** After some text, before the end of the first sentence. */
  "before-first-sentence",
  /** After at least one whole sentence and some more text. */
  "mid-sentence",
  /** In the arguments of the first tool call. */
  "mid-tool-call",
  /** After the chunk with the finish reason, before `[DONE]`. */
  "after-finish",
] as const;
export type FaultMoment = (typeof MOMENTS)[number];

/** Faults that replace the whole response; their moment is `connect`. */
const WHOLE_FAULTS = ["status", "fixture", "empty-body", "refuse", "no-headers"] as const;

/** Faults that may come at any moment. */
const MOMENT_FAULTS = [
  /** Nothing more, the connection stays open. */
  "stall",
  /** The connection breaks with RST. */
  "reset",
  /** The connection ends with FIN, the chunked body without its end mark. */
  "cut",
  /** The body ends properly, with no finish reason and no `[DONE]`. */
  "close",
  /** The engine's error object as data, then the end. */
  "error-event",
  /** Data that is no JSON; then the answer goes on. */
  "garbage",
  /** Half a chunk, then the end. */
  "truncated-json",
  /** A delay of `ms`, then the answer goes on. */
  "slow",
  "finish-abort",
  "finish-length",
] as const;

const faultSchema = z
  .strictObject({
    fault: z.enum([...WHOLE_FAULTS, ...MOMENT_FAULTS]),
    /** Absent: `connect` for a fault of the whole response, else `before-first-byte`. */
    at: z.enum(MOMENTS).optional(),
    /** Requests that get it; -1: all. */
    count: z.int().min(-1).default(1),
    /** Requests that may get it: all that is named must be so. */
    match: z
      .strictObject({
        /** Somewhere in the body as it came. */
        contains: z.string().optional(),
        priority: z.int().optional(),
        salt: z.string().optional(),
        stream: z.boolean().optional(),
        hasTools: z.boolean().optional(),
        lastRole: z.string().optional(),
      })
      .default({}),
    /** Share of the matching requests, drawn with the emulator's seed. */
    share: z.number().min(0).max(1).default(1),
    /** `slow`: the delay, ms of wall time. */
    ms: z.int().min(0).max(600_000).optional(),
    /** `status`: the status code. */
    status: z.int().min(400).max(599).optional(),
    /** `status`: seconds for `Retry-After`. */
    retryAfter: z.int().min(0).optional(),
    /** `fixture`: a file of `test/fixtures/provider/`, without `.sse`. */
    name: z
      .string()
      .regex(/^[a-z0-9-]+$/)
      .optional(),
  })
  .refine((fault) => fault.fault !== "slow" || fault.ms !== undefined, "slow needs ms")
  .refine((fault) => fault.fault !== "status" || fault.status !== undefined, "status needs status")
  .refine((fault) => fault.fault !== "fixture" || fault.name !== undefined, "fixture needs name")
  .refine(
    ({ fault, at }) => at === undefined || at === "connect" || !WHOLE_FAULTS.some((name) => name === fault),
    "this fault comes at connect",
  )
  .refine((fault) => !fault.fault.startsWith("finish-") || fault.at !== "after-finish", "a finish comes once");

export const faultsSchema = z.strictObject({ faults: z.array(faultSchema) });
export type Fault = z.infer<typeof faultSchema>;
type Named<Name extends Fault["fault"]> = Fault & { readonly fault: Name };
/** Replaces the whole response. */
export type WholeFault = Named<(typeof WHOLE_FAULTS)[number]>;
/** Comes at a moment of the answer. */
export type MomentFault = Named<(typeof MOMENT_FAULTS)[number]>;
/** As a test writes it. */
export type FaultInput = z.input<typeof faultSchema>;

/** What a request has got: instead of its answer, or somewhere in it. */
export type TakenFault = { readonly whole: WholeFault } | ArmedFault;

export type ArmedFault = {
  readonly fault: MomentFault;
  readonly moment: FaultMoment;
  /** Pieces of the answer that go out before it. */
  readonly afterPieces: number;
};

/** What a fault is matched against. */
export type FaultTarget = { readonly bodyText: string; readonly body: ChatBody; readonly pieces: readonly Piece[] };

const SENTENCE_END = /[。！？]/u;

/** The faults that are still to come. The first that fits a request is taken. */
export class FaultBox {
  #faults: { readonly fault: Fault; left: number }[] = [];
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  set(faults: readonly Fault[]): void {
    this.#faults = faults.map((fault) => ({ fault, left: fault.count }));
  }

  /** Those with uses left. */
  list(): Fault[] {
    return this.#faults.filter(({ left }) => left !== 0).map(({ fault, left }) => ({ ...fault, count: left }));
  }

  /** Takes the first fault that the request matches and whose moment its answer has; counts it as used. */
  take(target: FaultTarget): TakenFault | null {
    for (const entry of this.#faults) {
      const { fault } = entry;
      const moment = fault.at ?? (isWhole(fault) ? "connect" : "before-first-byte");
      const afterPieces = findMoment(target.pieces, moment);
      if (entry.left === 0 || afterPieces === null || !isMatch(fault.match, target)) continue;
      if (fault.share < 1 && this.#random() >= fault.share) continue;
      if (entry.left > 0) entry.left -= 1;
      if (isWhole(fault)) return { whole: fault };
      if (isOfMoment(fault)) return { fault, moment, afterPieces };
    }
    return null;
  }
}

function isWhole(fault: Fault): fault is WholeFault {
  return WHOLE_FAULTS.some((name) => name === fault.fault);
}

function isOfMoment(fault: Fault): fault is MomentFault {
  return !isWhole(fault);
}

function isMatch(match: Fault["match"], { bodyText, body }: FaultTarget): boolean {
  const facts = {
    priority: body.priority ?? 0,
    salt: body.cache_salt,
    stream: body.stream === true,
    hasTools: (body.tools?.length ?? 0) > 0,
    lastRole: body.messages.at(-1)?.role,
  };
  const { contains, ...named } = match;
  const isNamed = Object.entries(named).every(
    ([name, value]) =>
      value === undefined || Object.entries(facts).some((fact) => fact[0] === name && fact[1] === value),
  );
  return isNamed && (contains === undefined || bodyText.includes(contains));
}

/** Pieces before a moment; `null` if the answer never comes to it. */
export function findMoment(pieces: readonly Piece[], moment: FaultMoment): number | null {
  switch (moment) {
    case "connect":
    case "before-first-byte":
      return 0;
    case "after-finish":
      return pieces.length;
    case "before-first-sentence": {
      const first = pieces.findIndex(({ kind }) => kind === "text");
      const end = pieces.findIndex(isSentenceEnd);
      return first < 0 || end <= first ? null : end;
    }
    case "mid-sentence":
      return findMidSentence(pieces);
    case "mid-tool-call":
      return findMidCall(pieces);
  }
}

function findMidSentence(pieces: readonly Piece[]): number | null {
  const at = pieces.findIndex((piece, index) => {
    const next = pieces[index + 1];
    return isSentenceEnd(piece) && next?.kind === "text" && !isSentenceEnd(next);
  });
  return at < 0 ? null : at + 2;
}

function findMidCall(pieces: readonly Piece[]): number | null {
  const first = pieces.findIndex(({ kind }) => kind === "arguments");
  if (first < 0) return null;
  const after = pieces.findIndex(({ kind }, index) => index > first && kind !== "arguments");
  const count = (after < 0 ? pieces.length : after) - first;
  return count < 2 ? null : first + Math.floor(count / 2);
}

function isSentenceEnd({ kind, text }: Piece): boolean {
  return kind === "text" && SENTENCE_END.test(text);
}
