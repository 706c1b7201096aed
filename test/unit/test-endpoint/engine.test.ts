import { describe, it } from "vitest";
import { Engine, type EngineSettings, type GenerationRequest } from "../../endpoint/engine.ts";
import { STEP_GROWTH_PER_SEQUENCE, STEP_MS_IDLE } from "../../endpoint/timing-model.ts";
import { toTokenBlocks } from "../../endpoint/tokens.ts";
import { FakeTime } from "../../helpers/fake-timer.ts";

const SETTINGS: EngineSettings = {
  maxRunning: 64,
  priority: false,
  cacheBlocks: 1_000,
  blockTokens: 16,
  acceptance: 0.75,
  seed: 1,
  speed: 1,
};

function anEngine(settings: Partial<EngineSettings> = {}) {
  const time = new FakeTime();
  const engine = new Engine({ ...SETTINGS, ...settings }, time);
  return { time, engine };
}

function aRequest(request: Partial<GenerationRequest> = {}): GenerationRequest {
  return { promptTokens: 14, keys: [], outputTokens: 80, priority: 0, onTokens: () => {}, ...request };
}

function run(time: FakeTime, ms: number): void {
  for (let passed = 0; passed < ms; passed += 1) time.advance(1);
}

/** Mean time from submitting to the last token of `count` answers that begin together. */
function meanMs(count: number): number {
  const { time, engine } = anEngine({ maxRunning: 200, acceptance: 0 });
  const endsMs: number[] = [];
  const onTokens = (tokens: number) => {
    if (tokens === 80) endsMs.push(time.nowMs());
  };
  for (let index = 0; index < count; index += 1) engine.submit(aRequest({ promptTokens: 1, onTokens }));
  run(time, 80 * STEP_MS_IDLE * (1 + STEP_GROWTH_PER_SEQUENCE * count) + 100);
  return endsMs.reduce((sum, ms) => sum + ms, 0) / endsMs.length;
}

describe("Engine", () => {
  it("gives 80 tokens in about half a second when idle, in chunks 40 ms apart or more", ({ expect }) => {
    const { time, engine } = anEngine();
    const told: { atMs: number; count: number }[] = [];
    engine.submit(aRequest({ onTokens: (count) => told.push({ atMs: time.nowMs(), count }) }));
    run(time, 1_000);
    const last = told.at(-1);
    expect(last?.count).toBe(80);
    expect(last?.atMs).toBeGreaterThan(400);
    expect(last?.atMs).toBeLessThan(600);
    const gapsMs = told.slice(1, -1).map(({ atMs }, index) => atMs - (told[index]?.atMs ?? 0));
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(40);
    expect(time.pendingCount).toBe(0);
  });

  it("slows each answer by 3.5 % of the idle time for every sequence beside it", ({ expect }) => {
    const idleMs = meanMs(1) / (1 + STEP_GROWTH_PER_SEQUENCE);
    for (const count of [10, 26, 109]) {
      expect(meanMs(count) / idleMs).toBeCloseTo(1 + STEP_GROWTH_PER_SEQUENCE * count, 1);
    }
  });

  it("computes a prompt at 14 tokens a ms, and shares that among those that wait for it", ({ expect }) => {
    const { time, engine } = anEngine();
    const alone = engine.submit(aRequest({ promptTokens: 14_000 }));
    run(time, 1_100);
    expect(alone.report().firstTokenMs).toBeCloseTo(1_000 + STEP_MS_IDLE * (1 + STEP_GROWTH_PER_SEQUENCE), 0);
    alone.stop();
    const both = [0, 1].map(() => engine.submit(aRequest({ promptTokens: 7_000 })));
    run(time, 1_100);
    expect(both.map((generation) => Math.round((generation.report().firstTokenMs ?? 0) / 100))).toEqual([10, 10]);
  });

  it("finds the prompt of an earlier request, and always computes its last token", ({ expect }) => {
    const { time, engine } = anEngine();
    const { tokens, keys } = toTokenBlocks("价".repeat(1_600), 16, "salt");
    expect(tokens).toBe(1_120);
    const submit = () => engine.submit(aRequest({ promptTokens: tokens, keys, outputTokens: 1 }));
    const first = submit();
    run(time, 200);
    const second = submit();
    run(time, 50);
    expect(first.report().cachedTokens).toBe(0);
    expect(second.report().cachedTokens).toBe(1_104);
    expect(second.report().firstTokenMs).toBeLessThan(20);
  });

  it.for([
    { priority: false, order: ["background", "turn", "resumed"] },
    { priority: true, order: ["resumed", "turn", "background"] },
  ])(
    "serves those that wait in the order of arrival, or by priority ($priority)",
    ({ priority, order }, { expect }) => {
      const { time, engine } = anEngine({ maxRunning: 1, priority });
      const ended: string[] = [];
      const submit = (name: string, rank: number) =>
        engine.submit(
          aRequest({ outputTokens: 1, promptTokens: 140, priority: rank, onTokens: () => ended.push(name) }),
        );
      const first = engine.submit(aRequest());
      submit("background", 9);
      submit("turn", 4);
      submit("resumed", 0);
      expect(engine.waiting).toBe(3);
      first.stop();
      run(time, 200);
      expect(ended).toEqual(order);
    },
  );

  it("frees the place of a sequence that is stopped at once, and tells it nothing more", ({ expect }) => {
    const { time, engine } = anEngine({ maxRunning: 1 });
    let told = 0;
    const first = engine.submit(aRequest({ onTokens: () => (told += 1) }));
    const second = engine.submit(aRequest());
    run(time, 100);
    expect(second.report().queuedMs).toBeNull();
    const before = told;
    first.stop();
    expect([engine.running, engine.waiting]).toEqual([1, 0]);
    run(time, 1_000);
    expect(told).toBe(before);
    expect(second.report().queuedMs).toBe(100);
  });

  it("keeps the place of a sequence that hangs until it is stopped", ({ expect }) => {
    const { time, engine } = anEngine();
    const generation = engine.submit(aRequest());
    run(time, 100);
    generation.freeze();
    run(time, 2_000);
    expect(engine.running).toBe(1);
    generation.stop();
    expect(engine.running).toBe(0);
    expect(time.pendingCount).toBe(0);
  });

  it("accepts drafts as often as asked, and counts the share of places that are taken", ({ expect }) => {
    const { time, engine } = anEngine({ maxRunning: 4 });
    const generations = [0, 1].map(() => engine.submit(aRequest({ outputTokens: 5_000 })));
    run(time, 10_000);
    expect(engine.figures.acceptanceLength).toBeCloseTo(1.75, 1);
    expect(engine.figures.busyShare).toBeCloseTo(0.5, 1);
    for (const generation of generations) generation.stop();
    engine.resetFigures();
    expect(engine.figures.outputTokens).toBe(0);
  });

  it("comes to an end at times as large as the wall clock's, where adding loses fractions", ({ expect }) => {
    const { time, engine } = anEngine({ speed: 50 });
    time.advance(1_796_277_015_123.4);
    let last = 0;
    for (let index = 1; index <= 50; index += 1) {
      engine.submit(aRequest({ promptTokens: 997 * index, onTokens: (count) => (last = count) }));
    }
    run(time, 5_000);
    expect(last).toBe(80);
    expect(engine.running).toBe(0);
  });
});
