/** Asks a server what it really does, before turns depend on it: its flags decide more than its name. */
import { parseToolArguments } from "../../shared/agent/stream/parse-tool-arguments.ts";
import {
  endpointFieldSchema,
  type EndpointCapabilities,
  type EndpointConfig,
  type EndpointField,
} from "../../shared/contract/endpoint.ts";
import type { EndpointProblem } from "../../shared/contract/http-api.ts";
import { parseJson } from "../../shared/core/json.ts";
import { systemTimer } from "../platform/system-clock.ts";
import {
  adviseOnCache,
  adviseOnField,
  adviseOnMetrics,
  adviseOnToolParser,
  explainFailure,
  judgeThoughts,
  nameFailure,
} from "./check-advice.ts";
import { CHECK_TOOL, longCall, plainCall, shortCall, toolCall, type UsedFields } from "./check-requests.ts";
import { isMetadataHost } from "./metadata-host.ts";
import { createServerProbe, type CallFailure, type ChatAnswer, type ServerProbe } from "./server-probe.ts";

export type EndpointCheck = {
  readonly capabilities: EndpointCapabilities;
  /** With these, turns would fail, or speak what they should not. */
  readonly problems: readonly EndpointProblem[];
  /** With these, turns are slower, or less is known about them. */
  readonly warnings: readonly EndpointProblem[];
};

/** Longest check, ms: an operator waits for it, and so does the edge's request. */
const CHECK_MS_MAX = 25_000;

/** Longest single calls, ms. The first one may find a server that loads its model. */
const FIRST_CALL_MS_MAX = 8_000;
const SHORT_CALL_MS_MAX = 4_000;
const ANSWER_MS_MAX = 8_000;
const METRICS_MS_MAX = 3_000;

/** Model ids that a reason names. */
const MODELS_NAMED_MAX = 10;

/** What is written into the text when nothing parses tool calls: Qwen and Hermes, Qwen-Coder, Mistral, bare JSON. */
const TOOL_CALL_AS_TEXT = /<tool_call>|<function=|\[TOOL_CALLS\]|"name"\s*:\s*"get_price"/;

type Check = {
  readonly config: EndpointConfig;
  readonly hasKey: boolean;
  readonly server: ServerProbe;
  readonly problems: EndpointProblem[];
  readonly warnings: EndpointProblem[];
};

type Findings = Omit<EndpointCapabilities, "checkedAtMs">;

const NOTHING_FOUND: Findings = {
  fields: [],
  tools: false,
  streamingUsage: false,
  reportsCachedTokens: false,
  thinkingOff: false,
  metrics: false,
  firstTokenMs: null,
};

/**
 * Checks a server against its configuration with about ten short calls, in at most 25 s. Never throws.
 *
 * A server that cannot be used at all (no connection, key refused, model not there) gets its problem and no further
 * calls. Reasons hold at most 200 characters of the server's own words, and never the key.
 *
 * @param options.apiKey - Empty for a server without a key. Sent to the origin of `config.baseUrl` alone.
 */
export async function checkEndpoint(options: {
  config: EndpointConfig;
  apiKey: string;
  nowMs: number;
  fetch?: typeof fetch;
}): Promise<EndpointCheck> {
  const { config, apiKey, nowMs } = options;
  const whole = new AbortController();
  const cancel = systemTimer.after(CHECK_MS_MAX, () => whole.abort());
  const server = createServerProbe({
    baseUrl: config.baseUrl,
    apiKey,
    opensThinking: config.opensThinking,
    signal: whole.signal,
    fetch: options.fetch ?? fetch,
  });
  const check: Check = { config, hasKey: apiKey !== "", server, problems: [], warnings: [] };
  try {
    const unfit = findUnfit(config, apiKey);
    if (unfit !== null) check.problems.push(unfit);
    const found = unfit === null ? await lookInto(check) : NOTHING_FOUND;
    return { capabilities: { checkedAtMs: nowMs, ...found }, problems: check.problems, warnings: check.warnings };
  } finally {
    cancel();
    whole.abort();
  }
}

/** The first call wakes the server up, and the plain one runs alone: its times are those of an idle server. */
async function lookInto(check: Check): Promise<Findings> {
  const models = await checkModels(check);
  if (models === "unusable" || !(await checkFirstCall(check, models === "listed"))) return NOTHING_FOUND;
  const [fields, metrics] = await Promise.all([checkFields(check), checkMetrics(check)]);
  const wanted = check.config.fields ?? fields;
  const used = new Set(fields.filter((field) => wanted.includes(field)));
  const plain = await checkPlainCall(check, used);
  const [tools, reportsCachedTokens] = await Promise.all([checkTools(check, used), checkCache(check, used)]);
  return { fields, metrics, ...plain, tools, reportsCachedTokens };
}

