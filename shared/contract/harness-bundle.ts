/** A harness as one JSON document: the wire form in KV, whose canonical bytes are its identity. */
import { z } from "zod";
import { intakePolicySchema, interruptionPolicySchema } from "./intake-policy.ts";
import { harnessNameSchema } from "./ids.ts";
import { hookEventSchema } from "./hook-io.ts";
import { strategyPolicySchema } from "./strategy.ts";

/**
 * Bytes of a canonical bundle, UTF-8. A version is one row of D1, which takes 2 MB a row; the rest is for its other columns.
 * Source: https://developers.cloudflare.com/d1/platform/limits/
 */
export const BUNDLE_BYTES_MAX = 1_900_000;

/** Portable tool names: two providers refuse `.`, `-` or `/`. */
const toolNameSchema = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "a letter or _, then letters, digits, _");

/** Agent Skills names. ASCII on purpose: the published rule and its validator disagree on other letters. */
const skillNameSchema = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "a-z, 0-9 and single hyphens")
  .max(64);

export const skillSchema = z.strictObject({
  name: skillNameSchema,
  description: z.string().min(1).max(1_024),
  license: z.string().max(200).optional(),
  compatibility: z.string().min(1).max(500).optional(),
  metadata: z.record(z.string(), z.string()).default({}),
  /** Tools that the skill names; each must exist in the bundle. */
  allowedTools: z.array(toolNameSchema).default([]),
  body: z.string().min(1).max(20_000),
  /** Files beside SKILL.md, by relative path. */
  resources: z.record(z.string(), z.string().max(50_000)).default({}),
});
export type Skill = z.infer<typeof skillSchema>;

/** JSON Schema of a tool's arguments: a flat, closed object, the subset that every engine's grammar takes. */
const toolInputSchemaSchema = z.looseObject({
  type: z.literal("object"),
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
  additionalProperties: z.literal(false),
});

const toolBindingSchema = z.discriminatedUnion("type", [
  /** Code of ours, by name: see `shared/agent/tools/`. */
  z.strictObject({ type: z.literal("builtin"), builtin: z.string().min(1).max(64) }),
  /** A merchant's service. The origin must be on the deployment's allow list, which no bundle can change. */
  z.strictObject({
    type: z.literal("http"),
    url: z.url({ protocol: /^https?$/ }),
    method: z.enum(["GET", "POST"]).default("POST"),
    /** Name of a secret binding sent as `Authorization: Bearer`; only bindings that start with TOOL_SECRET_ are read. */
    secret: z
      .string()
      .regex(/^TOOL_SECRET_[A-Z0-9_]{1,40}$/)
      .optional(),
    bytesMax: z.int().min(1).max(64_000).default(16_000),
  }),
]);

export const toolSchema = z.strictObject({
  name: toolNameSchema,
  title: z.string().max(80).optional(),
  description: z.string().min(1).max(1_024),
  inputSchema: toolInputSchemaSchema,
  annotations: z
    .strictObject({
      title: z.string().optional(),
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    })
    .optional(),
  binding: toolBindingSchema,
  timeoutMs: z.int().min(10).max(10_000).default(1_500),
});
export type ToolDefinition = z.infer<typeof toolSchema>;

