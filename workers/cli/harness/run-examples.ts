/** A harness's own examples through the whole turn, in this process: its hooks, its tools, the offline policy. */
import { judgeReply, type ExampleReply } from "../../../harness-kv/judge-example.ts";
import type { SkillExample } from "../../../harness-kv/read-examples.ts";
import { compileHarness, type CompiledHarness } from "../../../shared/agent/compiled-harness.ts";
import type { HookCode } from "../../../shared/agent/hooks/run-hooks.ts";
import type { ModelClient, ModelRequest } from "../../../shared/agent/model-client.ts";
import { buildPrefix } from "../../../shared/agent/prompt/build-prefix.ts";
import { readChatStream } from "../../../shared/agent/stream/read-chat-stream.ts";
import { runTurn } from "../../../shared/agent/turn/run-turn.ts";
import type { HarnessBundle } from "../../../shared/contract/harness-bundle.ts";
import { harnessVersionSchema } from "../../../shared/contract/ids.ts";
import type { RoomConfig } from "../../../shared/contract/room-config.ts";
import type { Sentence } from "../../../shared/contract/sentence.ts";
import type { RoomSetup, TurnLease } from "../../../shared/contract/turn-lease.ts";
import type { Clock } from "../../../shared/core/clock.ts";
import type { Timer } from "../../../shared/core/timer.ts";
import { answerChat } from "../../../shared/offline/offline-endpoint.ts";
import { SAMPLE_ROOM } from "../ask.ts";
import { createHookProcess } from "./hook-process.ts";
import { readRoom } from "../room/read-room.ts";

export type ExampleResult = ExampleReply & {
  readonly skill: string;
  readonly file: string;
  readonly line: number | null;
  readonly question: string;
  /** Why it failed; empty for one that passed. */
  readonly faults: readonly string[];
};

export type ExampleWorld = { readonly clock: Clock; readonly timer: Timer };

/** Stands for the version of what was never pushed. */
const NO_VERSION = harnessVersionSchema.parse("0".repeat(64));

/** The offline policy behind its own protocol: a request body in, a stream of bytes out. */
const offlineModel: ModelClient = {
  endpoint: "offline",
  model: "offline-policy",
  stream: (request) => readChatStream(bodyOf(request), request),
};

async function* bodyOf({ messages, tools }: ModelRequest): AsyncGenerator<Uint8Array> {
  const answer = answerChat(JSON.stringify({ model: "offline-policy", stream: true, tools, messages }));
  yield new TextEncoder().encode(answer.body);
}

/**
 * Runs the examples one after the other and gives each result as it comes.
 *
 * @param room - For examples that name none: a folder of `harness-kv/rooms/`, or a file.
 * @throws CliError - a room cannot be read.
 */
export async function* runExamples(
  bundle: HarnessBundle,
  examples: readonly SkillExample[],
  { folder, room, world }: { folder: string; room: string | undefined; world: ExampleWorld },
): AsyncGenerator<ExampleResult> {
  const harness = compileHarness(bundle, NO_VERSION);
  const code = createHookProcess(bundle.hooks);
  try {
    for (const example of examples) {
      const config =
        example.room === undefined
          ? await readRoom(room ?? SAMPLE_ROOM, process.cwd())
          : await readRoom(example.room, folder);
      const answered = await answer(example, { harness, config, code, world });
      const { skill, question, place } = example;
      const about = { skill, file: place.file, line: place.line ?? null, question };
      yield { ...about, ...answered, faults: judgeReply(example, answered) };
    }
  } finally {
    code.close();
  }
}

type Stage = {
  readonly harness: CompiledHarness;
  readonly config: RoomConfig;
  readonly code: HookCode;
  readonly world: ExampleWorld;
};

async function answer(example: SkillExample, { harness, config, code, world }: Stage): Promise<ExampleReply> {
  const ref = { name: harness.bundle.name, version: NO_VERSION };
  const setup: RoomSetup = { revision: 1, config, harness: ref, sessionContext: [] };
  const heard: Sentence[] = [];
  const startedAtMs = world.clock.nowMs();
  const end = await runTurn(leaseOf(example, { harness, config, startedAtMs }), {
    harness,
    setup,
    prefix: buildPrefix(harness, setup),
    model: offlineModel,
    http: { call: () => Promise.reject(new Error("examples call no service")) },
    hookDeps: { code, timer: world.timer, elapsedMs: () => world.clock.nowMs() - startedAtMs },
    clock: world.clock,
    timer: world.timer,
    say: async (sentences) => {
      heard.push(...sentences);
      return { ok: true, value: { spokenCount: heard.length, sayAtMs: null } };
    },
  });
  await end.observed;
  heard.push(...end.sentences.filter(({ seq }) => !heard.some((known) => known.seq === seq)));
  const outcome = end.reason === null ? end.outcome : `${end.outcome} (${end.reason})`;
  // Fixed answers of hooks and of the merchant are answers.
  return { reply: heard.map(({ text }) => text).join(""), outcome: end.outcome === "answered" ? "answered" : outcome };
}

function leaseOf(
  { question, onScreen }: SkillExample,
  { harness, config, startedAtMs }: Pick<Stage, "harness" | "config"> & { startedAtMs: number },
): TurnLease {
  const product = config.products.find(({ link }) => link === (onScreen ?? 1));
  return {
    room: "examples",
    merchant: config.merchant.id,
    turn: "t1",
    attempt: 1,
    priority: 4,
    deadlineAtMs: startedAtMs + harness.bundle.budgets.deadlineMs,
    acceptedAtMs: startedAtMs,
    messages: [{ id: "m1", text: question }],
    askers: 1,
    askedOnScreenProductId: null,
    sayAtMs: null,
    strategy: null,
    spoken: [],
    harness: { name: harness.bundle.name, version: NO_VERSION },
    configRevision: 1,
    releaseSeq: 0,
    snapshot: { onScreenProductId: product?.id ?? null, skuOverrides: {}, heard: [] },
    stateSeq: 0,
    knownPrefixDigest: null,
  };
}