/** What is refused without a call; `null` for nothing. */
function findUnfit({ baseUrl }: EndpointConfig, apiKey: string): EndpointProblem | null {
  if (isMetadataHost(baseUrl)) {
    const reason = "The address is link-local or a cloud's metadata service, where no inference server is.";
    return { field: "baseUrl", reason };
  }
  if (/^[\x21-\x7e]*$/.test(apiKey)) return null;
  const reason = "The key holds white space or characters that no header may carry: store the secret again.";
  return { field: "keyBinding", reason };
}

/** Whether the server can be reached and has the model; some do not say which models they have. */
async function checkModels(check: Check): Promise<"listed" | "unlisted" | "unusable"> {
  const { config, hasKey, server, problems, warnings } = check;
  const listed = await server.get(`${config.baseUrl}/models`, config.connectTimeoutMs);
  if (!listed.ok) {
    const { error } = listed;
    if (error.kind === "status" && (error.status === 404 || error.status === 405)) {
      warnings.push({ field: "baseUrl", reason: `/models answers HTTP ${error.status}: the models are not known.` });
      return "unlisted";
    }
    problems.push(explainFailure(error, { config, hasKey, path: "/models", isBaseKnown: false }));
    return "unusable";
  }
  const ids = readModelIds(parseJson(listed.value));
  if (ids === null) {
    const reason =
      "/models answers with no list of models: this is not the OpenAI API. Its base URL usually ends in /v1.";
    problems.push({ field: "baseUrl", reason });
    return "unusable";
  }
  if (ids.includes(config.model)) return "listed";
  const named = server.quote(ids.slice(0, MODELS_NAMED_MAX).join(", "));
  const reason =
    ids.length === 0 ? "The server has no model." : `The server does not have this model. It has: ${named}`;
  problems.push({ field: "model", reason });
  return "unusable";
}

/** The least that every server must do. What is refused later is refused because of what was added to this. */
async function checkFirstCall(check: Check, isBaseKnown: boolean): Promise<boolean> {
  const { config, hasKey, server, problems } = check;
  const called = await server.chat(shortCall(config.model, new Set()), FIRST_CALL_MS_MAX);
  if (called.ok) return true;
  problems.push(explainFailure(called.error, { config, hasKey, path: "/chat/completions", isBaseKnown }));
  return false;
}

/** The fields that the server takes, in use or not. One that ignores what it does not know takes them all. */
async function checkFields({ config, server, problems, warnings }: Check): Promise<EndpointField[]> {
  const calls = endpointFieldSchema.options.map(async (field) => {
    const called = await server.chat(shortCall(config.model, new Set([field])), SHORT_CALL_MS_MAX);
    return { field, failure: called.ok ? null : called.error };
  });
  const taken: EndpointField[] = [];
  for (const { field, failure } of await Promise.all(calls)) {
    const isListed = config.fields?.includes(field) ?? false;
    if (failure === null) taken.push(field);
    else if (!isRefusal(failure)) {
      const reason = `Whether the server takes \`${field}\` is not known: ${nameFailure(failure)}`;
      warnings.push({ field: "fields", reason });
    } else if (isListed) problems.push(adviseOnField(field, config.kind, isListed));
    // Nobody asked for it; only the engines that know the fields could take it.
    else if (config.fields === undefined && config.kind !== "openai") {
      warnings.push(adviseOnField(field, config.kind, isListed));
    }
  }
  return taken;
}

/** A server may refuse a request before it answers, or as the first event of its stream. */
function isRefusal(failure: CallFailure): boolean {
  return failure.kind === "stream-error" || (failure.kind === "status" && [400, 422, 501].includes(failure.status));
}

async function checkMetrics({ config, server, warnings }: Check): Promise<boolean> {
  // No common names: what such a server has, nobody here would read.
  if (config.kind === "openai") return false;
  const got = await server.get(`${new URL(config.baseUrl).origin}/metrics`, METRICS_MS_MAX);
  if (got.ok && got.value.includes(`${config.kind}:`)) return true;
  warnings.push(adviseOnMetrics(config.kind));
  return false;
}

