/** `kaibo ask`: one message, the sentences as they are spoken, then the timings. */
import { roomListSchema } from "../../shared/contract/http-api.ts";
import { roomFrameSchema, type RoomFrame } from "../../shared/contract/room-frame.ts";
import { SseParser } from "../../shared/agent/stream/sse-parser.ts";
import { parseJson } from "../../shared/core/json.ts";
import { CliError } from "./cli-error.ts";
import { createEdgeApi, expectOk, reach, type ApiTarget, type EdgeApi } from "./edge-api.ts";

/** Room of the sample data, and the one that is meant when it exists and no other is named. */
export const SAMPLE_ROOM = "yanxuan-home";

/** Digits of a harness version that people need to tell two apart. */
const VERSION_DIGITS = 8;

export type Question = {
  readonly text: string;
  readonly room?: string;
  /** Every event as one line of JSON, and nothing else. */
  readonly json: boolean;
  readonly timeoutMs: number;
};

export type AskPorts = {
  /** Takes text for standard output, at once. */
  readonly out: (text: string) => void;
  /** Monotonic, ms. */
  readonly nowMs: () => number;
  /** A message id that was never used. */
  readonly newId: () => string;
  readonly fetch?: typeof fetch;
};

type TurnEnd = Extract<RoomFrame, { type: "turn-end" }>;
type TurnStart = Extract<RoomFrame, { type: "turn-start" }>;

/** How far a turn has come, as the client saw it. */
type Seen = {
  /** Why the message opened no turn. */
  dropped: string | null;
  start: TurnStart | null;
  end: TurnEnd | null;
  firstSentenceMs: number | null;
};

/**
 * Sends the message and prints until its turn has ended.
 *
 * @throws CliError - no answer came: refused, timed out, cut off, or the turn ended without one.
 */
export async function ask(question: Question, target: ApiTarget, ports: AskPorts): Promise<void> {
  const api = createEdgeApi(target, ports.fetch);
  const room = question.room ?? (await chooseRoom(api));
  const startedMs = ports.nowMs();
  const sent = await api.send("POST", `/v1/rooms/${encodeURIComponent(room)}/messages`, {
    accept: "text/event-stream",
    signal: AbortSignal.timeout(question.timeoutMs),
    body: { id: ports.newId(), text: question.text, viewer: { id: `kaibo-cli-${ports.newId()}` } },
  });
  const response = expectOk(sent, `Room ${room} did not take the message.`);
  const seen: Seen = { start: null, end: null, dropped: null, firstSentenceMs: null };
  await reach(target.url, async () => {
    for await (const data of events(response)) {
      note(seen, data, ports.nowMs() - startedMs);
      ports.out(question.json ? `${data}\n` : spokenIn(data));
    }
  });
  if (seen.dropped !== null) {
    throw new CliError(`The message was not answered: ${seen.dropped}.`, {
      why: "The room drops messages that ask nothing, advertise, repeat, or come too fast.",
      next: "Ask something else, or change `messages` in the harness.",
    });
  }
  if (seen.end === null) {
    throw new CliError("The answer was cut off.", {
      why: "The stream ended before the turn did.",
      next: "Ask again; look at the instance's terminal if it stays.",
    });
  }
  if (!question.json) ports.out(`\n${formatTimings(seen, seen.end)}\n`);
  if (seen.end.outcome !== "answered") throw noAnswer(seen.end, room);
}

/**
 * The sample room, or the only one.
 *
 * @throws CliError - there is none, or it is not clear which is meant.
 */
async function chooseRoom(api: EdgeApi): Promise<string> {
  const list = await api.call("GET", "/v1/rooms?limit=100", { answer: roomListSchema });
  const rooms = expectOk(list, "The rooms could not be listed.").rooms.map(({ id }) => id);
  const [first] = rooms;
  if (rooms.includes(SAMPLE_ROOM)) return SAMPLE_ROOM;
  if (first === undefined) {
    throw new CliError("There is no room.", {
      why: "The instance has none yet.",
      next: "npx kaibo room set <room> <file.json>",
    });
  }
  if (rooms.length === 1) return first;
  throw new CliError("Which room?", {
    why: `There are several: ${rooms.slice(0, 10).join(", ")}${rooms.length > 10 ? ", …" : ""}.`,
    next: `Add --room ${first}`,
    exitCode: 2,
  });
}

/** The data of each server-sent event, as soon as its last byte is here. */
async function* events(response: Response): AsyncGenerator<string> {
  const parser = new SseParser();
  for await (const bytes of response.body ?? []) yield* parser.push(bytes);
  yield* parser.end();
}

/** Notes what an event says about the turn. Events of a newer version that are not known are passed over. */
function note(seen: Seen, data: string, atMs: number): void {
  const frame = roomFrameSchema.safeParse(parseJson(data)).data;
  if (frame?.type === "turn-start") seen.start = frame;
  if (frame?.type === "dropped") seen.dropped = frame.messages[0]?.reason ?? null;
  if (frame?.type === "turn-end") seen.end = frame;
  if (frame?.type === "sentence") seen.firstSentenceMs ??= atMs;
}

/** What people hear of an event: its sentence in a line of its own. */
function spokenIn(data: string): string {
  const frame = roomFrameSchema.safeParse(parseJson(data)).data;
  return frame?.type === "sentence" ? `${frame.sentence.text}\n` : "";
}

/** One line with what the turn took. */
function formatTimings({ start, firstSentenceMs }: Seen, { timings, activity, turn }: TurnEnd): string {
  const parts: string[] = [];
  if (firstSentenceMs !== null) {
    const inRoom = timings.firstSentenceMs === null ? "" : ` (${Math.round(timings.firstSentenceMs)} ms in the room)`;
    parts.push(`first sentence ${Math.round(firstSentenceMs)} ms${inRoom}`);
  }
  parts.push(`turn ${turn} ${Math.round(timings.totalMs)} ms, waited ${Math.round(timings.waitedMs)} ms`);
  if (activity !== null) {
    const tools = activity.tools.map(({ tool, ms }) => `${tool} ${Math.round(ms)} ms`).join(", ");
    parts.push(`${activity.steps} ${activity.steps === 1 ? "step" : "steps"}`, tools === "" ? "no tools" : tools);
  }
  if (start !== null) parts.push(`${start.harness.name}@${start.harness.version.slice(0, VERSION_DIGITS)}`);
  return parts.join(" · ");
}

function noAnswer({ outcome, reason, turn }: TurnEnd, room: string): CliError {
  const why = reason === null ? "The turn gives no reason." : `The turn says: ${reason}.`;
  return new CliError(`There was no answer: ${NO_ANSWER[outcome]}.`, {
    why,
    next: `Open the page, or GET /v1/rooms/${room}/turns/${turn}, to see what was tried.`,
  });
}

const NO_ANSWER = {
  answered: "the turn ended",
  fallback: "the harness's own line was spoken instead",
  expired: "the message waited too long",
  silent: "the host stayed silent",
  interrupted: "the turn was interrupted",
} as const;
