/** Posts batches at their times, whatever became of those before, and sends a refused batch again as a real client must. */
import { setTimeout as sleep } from "node:timers/promises";
import { postMessagesAnswerSchema } from "../../../shared/contract/http-api.ts";
import type { ViewerMessage } from "../../../shared/contract/message.ts";
import { parseJson } from "../../../shared/core/json.ts";

/** Requests in flight. Above it a batch waits here, and its wait counts as the room's. */
export const IN_FLIGHT_MAX = 64;
/** Longest time that a batch is sent again, ms: as long as the harness lets its messages wait, twice. */
const PATIENCE_MS = 60_000;
/** Shortest wait before a batch is sent again where the refusal names none, s. */
const RETRY_AFTER_S = 1;
const BUSY_STATUSES: ReadonlySet<number> = new Set([429, 503]);

export type RoomTarget = { readonly url: string; readonly token: string; readonly room: string };

export type PostFigures = {
  sentMessages: number;
  sentBatches: number;
  /** By disposition, dropped ones with their reason. */
  readonly dispositions: Record<string, number>;
  /** From the time that a batch was due to the answer of its first request, ms; one for each batch. */
  readonly firstAnswersMs: number[];
  /** The same, of the batches that were taken at once. */
  readonly takenAtOnceMs: number[];
  /** From the time that a batch was due to its dispositions, refusals and waits included, ms. */
  readonly dispositionsMs: number[];
  retriedBatches: number;
  retries: number;
  /** Answers that were neither dispositions nor a refusal to send again, by status. */
  readonly failures: Record<string, number>;
  /** Messages without a disposition. */
  lostMessages: number;
};

export type Pace = {
  readonly batchMessages: number;
  readonly gapMs: number;
  readonly batches: number;
  readonly onBatch?: (index: number) => void;
};

export async function postBatches(
  target: RoomTarget,
  messages: Iterator<ViewerMessage, unknown>,
  pace: Pace,
): Promise<PostFigures> {
  const figures = noFigures();
  const gate = openGate(IN_FLIGHT_MAX);
  const startMs = performance.now();
  const posts: Promise<void>[] = [];
  for (let index = 0; index < pace.batches; index += 1) {
    const dueMs = startMs + index * pace.gapMs;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    pace.onBatch?.(index);
    posts.push(postBatch(target, { batch: take(messages, pace.batchMessages), dueMs, gate }, figures));
  }
  await Promise.all(posts);
  return figures;
}

type Gate = { readonly enter: () => Promise<void>; readonly leave: () => void };
type Due = { readonly batch: readonly ViewerMessage[]; readonly dueMs: number; readonly gate: Gate };

async function postBatch(target: RoomTarget, { batch, dueMs, gate }: Due, figures: PostFigures): Promise<void> {
  figures.sentBatches += 1;
  figures.sentMessages += batch.length;
  const body = JSON.stringify({ messages: batch });
  for (let attempt = 0; performance.now() - dueMs < PATIENCE_MS; attempt += 1) {
    await gate.enter();
    const answer = await send(target, body).finally(gate.leave);
    const tookMs = performance.now() - dueMs;
    if (attempt === 0) figures.firstAnswersMs.push(tookMs);
    if (answer.status === 202) {
      if (attempt === 0) figures.takenAtOnceMs.push(tookMs);
      figures.dispositionsMs.push(tookMs);
      noteDispositions(answer.text, batch, figures);
      return;
    }
    if (!BUSY_STATUSES.has(answer.status)) {
      figures.failures[answer.status] = (figures.failures[answer.status] ?? 0) + 1;
      break;
    }
    figures.retries += 1;
    if (attempt === 0) figures.retriedBatches += 1;
    // Spread out, or all that was refused at one moment would come back at one moment.
    await sleep(answer.retryAfterS * 1_000 * (1 + (figures.retries % 10) / 10));
  }
  figures.lostMessages += batch.length;
}

async function send({ url, token, room }: RoomTarget, body: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${url}/v1/rooms/${room}/messages`, { method: "POST", headers, body });
  const retryAfterS = Number(response.headers.get("retry-after") ?? RETRY_AFTER_S);
  return { status: response.status, retryAfterS, text: await response.text() };
}

/** A message counts as answered for by its own id alone. */
function noteDispositions(text: string, batch: readonly ViewerMessage[], figures: PostFigures): void {
  const answer = postMessagesAnswerSchema.safeParse(parseJson(text));
  const results = new Map((answer.data?.results ?? []).map((result) => [result.id, result]));
  for (const { id } of batch) {
    const result = results.get(id);
    if (result === undefined) {
      figures.lostMessages += 1;
      continue;
    }
    const name = result.reason === null ? result.disposition : `${result.disposition}: ${result.reason}`;
    figures.dispositions[name] = (figures.dispositions[name] ?? 0) + 1;
  }
}

function take(messages: Iterator<ViewerMessage, unknown>, count: number): ViewerMessage[] {
  const batch: ViewerMessage[] = [];
  while (batch.length < count) {
    const next = messages.next();
    if (next.done === true) break;
    batch.push(next.value);
  }
  return batch;
}

/** Lets so many in at once, the others in their order. */
function openGate(max: number): Gate {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return {
    async enter() {
      if (inside < max) inside += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    leave() {
      const next = waiting.shift();
      if (next === undefined) inside -= 1;
      else next();
    },
  };
}

function noFigures(): PostFigures {
  return {
    sentMessages: 0,
    sentBatches: 0,
    dispositions: {},
    firstAnswersMs: [],
    takenAtOnceMs: [],
    dispositionsMs: [],
    retriedBatches: 0,
    retries: 0,
    failures: {},
    lostMessages: 0,
  };
}
