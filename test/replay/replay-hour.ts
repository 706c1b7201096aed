/** Plays a script against a room, a runner and a voice, and keeps all that came of it. */
import { compileHarness, toRoomPolicy } from "../../shared/agent/compiled-harness.ts";
import type { HookCode } from "../../shared/agent/hooks/run-hooks.ts";
import type { PriorityPolicy } from "../../shared/contract/intake-policy.ts";
import type { Disposition, ViewerMessage } from "../../shared/contract/message.ts";
import type { RoomFrame } from "../../shared/contract/room-frame.ts";
import type { RoomConfig } from "../../shared/contract/room-config.ts";
import type { TurnRecord } from "../../shared/contract/turn-record.ts";
import { seededRandom } from "../endpoint/random.ts";
import { VERSION } from "../helpers/harnesses.ts";
import { readSampleBundle } from "../helpers/sample-harness.ts";
import { ReplayRoom } from "./replay-room.ts";
import { ReplayRunner } from "./replay-runner.ts";
import { ReplayVoice, type VoicedSentence } from "./replay-voice.ts";
import { readSampleRoom } from "./sample-room.ts";
import { type ScriptEvent, type ScriptFigures, writeScript } from "./script.ts";
import { POLICY_SPEED, createSimulatedPolicy } from "./simulated-policy.ts";
import { VirtualTime } from "./virtual-time.ts";

/** 2026-11-11 20:00 in Beijing. */
const START_MS = 1_794_398_400_000;
/** After the script's end, until nothing is open. */
const REST_MS = 600_000;

export type ReplayOptions = {
  readonly seed: number;
  readonly minutes: number;
  /** False: text only, and each turn goes on as fast as its words are made. */
  readonly hasVoice?: boolean;
  /** The room's first products alone. */
  readonly productsMax?: number;
  readonly figures?: Partial<ScriptFigures>;
};

export type Replay = {
  readonly config: RoomConfig;
  /** How long a message may wait that does not say it itself. */
  readonly ttlMs: number;
  /** By what the harness orders turns. */
  readonly priority: PriorityPolicy;
  readonly script: readonly ScriptEvent[];
  readonly frames: readonly RoomFrame[];
  readonly records: readonly TurnRecord[];
  /** One for each message that was posted, in order; of one that was posted twice, two. */
  readonly dispositions: readonly Disposition[];
  readonly voiced: readonly VoicedSentence[];
  readonly idleAlarmsCount: number;
  readonly openTurnsCount: number;
  /** What was thrown inside turns. */
  readonly bugs: readonly unknown[];
};

/** The same options give the same replay, byte for byte. */
export async function replayHour(options: ReplayOptions): Promise<Replay> {
  const { seed, minutes, hasVoice = true, productsMax, figures } = options;
  const { config, comments } = await readSampleRoom(productsMax);
  const bundle = await readSampleBundle();
  const harness = compileHarness(bundle, VERSION);
  const script = writeScript({ config, comments, seed, minutes, startMs: START_MS, ...(figures && { figures }) });
  const time = new VirtualTime(START_MS);
  const voice = new ReplayVoice({
    time,
    random: seededRandom(seed + 1),
    onSpoken: (turn, seq) => room.noteSpoken(turn, seq),
  });
  const setup = { config, harness: { name: bundle.name, version: VERSION }, sessionContext: [] };
  const room: ReplayRoom = new ReplayRoom({
    name: "replay-room",
    configuration: { setup, policy: toRoomPolicy(harness) },
    time,
    start: (lease) => runner.start(lease),
    strategise: (input) => runner.strategise(input),
    onFrames: (frames) => {
      if (hasVoice) voice.follow(frames);
    },
  });
  const runner = new ReplayRunner({
    harness,
    setup: room.setup,
    code: codeOf(await loadHooks(bundle.hooks)),
    model: createSimulatedPolicy({ time, random: seededRandom(seed + 2), speed: POLICY_SPEED }),
    room,
    time,
    random: seededRandom(seed + 3),
  });
  if (hasVoice) room.openMouth();
  const dispositions: Disposition[] = [];
  play(script, { room, time, take: (given) => dispositions.push(...given) });
  await time.run(START_MS + minutes * 60_000 + REST_MS);
  const { frames, records, idleAlarmsCount, openTurnsCount } = room;
  const { voiced } = voice;
  const made = { frames, records, dispositions, voiced, idleAlarmsCount, openTurnsCount };
  return {
    config,
    ttlMs: bundle.messages.ttlMs,
    priority: bundle.messages.priority,
    script,
    ...made,
    bugs: runner.bugs,
  };
}

type Stage = {
  readonly room: ReplayRoom;
  readonly time: VirtualTime;
  readonly take: (dispositions: readonly Disposition[]) => void;
};

/** Puts every event at its time; the messages of one moment are one batch. */
function play(script: readonly ScriptEvent[], { room, time, take }: Stage): void {
  const batches = new Map<number, ViewerMessage[]>();
  for (const event of script) {
    if (event.type !== "message") {
      time.at(event.atMs, () => act(room, event));
      continue;
    }
    const batch = batches.get(event.atMs);
    if (batch !== undefined) {
      batch.push(event.message);
      continue;
    }
    const first = [event.message];
    batches.set(event.atMs, first);
    time.at(event.atMs, () => take(room.post(first)));
  }
}

function act(room: ReplayRoom, event: Exclude<ScriptEvent, { type: "message" }>): void {
  switch (event.type) {
    case "patch":
      return room.patch(event.patch);
    case "speech":
      return room.hear(event.speech);
    case "interrupt":
      return room.interrupt(event.reason);
  }
}

type Hook = (input: unknown) => unknown;

/** Code hooks as modules of this process: loaded before time begins, because loading takes real time. */
async function loadHooks(hooks: readonly { name: string; type: string; code?: string }[]): Promise<Map<string, Hook>> {
  const loaded = new Map<string, Hook>();
  for (const { name, code } of hooks) {
    if (code === undefined) continue;
    const module: { readonly default: Hook } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
    loaded.set(name, module.default);
  }
  return loaded;
}

function codeOf(hooks: ReadonlyMap<string, Hook>): HookCode {
  return { run: (name, input) => Promise.resolve(hooks.get(name)?.(structuredClone(input))) };
}