/** Shipped checks by type, each with its options. What they find: `shared/agent/checks/`. */
export const hookCheckSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("forbidden-words"),
    words: z.array(z.string().min(1).max(60)).min(1).max(2_000),
    /** Word to what is said instead; with action `rewrite`. */
    replacements: z.record(z.string(), z.string()).default({}),
    /** Longer words in which a listed one is meant differently: "第一次" for "第一". */
    exceptions: z.array(z.string().min(1).max(60)).max(500).default([]),
  }),
  /** Words that China's advertising law forbids in offers (absolute, miraculous, official): the list is shipped, these add to it. */
  z.strictObject({
    type: z.literal("advertising-law"),
    words: z.array(z.string().min(1).max(60)).max(500).default([]),
    replacements: z.record(z.string(), z.string()).default({}),
    exceptions: z.array(z.string().min(1).max(60)).max(500).default([]),
  }),
  /** Prices, stock, discounts, percentages, days and other numbers must occur in the evidence. */
  z.strictObject({
    type: z.literal("number-grounding"),
    kinds: z.array(z.enum(["price", "number"])).default(["price", "number"]),
  }),
  z.strictObject({
    type: z.literal("length"),
    charsMax: z.int().min(1).max(1_000),
    sentencesMax: z.int().min(1).max(50).optional(),
  }),
  /** Share of words of other languages, above which a text is refused. A Chinese character is a word, a run of other letters is one. */
  z.strictObject({
    type: z.literal("language"),
    language: z.enum(["zh", "en"]),
    otherShareMax: z.number().min(0).max(1).default(0.6),
  }),
  /** Phone numbers, WeChat and QQ ids, e-mail, links, in plain or disguised spelling. */
  z.strictObject({ type: z.literal("contact-details") }),
  /** "我帮您登记了" without the tool that does it. `promises` maps a phrase to tools, one of which must have succeeded. */
  z.strictObject({
    type: z.literal("promise-without-action"),
    promises: z.record(z.string(), z.array(toolNameSchema)),
  }),
  /** Orders addressed to the model, mode words, requests for the prompt, forged markers. */
  z.strictObject({
    type: z.literal("prompt-injection"),
    phrases: z.array(z.string().min(1).max(60)).max(500).default([]),
  }),
  /** A sentence that repeats what was said in this turn, or one phrase over and over. */
  z.strictObject({ type: z.literal("repetition"), timesMax: z.int().min(1).max(20).default(3) }),
  /** Tool arguments against the tool's JSON Schema: closed, typed, within bounds. */
  z.strictObject({ type: z.literal("tool-arguments") }),
  /** Linear-time pattern (RE2 subset: no look-around, no back-references). */
  z.strictObject({
    type: z.literal("pattern"),
    pattern: z.string().min(1).max(500),
    flags: z.enum(["", "i"]).default(""),
  }),
]);
export type HookCheck = z.infer<typeof hookCheckSchema>;

export const hookActionSchema = z.discriminatedUnion("type", [
  /** Denies the tool call, blocks the sentence or the message. `{{ found }}` in a reason is what the check found. */
  z.strictObject({ type: z.literal("block"), reason: z.string().min(1).max(500) }),
  /** Uses the check's corrected text; blocks with the reason when the check has none or still finds something in it. */
  z.strictObject({ type: z.literal("rewrite"), reason: z.string().min(1).max(500) }),
  z.strictObject({ type: z.literal("context"), text: z.string().min(1).max(2_000) }),
  /** UserPromptSubmit and Stop: answers with a line of the harness, without the policy. */
  z.strictObject({ type: z.literal("answer"), text: z.string().min(1).max(500), reason: z.string().min(1).max(500) }),
]);
export type HookAction = z.infer<typeof hookActionSchema>;

const hookBase = {
  name: z
    .string()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    .max(64),
  event: hookEventSchema,
  /** RE2 pattern that the whole tool name must match; tool events only. */
  matcher: z.string().max(200).optional(),
  /** `closed`: a hook that throws, is late or answers nonsense blocks. `open`: it is recorded and ignored. */
  failure: z.enum(["closed", "open"]).default("closed"),
  timeoutMs: z.int().min(1).max(2_000).default(200),
  description: z.string().max(500).optional(),
};
export const hookSchema = z.discriminatedUnion("type", [
  z.strictObject({
    ...hookBase,
    type: z.literal("check"),
    /** CEL over `input` (the hook's input); the hook acts only where it is true. */
    when: z.string().min(1).max(1_000).optional(),
    check: hookCheckSchema.optional(),
    action: hookActionSchema,
  }),
  z.strictObject({
    ...hookBase,
    type: z.literal("code"),
    /** ES module with one default export: `(input: HookInput) => HookOutput | Promise<HookOutput>`. Runs without network or bindings. */
    code: z.string().min(1).max(100_000),
  }),
]);
export type HookDefinition = z.infer<typeof hookSchema>;

/** Something learned from experience, retrieved when it fits the question. */
export const knowledgeSchema = z.strictObject({
  id: z.string().regex(/^[\w.-]{1,64}$/),
  text: z.string().min(1).max(1_000),
  /** Words that bring it up. */
  keywords: z.array(z.string().min(1).max(40)).min(1).max(30),
  source: z.string().min(1).max(300),
});
export type Knowledge = z.infer<typeof knowledgeSchema>;

const lineSchema = z.string().min(1).max(200);

