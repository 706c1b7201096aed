/** Streams as somebody recorded them, given again with their own times. */
import { z } from "zod";
import { parseJson } from "../../shared/core/json.ts";
import type { Timer } from "../../shared/core/timer.ts";
import type { Answer, Piece } from "./answers.ts";
import type { Finish, UsageCounts } from "./dialects.ts";
import type { Generation } from "./engine.ts";

const toolCallSchema = z.strictObject({
  index: z.int().min(0),
  id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
});

const recordingSchema = z.strictObject({
  /** From the request to the first chunk. */
  firstMs: z.number().min(0),
  /** `gapMs` is the time since the chunk before. */
  chunks: z
    .array(
      z.strictObject({
        gapMs: z.number().min(0),
        text: z.string().optional(),
        reasoning: z.string().optional(),
        toolCall: toolCallSchema.optional(),
      }),
    )
    .min(1),
  finish: z.enum(["stop", "tool_calls", "length", "abort"]).optional(),
  usage: z.looseObject({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    prompt_tokens_details: z.looseObject({ cached_tokens: z.int().nullish() }).nullish(),
  }),
});

/** One recorded stream. */
export type Recording = {
  readonly answer: Answer;
  readonly pieces: readonly Piece[];
  readonly finish: Finish;
  readonly usage: UsageCounts;
  /** When chunks come, ms since the one before (since the request for the first), and the pieces that are then there. */
  readonly schedule: readonly { readonly gapMs: number; readonly pieceCount: number }[];
};

/** Reads a trace: one JSON object a line. Throws for a line that is none; empty lines are passed over. */
export function parseTrace(text: string): Recording[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => toRecording(recordingSchema.parse(parseJson(line))));
}

function toRecording({ firstMs, chunks, finish, usage }: z.infer<typeof recordingSchema>): Recording {
  const perChunk = chunks.map(toChunkPieces);
  const pieces = perChunk.flat();
  const calls = [...new Set(pieces.filter(({ kind }) => kind === "call").map(({ call }) => call))];
  const textOf = (what: Piece["kind"]) =>
    pieces
      .filter(({ kind }) => kind === what)
      .map(({ text }) => text)
      .join("");
  const toolCalls = calls.map((call) => toToolCall(chunks, call));
  let pieceCount = 0;
  return {
    answer: { reasoning: textOf("reasoning"), text: textOf("text"), toolCalls },
    pieces,
    finish: finish ?? (toolCalls.length > 0 ? "tool_calls" : "stop"),
    usage: {
      promptTokens: usage.prompt_tokens,
      outputTokens: usage.completion_tokens,
      cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    },
    schedule: chunks.map(({ gapMs }, index) => {
      pieceCount += perChunk[index]?.length ?? 0;
      return { gapMs: index === 0 ? firstMs : gapMs, pieceCount };
    }),
  };
}

type RecordedChunk = z.infer<typeof recordingSchema>["chunks"][number];

function toChunkPieces({ text, reasoning, toolCall }: RecordedChunk): Piece[] {
  const call = toolCall?.index ?? 0;
  const pieces: Piece[] = [];
  if (reasoning !== undefined) pieces.push({ kind: "reasoning", text: reasoning, call: 0 });
  if (text !== undefined) pieces.push({ kind: "text", text, call: 0 });
  if (toolCall?.name !== undefined) pieces.push({ kind: "call", text: "", call });
  if (toolCall?.arguments !== undefined) pieces.push({ kind: "arguments", text: toolCall.arguments, call });
  return pieces;
}

function toToolCall(chunks: readonly RecordedChunk[], call: number) {
  const parts = chunks.flatMap(({ toolCall }) => (toolCall?.index === call ? [toolCall] : []));
  return {
    id: parts.find(({ id }) => id !== undefined)?.id ?? "",
    name: parts.find(({ name }) => name !== undefined)?.name ?? "",
    argumentsText: parts.map((part) => part.arguments ?? "").join(""),
  };
}

export type ReplayOptions = {
  readonly recording: Recording;
  readonly timer: Timer;
  readonly speed: number;
  /** Pieces so far, at each recorded chunk. */
  readonly onPieces: (count: number) => void;
};

/** Gives a recording again. It passes by the engine: nobody waits, and nobody slows it. */
export function replay({ recording, timer, speed, onPieces }: ReplayOptions): Generation {
  let next = 0;
  let cancel: () => void = () => {};
  const schedule = () => {
    const chunk = recording.schedule[next];
    if (chunk === undefined) return;
    cancel = timer.after(chunk.gapMs / speed, () => {
      next += 1;
      schedule();
      onPieces(chunk.pieceCount);
    });
  };
  schedule();
  return {
    stop: () => cancel(),
    freeze: () => cancel(),
    report: () => ({
      queuedMs: 0,
      firstTokenMs: next === 0 ? null : (recording.schedule[0]?.gapMs ?? 0) / speed,
      cachedTokens: recording.usage.cachedTokens,
      outputTokens: recording.usage.outputTokens,
      drafts: 0,
      accepted: 0,
    }),
  };
}
