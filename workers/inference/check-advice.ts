/** What a check says to people: which field of the configuration is concerned, what was seen, and what to do. Pure. */
import type { EndpointConfig, EndpointField } from "../../shared/contract/endpoint.ts";
import type { UsedFields } from "./check-requests.ts";
import type { CallFailure, ChatAnswer } from "./server-probe.ts";

type Advice = { readonly field: string; readonly reason: string };
type Kind = EndpointConfig["kind"];

/** What is known when a call fails. */
export type FailedCall = {
  readonly config: EndpointConfig;
  readonly hasKey: boolean;
  readonly path: string;
  /** `/models` was there: a 404 elsewhere is the model's. */
  readonly isBaseKnown: boolean;
};

/**
 * Statuses that Cloudflare answers with when it cannot reach a server for a Worker.
 * Source: https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
 */
const CLOUDFLARE_STATUSES: ReadonlyMap<number, string> = new Map([
  [521, "nothing listens there: check the port, and that the server is up"],
  [522, "the connection timed out: check the firewall"],
  [523, "no route leads there: check the name's DNS record"],
  [524, "it did not answer in time"],
  [525, "TLS failed: check http against https"],
  [526, "TLS failed: the certificate is not valid for this name"],
  [530, "its name is not known: check the spelling, and that the name is public"],
]);

/** Why a call that every endpoint must serve was not served. */
export function explainFailure(failure: CallFailure, call: FailedCall): Advice {
  switch (failure.kind) {
    case "unreachable":
      return onBaseUrl(`The server cannot be reached: ${failure.why}.`);
    case "timed-out":
      return explainTimeout(failure.limitMs, call.path);
    case "cut-short":
      return onBaseUrl("The server is too slow: the time of the whole check was up. Check again when it is less busy.");
    case "redirect":
      return onBaseUrl(
        `The server redirects (HTTP ${failure.status}), which is not followed. Set baseUrl to where it leads: ${failure.to}`,
      );
    case "status":
      return explainStatus(failure, call);
    case "web-page":
      return onBaseUrl(
        `${call.path} answers with a web page, not with the OpenAI API. Its base URL usually ends in /v1.`,
      );
    case "no-stream":
      return onBaseUrl(
        "The server does not stream: the answer came without server-sent events. Use its own address, or a proxy that passes streams on.",
      );
    case "stream-error":
      return { field: "model", reason: `The server failed within its answer: ${failure.says}` };
  }
}

function explainTimeout(limitMs: number, path: string): Advice {
  if (path === "/models") {
    return onBaseUrl(`No answer within ${limitMs} ms: check host, port and firewall, or raise connectTimeoutMs.`);
  }
  return {
    field: "model",
    reason: `A short call gave no token within ${limitMs} ms: look at the server's log and load.`,
  };
}

function explainStatus({ status, says }: { status: number; says: string }, call: FailedCall): Advice {
  const { config, hasKey, path, isBaseKnown } = call;
  // Source: https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/error-1003/
  if (status === 403 && /error code: 1003|Direct IP access/i.test(says)) {
    return onBaseUrl("Workers cannot call a bare IP address: give the server a name.");
  }
  if (status === 401 || status === 403) return { field: "keyBinding", reason: explainKey(status, config, hasKey) };
  const words = says === "" ? "it says no more" : says;
  if (status === 404) {
    const isModel = isBaseKnown || /model/i.test(says);
    if (isModel) return { field: "model", reason: `The server does not serve this model (HTTP 404): ${words}` };
    return onBaseUrl(`Neither /models nor ${path} is there (HTTP 404). The base URL usually ends in /v1.`);
  }
  const cloudflare = CLOUDFLARE_STATUSES.get(status);
  if (cloudflare !== undefined) return onBaseUrl(`The server cannot be reached (HTTP ${status}): ${cloudflare}.`);
  if (status === 400 || status === 422) {
    return { field: "model", reason: `The server refuses a plain call (HTTP ${status}): ${words}` };
  }
  return onBaseUrl(`${path} answers HTTP ${status}: ${words}`);
}

function explainKey(status: number, { keyBinding }: EndpointConfig, hasKey: boolean): string {
  if (hasKey)
    return `The server refused the key${keyBinding === undefined ? "" : ` of ${keyBinding}`} (HTTP ${status}).`;
  return `The server wants a key (HTTP ${status}): store it as a secret INFERENCE_KEY_<NAME>, and name that in keyBinding.`;
}

function onBaseUrl(reason: string): Advice {
  return { field: "baseUrl", reason };
}

/** A failure in few words, for a part of the check that is not essential. */
export function nameFailure(failure: CallFailure): string {
  switch (failure.kind) {
    case "timed-out":
      return `no answer within ${failure.limitMs} ms`;
    case "cut-short":
      return "the time of the whole check was up";
    case "status":
      return `HTTP ${failure.status}${failure.says === "" ? "" : `, ${failure.says}`}`;
    case "stream-error":
      return failure.says;
    case "unreachable":
    case "redirect":
    case "web-page":
    case "no-stream":
      return failure.kind.replace("-", " ");
  }
}

