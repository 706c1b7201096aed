/** Why a call failed, as plain data. */
export type ApiFailure = {
  /**
   * The API's own code, or one of the client's:
   * `network` no answer came; `timed_out` it took too long; `not_an_answer` it is none of this API's.
   * Of messages alone: `queue_full` too many wait; `expired` it waited too long; `closed` the connection was closed.
   */
  readonly code: string;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** The server's own words; empty when it gave none. */
  readonly title: string;
  /** How long the server asks to wait before the same call, ms; `null` when it names no time. */
  readonly retryAfterMs: number | null;
};

/** The only error that the client's promises are rejected with. Programs read its `code`. */
export class ClientError extends Error {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly retryAfterMs: number | null;

  constructor({ code, status, title, retryAfterMs }: ApiFailure) {
    super(title === "" ? code : `${title} (${code})`);
    this.name = "ClientError";
    this.code = code;
    this.status = status;
    this.title = title;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A failure that no server told of. */
export function ownFailure(code: "network" | "timed_out" | "queue_full" | "expired" | "closed"): ApiFailure {
  return { code, status: 0, title: "", retryAfterMs: null };
}