export const harnessBundleSchema = z.strictObject({
  schema: z.literal("kaibo.harness/1"),
  name: harnessNameSchema,
  description: z.string().min(1).max(1_024),
  model: z.strictObject({
    temperature: z.number().min(0).max(2).default(0.3),
    topP: z.number().gt(0).max(1).optional(),
    thinking: z.boolean().default(false),
    /** Asks a second endpoint when the first has sent nothing for so long, ms; the first to speak is heard. Absent: never. */
    hedgeAfterMs: z.int().min(50).max(10_000).optional(),
    /** Whether the policy inside the Worker answers from the evidence when no endpoint can; else the fallback line is spoken. */
    offlineFallback: z.boolean().default(true),
  }),
  budgets: z.strictObject({
    /** From the lease to the last sentence, ms. The product's target for a whole turn is p95 8.1 s. */
    deadlineMs: z.int().min(500).max(25_000).default(8_000),
    /** Model calls in a turn, retries after a blocked sentence included. */
    stepsMax: z.int().min(1).max(12).default(5),
    toolCallsMax: z.int().min(0).max(32).default(6),
    /** Times that the policy is asked again after a blocked sentence or reply, or a broken stream. */
    retriesMax: z.int().min(0).max(5).default(2),
    outputTokensMax: z.int().min(16).max(4_096).default(400),
    firstByteTimeoutMs: z.int().min(100).max(20_000).default(4_000),
    betweenChunksTimeoutMs: z.int().min(100).max(20_000).default(3_000),
    /** Characters of one sentence; longer ones are cut at a comma. */
    sentenceCharsMax: z.int().min(10).max(300).default(60),
    /** Bytes of the room's catalogue in the prompt; a larger one is listed by name and price only. */
    catalogueBytesMax: z.int().min(1_000).max(200_000).default(48_000),
    /** Products whose live facts stand beside the question. */
    factsMax: z.int().min(1).max(10).default(3),
  }),
  /** `sentence`: each is spoken as it passes. `reply`: all wait until the Stop hooks have passed. */
  release: z.enum(["sentence", "reply"]).default("sentence"),
  /** Which messages are answered, and in which order. */
  messages: intakePolicySchema.prefault({}),
  interruption: interruptionPolicySchema.prefault({}),
  /** Whether a second model sums the room up in the background, and when. */
  strategy: strategyPolicySchema.prefault({}),
  /** Questions that are word for word those of the merchant's own answers are answered with these, without the policy. */
  answersFaq: z.boolean().default(false),
  lines: z.strictObject({
    /** Spoken when a turn cannot be answered. */
    fallback: z.array(lineSchema).min(1).max(20),
    /** Spoken when the first sentence is late; never a fact. Empty: no filler. */
    filler: z.array(lineSchema).max(20).default([]),
    fillerAfterMs: z.int().min(200).max(20_000).default(1_500),
    /** Spoken in place of last words that a change in the room has made untrue. Never a fact. */
    changed: lineSchema.default("刚刚信息有更新，价格和库存以页面显示的为准哈。"),
    /** Said to the policy, under the evidence of what was blocked or cut, to make it go on from what was heard. */
    goOn: z
      .string()
      .min(1)
      .max(500)
      .default(
        "上面 said 里的话观众已经听到，blocked 里的话没有播出。按 reason 改正，接着往下说，不要重复，不要道歉，直接说下一句。",
      ),
  }),
  /** Order of the prompt. `system` is the same for every room, `merchant` and `room` for every turn of a room, `turn` changes. */
  sections: z.strictObject({
    system: z.array(z.string()).min(1),
    merchant: z.array(z.string()).default([]),
    room: z.array(z.string()).default([]),
    turn: z.array(z.string()).min(1),
  }),
  /** Templates by section name: `{{ variable }}`, filled once, values never read as templates. */
  prompt: z.record(z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/), z.string().min(1).max(20_000)),
  /** Words that speech reads its own way: "88VIP" → "八八VIP". */
  lexicon: z.record(z.string().min(1).max(40), z.string().min(1).max(80)).default({}),
  skills: z.array(skillSchema).max(64).default([]),
  tools: z.array(toolSchema).max(64).default([]),
  hooks: z.array(hookSchema).max(128).default([]),
  knowledge: z.array(knowledgeSchema).max(2_000).default([]),
});
export type HarnessBundle = z.infer<typeof harnessBundleSchema>;
/** A bundle as written, before defaults. */
export type HarnessBundleInput = z.input<typeof harnessBundleSchema>;
