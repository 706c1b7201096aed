import fc from "fast-check";
import { describe, it } from "vitest";
import type { StepRecord, ToolCallRecord } from "../../../../shared/contract/turn-record.ts";
import { type FinishedTurn, type OtlpSpan, toOtlpTraces } from "../../../../shared/inference/gen-ai-spans.ts";

const START_MS = 1_700_000_000_123;

const aTurn = (fields: Partial<FinishedTurn> = {}): FinishedTurn => ({
  room: "room-1",
  merchant: "m1",
  turn: "t7",
  attempt: 1,
  harness: { name: "live-host", version: "a".repeat(64) },
  startedAtMs: START_MS,
  endedAtMs: START_MS + 900,
  outcome: "answered",
  reason: null,
  firstSentenceMs: 310,
  trace: { steps: [], hooks: [], model: { endpoint: "gpu-1", model: "Qwen3" }, admission: null },
  ...fields,
});

const aStep = (fields: Partial<StepRecord> = {}): StepRecord => ({
  index: 0,
  startedMs: 20,
  firstDeltaMs: 220,
  endedMs: 600,
  finish: "stop",
  code: null,
  text: "",
  usage: null,
  servedBy: null,
  toolCalls: [],
  ...fields,
});

const aCall = (fields: Partial<ToolCallRecord> = {}): ToolCallRecord => ({
  callId: "call_1",
  tool: "get_stock",
  argumentsText: "{}",
  outcome: "tool-result",
  code: null,
  output: "",
  startedMs: 600,
  endedMs: 650,
  ...fields,
});

const servedBy = { endpoint: "gpu-1", model: "Qwen3", tier: "main" as const, acceptanceLength: null, tries: [] };

const withTrace = (trace: Partial<FinishedTurn["trace"]>, turn: Partial<FinishedTurn> = {}) =>
  aTurn({ ...turn, trace: { ...aTurn().trace, ...trace } });

const requestOf = (turn: FinishedTurn) => toOtlpTraces(turn, { serviceName: "kaibo", serviceVersion: "1.2.3" });

const spansOf = (turn: FinishedTurn): readonly OtlpSpan[] =>
  requestOf(turn).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));

function spanNamed(turn: FinishedTurn, name: string): OtlpSpan {
  const span = spansOf(turn).find((one) => one.name === name);
  if (span === undefined) throw new Error(`no span ${name}`);
  return span;
}

/** Attributes with the wrapped value as JSON has it. */
const attributesOf = ({ attributes }: Pick<OtlpSpan, "attributes">): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value]));