const FIELD_ADVICE: Readonly<Record<EndpointField, { readonly mend: string; readonly without: string }>> = {
  priority: {
    mend: "start the server with priority scheduling",
    without: "its queue takes turns in the order they come",
  },
  cache_salt: { mend: "update the server", without: "merchants share its prefix cache" },
  chat_template_kwargs: {
    mend: "update the server",
    without: "thoughts can be turned off at its start only",
  },
  continuous_usage_stats: {
    mend: "update the server",
    without: "the tokens of an interrupted call are estimated",
  },
};

const PRIORITY_FLAGS: Readonly<Partial<Record<Kind, string>>> = {
  vllm: "start vLLM with --scheduling-policy priority",
  sglang: "start SGLang with --enable-priority-scheduling",
};

/** What to do about a field that the server refuses. */
export function adviseOnField(field: EndpointField, kind: Kind, isListed: boolean): Advice {
  const { mend, without } = FIELD_ADVICE[field];
  const flag = field === "priority" ? (PRIORITY_FLAGS[kind] ?? mend) : mend;
  const rest = isListed ? `${flag}, or take it out of fields.` : `${flag}; without it, ${without}.`;
  return { field: "fields", reason: `The server refuses \`${field}\`: ${rest}` };
}

const TOOL_FLAGS: Readonly<Record<Kind, string>> = {
  vllm: "start vLLM with --enable-auto-tool-choice --tool-call-parser and the model's parser (Qwen3.5 and 3.6: qwen3_coder)",
  sglang: "start SGLang with --tool-call-parser and the model's parser (Qwen3.5 and 3.6: qwen3_coder)",
  openai: "start the server with tool calls on (llama.cpp: --jinja), or choose a model that has them",
};

/** @param says - What the server said to the tools, if it refused them. */
export function adviseOnToolParser(kind: Kind, says?: string): Advice {
  const seen = says === undefined ? "Tool calls come as text" : `The server refuses tools (${says})`;
  return { field: "kind", reason: `${seen}: ${TOOL_FLAGS[kind]}.` };
}

const CACHE_FLAGS: Readonly<Record<Kind, string>> = {
  vllm: "start vLLM with --enable-prompt-tokens-details and --enable-prefix-caching",
  sglang: "start SGLang with --enable-cache-report",
  openai: "see whether its server has a setting for that",
};

/** @param cachedTokens - As the second of two equal calls had it; `null` if it said nothing. */
export function adviseOnCache(kind: Kind, cachedTokens: number | null): Advice {
  if (cachedTokens === null) {
    const reason = `The server does not say what its prefix cache held, so that a lost cache goes unseen: ${CACHE_FLAGS[kind]}.`;
    return { field: "kind", reason };
  }
  const reason =
    "A prompt that was sent twice was not found in the prefix cache: look at the server's cache settings and block size.";
  return { field: "kind", reason };
}

const METRICS_FLAGS: Readonly<Partial<Record<Kind, string>>> = {
  vllm: "pass /metrics on, if a proxy stands before vLLM",
  sglang: "start SGLang with --enable-metrics",
};

export function adviseOnMetrics(kind: Kind): Advice {
  const reason = `/metrics has no figures of ${kind}, so that its queue and cache go unseen: ${METRICS_FLAGS[kind] ?? "see its manual"}.`;
  return { field: "kind", reason };
}

/** What became of thoughts that were not wanted. At most one of both is set. */
export type ThoughtsFound = { readonly hasThought: boolean; readonly problem?: Advice; readonly warning?: Advice };

/** Looks for thoughts in an answer to a call that turned them off, and at how turns would take them. */
export function judgeThoughts(config: EndpointConfig, answer: ChatAnswer, fields: UsedFields): ThoughtsFound {
  // Templates with thoughts off may still leave an empty pair of tags, or the second of them.
  const content = answer.content.replace(/^\s*(?:<think>)?\s*<\/think>/, "");
  const isOpenedByTemplate = /^(?:(?!<think>).)*<\/think>/s.test(content);
  const problem = judgeOpening(config, answer.content, isOpenedByTemplate);
  const hasThought = isOpenedByTemplate || content.includes("<think>") || answer.reasoning.trim() !== "";
  if (problem !== null) return { hasThought, problem };
  if (!hasThought) return { hasThought };
  const how = fields.has("chat_template_kwargs")
    ? "the model does not heed `enable_thinking`; turn thoughts off where the server starts, or choose a model without them"
    : "let fields have `chat_template_kwargs`, or turn thoughts off where the server starts";
  if (answer.text.trim() === "") {
    return { hasThought, problem: { field: "kind", reason: `Only thoughts came, though they are off: ${how}.` } };
  }
  const reason = `Thoughts come though they are off, and every answer waits for them: ${how}.`;
  return { hasThought, warning: { field: "kind", reason } };
}

/** Whether `opensThinking` says how the answer begins: set wrongly, thoughts are spoken, or nothing is. */
function judgeOpening(config: EndpointConfig, content: string, isOpenedByTemplate: boolean): Advice | null {
  if (isOpenedByTemplate && !config.opensThinking) {
    const reason =
      "A </think> came without its <think>, so that thoughts would be spoken: " +
      "set opensThinking: true, or start the server with a reasoning parser.";
    return { field: "opensThinking", reason };
  }
  if (config.opensThinking && content !== "" && !content.includes("</think>")) {
    const reason =
      "No </think> came, so that the whole answer would be taken for a thought: " +
      "set opensThinking: false, or turn thoughts off where the server starts.";
    return { field: "opensThinking", reason };
  }
  return null;
}
