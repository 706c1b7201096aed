/** Calls to a running instance over its public API. */
import type { z } from "zod";
import { errorBodySchema } from "../../shared/contract/http-api.ts";
import { parseJson } from "../../shared/core/json.ts";
import { fail, ok, type Result } from "../../shared/core/result.ts";
import { CliError, systemCode } from "./cli-error.ts";

/** What the API said when it refused: `code` is for programs, `title` for people. */
export type Refusal = z.infer<typeof errorBodySchema>;

export interface EdgeApi {
  /** One call with a JSON body, if any. The body of a good answer has not been read. */
  send(method: string, path: string, options?: SendOptions): Promise<Result<Response, Refusal>>;
  /** One call whose answer must fit a schema. */
  call<Schema extends z.ZodType>(
    method: string,
    path: string,
    options: SendOptions & { readonly answer: Schema },
  ): Promise<Result<z.infer<Schema>, Refusal>>;
}

type SendOptions = {
  readonly body?: unknown;
  /** `text/event-stream` for a stream; JSON otherwise. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** The revision that was read: what has another one by now is left as it is. */
  readonly ifMatch?: number;
};

export type ApiTarget = { readonly url: string; readonly token: string };

type NextByCode = Readonly<Record<string, string>>;

/** Codes with something better to do than to read about it. */
const NEXT: NextByCode = {
  unauthenticated: "Give a token of that instance with --token, or KAIBO_TOKEN.",
  token_expired: "Start the instance again with `npm start`, or give a new token with --token.",
  forbidden: "Give a token for the right audience and room: npx kaibo token --aud room,operator",
  room_not_found: "npx kaibo room list; or make it: npx kaibo room set <room> <file.json>",
  product_not_found: "npx kaibo room show <room> --products",
  harness_invalid: "npx kaibo harness check <folder>",
  endpoint_not_found: "npx kaibo endpoint list",
  endpoint_refused: "Mend what it names, at the server or with `npx kaibo endpoint set`, then run the command again.",
  endpoints_full: "Remove an endpoint first: npx kaibo endpoint remove <name>",
  endpoint_changed:
    "Someone else changed the endpoint since it was read. Look again (npx kaibo endpoint show <name>), then run the command.",
  channel_moved: "Someone else moved the channel at the same time; run the command again.",
  harness_not_found: "npx kaibo harness list <name>",
  harness_channel_not_found: "npx kaibo harness show <name>; a new channel: npx kaibo harness release <name> <version>",
  harness_revoked: "Release another version: npx kaibo harness list <name>",
  harness_frozen: "Who froze it, or a governor, can lift that: npx kaibo harness unfreeze <name>",
  harness_gate_closed: "npx kaibo harness gate <name> <version>; a governor judges with --condition",
  harness_no_previous: "npx kaibo harness release <name> <version>",
  harness_unsigned: "Sign with --key <file>, or KAIBO_SIGNING_KEY. A new key: npx kaibo keys new <id>",
  harness_signature_invalid: "Sign with a key that the deployment's HARNESS_KEYS names: --key <file>",
  harness_unapproved:
    "Plan it: npx kaibo harness plan <name> <version>; then somebody else: npx kaibo harness approve <name> <plan>",
  release_not_found: "npx kaibo harness show <name>",
};

/**
 * @throws CliError from every call - nothing answers at the address, the time is up, or the answer is not Kaibo's.
 */
export function createEdgeApi({ url, token }: ApiTarget, fetcher: typeof fetch = fetch): EdgeApi {
  const base = url.replace(/\/+$/, "");
  const send: EdgeApi["send"] = async (method, path, { body, accept, signal, ifMatch } = {}) => {
    const response = await reach(base, () =>
      fetcher(`${base}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: accept ?? "application/json",
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(ifMatch !== undefined && { "if-match": `"${ifMatch}"` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal !== undefined && { signal }),
      }),
    );
    if (response.ok) return ok(response);
    const refusal = errorBodySchema.safeParse(parseJson(await response.text()));
    if (refusal.success) return fail(refusal.data);
    throw notKaibo(base, `It answered ${response.status} without an error code.`);
  };
  return {
    send,
    async call(method, path, { answer, ...options }) {
      const sent = await send(method, path, options);
      if (!sent.ok) return sent;
      const parsed = answer.safeParse(parseJson(await sent.value.text()));
      if (parsed.success) return ok(parsed.data);
      throw notKaibo(base, `Its answer to ${method} ${path} is not the one of this version.`);
    },
  };
}

/** The value, or the refusal as an error for people. @param next - As for `toCliError`. */
export function expectOk<Value>(result: Result<Value, Refusal>, what: string, next: NextByCode = {}): Value {
  if (result.ok) return result.value;
  throw toCliError(what, result.error, next);
}

/**
 * A refusal as an error for people.
 *
 * @param next - What a command knows better to do about a code than what holds for all commands.
 */
export function toCliError(
  what: string,
  { code, title, details }: Pick<Refusal, "code" | "title" | "details">,
  next: NextByCode = {},
): CliError {
  const facts = Object.values(details).join("; ");
  return new CliError(what, {
    why: `${title} (${code})${facts === "" ? "" : `: ${facts}`}.`,
    next: next[code] ?? NEXT[code] ?? "See /docs of the instance for what it takes.",
  });
}

/** Turns the failures of a network call into sentences. */
export async function reach<Value>(url: string, call: () => Promise<Value>): Promise<Value> {
  try {
    return await call();
  } catch (thrown) {
    if (thrown instanceof CliError) throw thrown;
    if (thrown instanceof Error && thrown.name === "TimeoutError") {
      throw new CliError("The time is up.", {
        why: `${url} did not finish its answer in the time of --timeout.`,
        next: "Ask again with a longer --timeout, or look at the instance's terminal.",
        cause: thrown,
      });
    }
    const code = systemCode(thrown instanceof Error ? thrown.cause : undefined);
    throw new CliError(`Nothing answers at ${url}.`, {
      why: code === "" ? "The connection was cut, or this is not an address." : `The system says ${code}.`,
      next: "Start it with `npm start`, or name another instance with KAIBO_URL.",
      cause: thrown,
    });
  }
}

function notKaibo(url: string, why: string): CliError {
  return new CliError(`${url} does not speak Kaibo's API.`, {
    why,
    next: "Check the address, and that both are one version.",
  });
}