/** An answer as turns get it: with all fields in use and thoughts off. */
async function checkPlainCall(
  check: Check,
  used: UsedFields,
): Promise<Pick<Findings, "streamingUsage" | "thinkingOff" | "firstTokenMs">> {
  const { config, hasKey, server, problems, warnings } = check;
  const called = await server.chat(plainCall(config.model, used), ANSWER_MS_MAX);
  if (!called.ok) {
    problems.push(explainFailure(called.error, { config, hasKey, path: "/chat/completions", isBaseKnown: true }));
    return NOTHING_FOUND;
  }
  const answer = called.value;
  const thoughts = judgeThoughts(config, answer, used);
  if (thoughts.problem !== undefined) problems.push(thoughts.problem);
  else if (answer.text.trim() === "") problems.push({ field: "model", reason: "The answer held no text." });
  if (thoughts.warning !== undefined) warnings.push(thoughts.warning);
  noteManner(check, answer, used);
  const { usage, firstTokenMs } = answer;
  return { streamingUsage: usage !== null, thinkingOff: !thoughts.hasThought, firstTokenMs };
}

/** How the answer came, apart from what it said. */
function noteManner({ config, problems, warnings }: Check, answer: ChatAnswer, used: UsedFields): void {
  const { headersMs, usage, hasEarlyUsage, isWhole, text } = answer;
  if (headersMs > config.connectTimeoutMs) {
    const reason = `The headers took ${headersMs} ms, and turns wait for ${config.connectTimeoutMs} ms only: raise it.`;
    problems.push({ field: "connectTimeoutMs", reason });
  }
  if (usage === null) {
    warnings.push({ field: "kind", reason: "No usage came with the stream: the tokens of turns are estimated." });
  } else if (used.has("continuous_usage_stats") && !hasEarlyUsage && config.kind !== "openai") {
    const reason =
      "Usage came at the end only, though `continuous_usage_stats` was taken: interrupted calls are estimated.";
    warnings.push({ field: "fields", reason });
  }
  if (!isWhole && text.trim() !== "") {
    const reason = "An answer of two words had no end: if it thinks aloud, set opensThinking or turn thoughts off.";
    warnings.push({ field: "model", reason });
  }
}

/** Whether a plain request for a tool call gets one, parsed by the server. Without that, a harness can do nothing. */
async function checkTools({ config, server, problems }: Check, used: UsedFields): Promise<boolean> {
  const called = await server.chat(toolCall(config.model, used), ANSWER_MS_MAX);
  if (!called.ok) {
    const { error } = called;
    const reason = `The call with a tool failed: ${nameFailure(error)}`;
    problems.push(isRefusal(error) ? adviseOnToolParser(config.kind, nameFailure(error)) : { field: "model", reason });
    return false;
  }
  const { toolCalls, content, reasoning } = called.value;
  const isGood = toolCalls.some(
    ({ name, argumentsText }) => name === CHECK_TOOL && parseToolArguments(argumentsText).ok,
  );
  if (isGood) return true;
  if (toolCalls.length > 0)
    problems.push({ field: "kind", reason: "The tool call came broken: check the server's tool call parser." });
  else if (TOOL_CALL_AS_TEXT.test(content + reasoning)) problems.push(adviseOnToolParser(config.kind));
  else
    problems.push({
      field: "model",
      reason:
        "Asked to call a tool, the model did not: choose one that calls tools, or check the server's tool call parser.",
    });
  return false;
}

/** Whether the second of two equal calls is reported as cached. */
async function checkCache({ config, server, warnings }: Check, used: UsedFields): Promise<boolean> {
  const call = longCall(config.model, used);
  const first = await server.chat(call, SHORT_CALL_MS_MAX);
  const second = first.ok ? await server.chat(call, SHORT_CALL_MS_MAX) : first;
  if (!second.ok) {
    const reason = `What the server says about its cache is not known: ${nameFailure(second.error)}`;
    warnings.push({ field: "kind", reason });
    return false;
  }
  const cachedTokens = second.value.usage?.cachedTokens ?? null;
  if (cachedTokens !== null && cachedTokens > 0) return true;
  warnings.push(adviseOnCache(config.kind, cachedTokens));
  return false;
}

/** Ids of an OpenAI list of models; `null` for anything else. Ollama sends `null` for an empty one. */
function readModelIds(parsed: unknown): string[] | null {
  if (typeof parsed !== "object" || parsed === null || !("data" in parsed)) return null;
  if (parsed.data === null) return [];
  if (!Array.isArray(parsed.data)) return null;
  return parsed.data.flatMap((model: unknown) => {
    const id = typeof model === "object" && model !== null && "id" in model ? model.id : undefined;
    return typeof id === "string" ? [id] : [];
  });
}