describe("toOtlpTraces", () => {
  it("names the service, and the version of the conventions", ({ expect }) => {
    const [resourceSpans] = requestOf(aTurn()).resourceSpans;
    expect(resourceSpans?.resource.attributes).toEqual([
      { key: "service.name", value: { stringValue: "kaibo" } },
      { key: "service.version", value: { stringValue: "1.2.3" } },
    ]);
    expect(resourceSpans?.scopeSpans[0]).toMatchObject({
      scope: { name: "kaibo", version: "1.2.3" },
      schemaUrl: "https://opentelemetry.io/schemas/1.41.0",
    });
  });

  it("makes one trace of a turn, its model calls and its tool calls", ({ expect }) => {
    const steps = [
      aStep({ finish: "tool-calls", toolCalls: [aCall(), aCall({ callId: "call_2", tool: "get_price" })] }),
      aStep({ index: 1, startedMs: 650, endedMs: 900 }),
    ];
    const spans = spansOf(withTrace({ steps }));
    expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
      ["invoke_agent live-host", 1],
      ["chat Qwen3", 3],
      ["execute_tool get_stock", 1],
      ["execute_tool get_price", 1],
      ["chat Qwen3", 3],
    ]);
    const [root, ...children] = spans;
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(5);
    expect(root).not.toHaveProperty("parentSpanId");
    expect(children.map(({ parentSpanId }) => parentSpanId)).toEqual(children.map(() => root?.spanId));
  });

  it("tells of the turn", ({ expect }) => {
    const admission = {
      endpoint: "gpu-1",
      waitedMs: 12,
      local: false,
      refusals: [{ endpoint: "gpu-2", reason: "busy", expectedWaitMs: 900 }],
    };
    expect(attributesOf(spanNamed(withTrace({ admission }), "invoke_agent live-host"))).toEqual({
      "gen_ai.operation.name": { stringValue: "invoke_agent" },
      "gen_ai.provider.name": { stringValue: "openai" },
      "gen_ai.agent.name": { stringValue: "live-host" },
      "gen_ai.agent.version": { stringValue: "a".repeat(64) },
      "gen_ai.conversation.id": { stringValue: "room-1" },
      "gen_ai.request.model": { stringValue: "Qwen3" },
      "kaibo.merchant.id": { stringValue: "m1" },
      "kaibo.turn.id": { stringValue: "t7" },
      "kaibo.turn.attempt": { intValue: "1" },
      "kaibo.outcome": { stringValue: "answered" },
      "kaibo.first_sentence_ms": { intValue: "310" },
      "kaibo.admission.endpoint": { stringValue: "gpu-1" },
      "kaibo.admission.waited_ms": { intValue: "12" },
      "kaibo.admission.local": { boolValue: false },
      "kaibo.admission.refusals": { arrayValue: { values: [{ stringValue: "gpu-2 busy" }] } },
    });
  });

  it("tells of a model call by the endpoint that served it", ({ expect }) => {
    const tries = [{ endpoint: "gpu-2", code: "model_timed_out", ms: 150 }];
    const step = aStep({
      usage: { inputTokens: 1_200, outputTokens: 40, cachedTokens: 1_024, estimated: false },
      servedBy: { endpoint: "backup", model: "GLM", tier: "fallback", firstTokenMs: 50, acceptanceLength: 2, tries },
    });
    expect(attributesOf(spanNamed(withTrace({ steps: [step] }), "chat GLM"))).toEqual({
      "gen_ai.operation.name": { stringValue: "chat" },
      "gen_ai.provider.name": { stringValue: "openai" },
      "gen_ai.conversation.id": { stringValue: "room-1" },
      "gen_ai.prompt.name": { stringValue: "live-host" },
      "gen_ai.prompt.version": { stringValue: "a".repeat(64) },
      "gen_ai.request.model": { stringValue: "GLM" },
      "gen_ai.request.stream": { boolValue: true },
      "gen_ai.response.finish_reasons": { arrayValue: { values: [{ stringValue: "stop" }] } },
      "gen_ai.response.time_to_first_chunk": { doubleValue: 0.05 },
      "gen_ai.usage.input_tokens": { intValue: "1200" },
      "gen_ai.usage.output_tokens": { intValue: "40" },
      "gen_ai.usage.cache_read.input_tokens": { intValue: "1024" },
      "kaibo.usage.estimated": { boolValue: false },
      "kaibo.step.finish": { stringValue: "stop" },
      "kaibo.endpoint.name": { stringValue: "backup" },
      "kaibo.endpoint.tier": { stringValue: "fallback" },
      "kaibo.endpoint.tries": { arrayValue: { values: [{ stringValue: "gpu-2 model_timed_out" }] } },
      "kaibo.acceptance_length": { doubleValue: 2 },
    });
  });

  it("counts the first chunk from the call's start where the endpoint's own wait is not known", ({ expect }) => {
    const chat = spanNamed(withTrace({ steps: [aStep()] }), "chat Qwen3");
    expect(attributesOf(chat)["gen_ai.response.time_to_first_chunk"]).toEqual({ doubleValue: 0.2 });
  });

  it("leaves out what is not known", ({ expect }) => {
    const usage = { inputTokens: 9, outputTokens: 1, cachedTokens: null, estimated: true };
    const steps = [aStep({ firstDeltaMs: null, usage, servedBy: { ...servedBy, firstTokenMs: null } })];
    const chat = attributesOf(spanNamed(withTrace({ steps }), "chat Qwen3"));
    expect(Object.keys(chat)).not.toContain("gen_ai.response.time_to_first_chunk");
    expect(Object.keys(chat)).not.toContain("gen_ai.usage.cache_read.input_tokens");
    expect(Object.keys(chat)).not.toContain("kaibo.acceptance_length");
  });

  it("takes a record from before there was admission", ({ expect }) => {
    const { steps, hooks, model } = withTrace({ steps: [aStep()] }).trace;
    const keys = spansOf(aTurn({ trace: { steps, hooks, model } })).flatMap((span) => Object.keys(attributesOf(span)));
    expect(keys.filter((key) => key.startsWith("kaibo.admission"))).toEqual([]);
  });

  it("gives the policy inside the Worker its own provider", ({ expect }) => {
    const turn = withTrace({ steps: [aStep()], model: { endpoint: "offline", model: "offline-policy" } });
    for (const span of spansOf(turn)) {
      expect(attributesOf(span)["gen_ai.provider.name"]).toEqual({ stringValue: "kaibo" });
    }
  });

  it.for([
    [{ finish: "error", code: "model_unavailable" }, "model_unavailable"],
    [{ finish: "error", code: null }, "_OTHER"],
    [{ finish: "incomplete", code: null }, "_OTHER"],
    [{ finish: "error", code: "the provider's own words" }, "_OTHER"],
    [{ finish: "aborted", code: null }, null],
    [{ finish: "blocked", code: null }, null],
    [{ finish: "length", code: null }, null],
  ] as const)("of a call with %j, the error is %s", ([fields, error], { expect }) => {
    const chat = spanNamed(withTrace({ steps: [aStep(fields)] }), "chat Qwen3");
    expect(chat.status).toEqual(error === null ? {} : { code: 2 });
    expect(attributesOf(chat)["error.type"]).toEqual(error === null ? undefined : { stringValue: error });
  });

  it.for([
    ["tool-calls", "tool_calls"],
    ["content-filter", "content_filter"],
    ["blocked", null],
    ["aborted", null],
  ] as const)("gives the finish %s as the model's reason %s", ([finish, reason], { expect }) => {
    const chat = attributesOf(spanNamed(withTrace({ steps: [aStep({ finish })] }), "chat Qwen3"));
    expect(chat["gen_ai.response.finish_reasons"]).toEqual(
      reason === null ? undefined : { arrayValue: { values: [{ stringValue: reason }] } },
    );
    expect(chat["kaibo.step.finish"]).toEqual({ stringValue: finish });
  });

  it.for([
    ["answered", "deadline_exceeded", null],
    ["silent", "hook:off-topic", null],
    ["fallback", "model_unavailable", "model_unavailable"],
    ["fallback", null, "_OTHER"],
    ["expired", "expired", "expired"],
  ] as const)("of a turn %s because of %s, the error is %s", ([outcome, reason, error], { expect }) => {
    const root = spanNamed(aTurn({ outcome, reason }), "invoke_agent live-host");
    expect(root.status).toEqual(error === null ? {} : { code: 2 });
    expect(attributesOf(root)["error.type"]).toEqual(error === null ? undefined : { stringValue: error });
    expect(attributesOf(root)["kaibo.reason"]).toEqual(reason === null ? undefined : { stringValue: reason });
  });

  it("tells of a tool call, and of one that failed", ({ expect }) => {
    const failed = aCall({ tool: "get_price", outcome: "tool-error", code: "tool_timed_out" });
    const turn = withTrace({ steps: [aStep({ toolCalls: [aCall(), failed] })] });
    const done = spanNamed(turn, "execute_tool get_stock");
    expect(done.status).toEqual({});
    expect(attributesOf(done)).toEqual({
      "gen_ai.operation.name": { stringValue: "execute_tool" },
      "gen_ai.tool.name": { stringValue: "get_stock" },
      "gen_ai.tool.call.id": { stringValue: "call_1" },
    });
    const late = spanNamed(turn, "execute_tool get_price");
    expect(late.status).toEqual({ code: 2 });
    expect(attributesOf(late)["error.type"]).toEqual({ stringValue: "tool_timed_out" });
  });

  it("does not repeat the name that a policy made up for a tool", ({ expect }) => {
    const call = aCall({ tool: "call_13800001234", outcome: "tool-error", code: "tool_not_found" });
    const spans = spansOf(withTrace({ steps: [aStep({ toolCalls: [call] })] }));
    expect(spans.map(({ name }) => name)).toContain("execute_tool _OTHER");
    expect(JSON.stringify(spans)).not.toContain("13800001234");
  });

  it("puts the verdicts of hooks on the turn, without their reasons", ({ expect }) => {
    const hook = {
      hook: "price",
      event: "PreUtterance",
      verdict: "deny" as const,
      atMs: 400,
      reason: "错",
      subject: "价",
    };
    const root = spanNamed(withTrace({ hooks: [hook] }), "invoke_agent live-host");
    expect(root.events).toEqual([
      {
        timeUnixNano: "1700000000523000000",
        name: "hook",
        attributes: [
          { key: "kaibo.hook.name", value: { stringValue: "price" } },
          { key: "kaibo.hook.event", value: { stringValue: "PreUtterance" } },
          { key: "kaibo.hook.verdict", value: { stringValue: "deny" } },
        ],
      },
    ]);
  });

  it("gives times in nanoseconds since the epoch, exact to the microsecond", ({ expect }) => {
    const turn = withTrace({ steps: [aStep({ startedMs: 20.25, endedMs: 600 })] });
    expect(spanNamed(turn, "invoke_agent live-host")).toMatchObject({
      startTimeUnixNano: "1700000000123000000",
      endTimeUnixNano: "1700000001023000000",
    });
    expect(spanNamed(turn, "chat Qwen3")).toMatchObject({
      startTimeUnixNano: "1700000000143250000",
      endTimeUnixNano: "1700000000723000000",
    });
  });

  it("ends no span before it starts, whatever two clocks say", ({ expect }) => {
    const root = spanNamed(aTurn({ endedAtMs: START_MS - 50 }), "invoke_agent live-host");
    expect(root.endTimeUnixNano).toBe(root.startTimeUnixNano);
  });

  it("gives a turn the same ids whenever it is exported", ({ expect }) => {
    const turn = withTrace({ steps: [aStep({ toolCalls: [aCall()] })] });
    expect(requestOf(turn)).toEqual(requestOf(structuredClone(turn)));
    // Fixed: a later version that exports the turn again must find the same trace.
    expect(spansOf(turn)[0]).toMatchObject({ traceId: "becb3a63466c04dc1d686e585d82bdf5", spanId: "682051660bf919f9" });
  });

  it.for([{ room: "room-2" }, { turn: "t8" }, { attempt: 2 }, { startedAtMs: START_MS + 1 }])(
    "gives a turn that differs in %j another trace",
    (fields, { expect }) => {
      expect(spansOf(aTurn(fields))[0]?.traceId).not.toBe(spansOf(aTurn())[0]?.traceId);
    },
  );

  it("spreads the traces of neighbouring turns, for collectors that sample by id", ({ expect }) => {
    const ids = Array.from({ length: 1_000 }, (_, index) => spansOf(aTurn({ turn: `t${index}` }))[0]?.traceId ?? "");
    expect(new Set(ids).size).toBe(1_000);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
    // A tenth, by the last byte: the binomial's 6 sigma to both sides of 102.
    const sampled = ids.filter((id) => Number.parseInt(id.slice(-2), 16) < 26).length;
    expect(sampled).toBeGreaterThan(44);
    expect(sampled).toBeLessThan(160);
  });

  it("holds no word of a step, a tool call or a hook", ({ expect }) => {
    // Not an attribute's name or a plain value by chance: every text has a mark that nothing else has.
    const words = fc.string({ unit: "binary", maxLength: 40 }).map((text) => `秘${text}`);
    fc.assert(
      fc.property(words, (secret) => {
        const call = { callId: secret, tool: secret, argumentsText: secret, output: secret };
        const tries = [{ endpoint: "gpu-2", code: secret, ms: 1 }];
        const steps = [
          aStep({ text: secret, toolCalls: [aCall(call), aCall({ ...call, outcome: "tool-error", code: secret })] }),
          aStep({ index: 1, code: secret, servedBy: { ...servedBy, firstTokenMs: null, tries } }),
        ];
        const hook = {
          hook: "price",
          event: "Stop",
          verdict: "deny" as const,
          atMs: 1,
          reason: secret,
          subject: secret,
        };
        const turn = withTrace({ steps, hooks: [hook] }, { outcome: "fallback", reason: secret });
        expect(JSON.stringify(requestOf(turn))).not.toContain("秘");
      }),
    );
  });
});
