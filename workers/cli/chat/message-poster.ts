/** Posts what viewers write on a platform to a room, and counts what becomes of it. */
import { createApiCall, type SendRequest } from "../../../shared/client/api-call.ts";
import { type ApiFailure, ClientError } from "../../../shared/client/client-error.ts";
import { INTAKE_LIMITS, type IntakeLimits, MessageIntake } from "../../../shared/client/message-intake.ts";
import { createRoomApi } from "../../../shared/client/room-api.ts";
import type { ViewerMessage } from "../../../shared/contract/message.ts";
import type { Clock } from "../../../shared/core/clock.ts";
import type { Timer } from "../../../shared/core/timer.ts";
import type { ChatCounts } from "./chat-counts.ts";
import { toCliError, type ApiTarget } from "../edge-api.ts";

/** Comments go in their order. Where too many wait, the oldest goes: what was just asked can still be answered. */
const LIMITS: IntakeLimits = { ...INTAKE_LIMITS, inFlightMax: 1, pendingMax: 2_000, whenFull: "drop-oldest" };

/** Failures of a message that the room was too slow for. */
const TOO_SLOW: ReadonlySet<string> = new Set(["queue_full", "expired", "closed"]);
/** Failures of one message alone. */
const OF_ONE: ReadonlySet<string> = new Set(["invalid_request", "body_too_large", "not_an_answer"]);

const AWAY: Readonly<Record<string, string>> = { network: "nobody answers", timed_out: "no answer came in time" };

export type PosterPorts = {
  readonly target: ApiTarget;
  readonly room: string;
  readonly request: SendRequest;
  /** Wall time: it is compared with the platform's. */
  readonly clock: Clock;
  readonly timer: Timer;
  /** Monotonic, ms. */
  readonly elapsedMs: () => number;
  /** 0 to 1. */
  readonly random: () => number;
  readonly counts: ChatCounts;
  /** Takes a line for people. */
  readonly say: (line: string) => void;
};

export class MessagePoster {
  readonly #ports: PosterPorts;
  readonly #intake: MessageIntake;
  readonly #failure = Promise.withResolvers<never>();

  constructor(ports: PosterPorts) {
    this.#ports = ports;
    const { target, room, say } = ports;
    const origin = target.url.replace(/\/+$/, "");
    const api = createRoomApi(createApiCall({ ...ports, origin, token: target.token }), room);
    this.#intake = new MessageIntake({
      ...ports,
      limits: LIMITS,
      postMessages: (messages) => api.postMessages(messages),
      onAway: (failure) =>
        say(failure === null ? "the room takes messages again" : `the room takes no messages: ${wordsOf(failure)}`),
    });
    // Whoever listens learns of it; nobody has to.
    this.#failure.promise.catch(() => {});
  }

  /** Rejects with a CliError when the room will never take a message; does not settle otherwise. */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** @param sentAtMs - When the platform took it, ms since the epoch; `null`: not known. */
  add(message: ViewerMessage, sentAtMs: number | null): void {
    void this.#post(message, sentAtMs);
  }

  /** Posts what waits. What the room does not take at once is lost then, and counted. */
  end(): Promise<void> {
    return this.#intake.finish();
  }

  async #post(message: ViewerMessage, sentAtMs: number | null): Promise<void> {
    const { counts, clock } = this.#ports;
    try {
      const { disposition, reason } = await this.#intake.post(message);
      counts.post(disposition, reason);
      if (this.#intake.backlog !== null) counts.noteBacklog(this.#intake.backlog);
      if (sentAtMs !== null) counts.noteLag(clock.nowMs() - sentAtMs);
    } catch (thrown) {
      this.#lose(thrown);
    }
  }

  #lose(thrown: unknown): void {
    const { counts, room } = this.#ports;
    if (!(thrown instanceof ClientError)) return this.#failure.reject(thrown);
    const { code, title } = thrown;
    counts.drop(TOO_SLOW.has(code) ? "room_too_slow" : code);
    if (TOO_SLOW.has(code) || OF_ONE.has(code)) return;
    this.#failure.reject(toCliError(`Room ${room} did not take the messages.`, { code, title, details: {} }));
  }
}

function wordsOf({ code, title }: ApiFailure): string {
  return AWAY[code] ?? (title === "" ? code : title);
}
