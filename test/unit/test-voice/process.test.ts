/** The local voice as its own process: what its answers are, whole and broken. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { toDurationMs } from "../../../shared/voice/pcm.ts";
import { estimateSpeakingMs } from "../../../shared/speech/speaking-time.ts";
import { streamSpeech, type SpeechPart } from "../../../workers/voice/speech-client.ts";
import { startVoice, type RunningVoice } from "../../helpers/voice.ts";
import { hasEspeak } from "../../voice/espeak.ts";

const TEXT = "这款毛巾是纯棉的，摸起来又软又厚。";
const MAIN = path.resolve(import.meta.dirname, "../../voice/main.ts");

async function speak(voice: RunningVoice, fields: { readonly apiKey?: string; readonly speed?: number } = {}) {
  const parts: SpeechPart[] = [];
  const request = { baseUrl: voice.url, model: "m", apiKey: "", voice: "cmn", speed: 1, text: TEXT, ...fields };
  const limits = { firstAudioMs: 1_000, betweenChunksMs: 300, totalMs: 5_000 };
  for await (const part of streamSpeech(request, { signal: new AbortController().signal, limits })) parts.push(part);
  const bytes = parts.reduce((sum, part) => sum + (part.type === "audio" ? part.bytes.length : 0), 0);
  return { pieces: parts.length - 1, durationMs: toDurationMs(bytes), last: parts.at(-1) };
}

describe("the tone", () => {
  let voice: RunningVoice;
  beforeAll(async () => {
    voice = await startVoice(["--tone", "--key", "k3y", "--pace", "100"]);
  });
  afterAll(() => voice.stop());

  it.for(["pcm", "wav", "sse"] as const)(
    "is as long as the text takes to say, in pieces: %s",
    async (form, { expect }) => {
      await voice.setFaults([{ fault: "form", form }]);
      const { pieces, durationMs, last } = await speak(voice, { apiKey: "k3y" });
      expect(durationMs).toBe(estimateSpeakingMs(TEXT));
      expect(pieces).toBeGreaterThan(5);
      expect(last?.type).toBe("end");
      const marks = last?.type === "end" ? last.marks : null;
      expect(marks?.map(({ value }) => value).join("") ?? null).toBe(form === "sse" ? TEXT : null);
    },
  );

  it("is shorter at a higher speed", async ({ expect }) => {
    const { durationMs } = await speak(voice, { apiKey: "k3y", speed: 2 });
    expect(durationMs).toBe(Math.round(estimateSpeakingMs(TEXT) / 2));
  });

  it.for([
    [{ fault: "status", status: 500 }, "speech_unavailable", "fault"],
    [{ fault: "cut" }, "speech_unavailable", "fault"],
    [{ fault: "stall" }, "speech_timed_out", "closed-by-client"],
    [{ fault: "slow", ms: 1_500 }, "speech_timed_out", "closed-by-client"],
  ] as const)("fails as ordered: %j", async ([fault, code, ending], { expect }) => {
    await voice.setFaults([fault]);
    expect((await speak(voice, { apiKey: "k3y" })).last).toEqual({ type: "failed", code });
    await expect.poll(async () => (await voice.requests())[0]?.ending).toBe(ending);
  });

  it("refuses a request without its key", async ({ expect }) => {
    expect((await speak(voice)).last).toEqual({ type: "failed", code: "speech_refused" });
  });
});

describe("the command", () => {
  it("says how to install espeak-ng where it is absent", ({ expect }) => {
    const run = spawnSync(process.execPath, [MAIN], { env: { ...process.env, PATH: "/nowhere" }, encoding: "utf8" });
    expect([run.status, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toContain("apt-get install -y --no-install-recommends espeak-ng");
    expect(run.stderr).toContain("--tone");
  });

  it.for(["--pace=-1", "--form=mp3", "--loud"])("refuses the flag %s", (flag, { expect }) => {
    const run = spawnSync(process.execPath, [MAIN, flag], { encoding: "utf8" });
    expect(run.status).toBe(2);
    expect(run.stderr).toContain("test/voice/README.md");
  });
});

describe.runIf(hasEspeak())("espeak-ng", () => {
  it("says Mandarin at 24 kHz", async ({ expect, onTestFinished }) => {
    const voice = await startVoice(["--pace", "0"]);
    onTestFinished(voice.stop);
    const { durationMs, last } = await speak(voice);
    expect(last).toEqual({ type: "end", marks: null });
    expect(durationMs).toBeGreaterThan(2_000);
    expect(durationMs).toBeLessThan(10_000);
    const fast = await speak(voice, { speed: 2 });
    expect(fast.durationMs).toBeLessThan(durationMs * 0.75);
  });
});
