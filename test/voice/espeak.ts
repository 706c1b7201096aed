/** Debian's espeak-ng as a voice: a program of its own, that we start and never ship. */
import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { findWav } from "./wav.ts";
import type { SpeechEngine } from "./engine.ts";

const PROGRAM = "espeak-ng";
/** Its own rate, words a minute. */
const WORDS_PER_MINUTE = 175;
/** Names that it may take for a voice; nothing else of a request gets near a command line. */
const VOICE_NAME = /^[a-z]{2,3}(?:-[a-z0-9]+)*(?:\+[a-z0-9]+)?$/i;

export function hasEspeak(): boolean {
  return spawnSync(PROGRAM, ["--version"], { stdio: "ignore" }).status === 0;
}

/** @param voice - Speaks where the request's voice is none of espeak-ng's. */
export function createEspeak(voice: string): SpeechEngine {
  return async (order) => {
    const chosen = VOICE_NAME.test(order.voice) ? order.voice : voice;
    const rate = Math.round(WORDS_PER_MINUTE * order.speed);
    const child = spawn(PROGRAM, ["-v", chosen, "-s", String(rate), "--stdin", "--stdout"]);
    // A voice that it has not makes it end before it has read.
    child.stdin.on("error", () => {});
    child.stdin.end(order.text);
    const chunks: Buffer[] = [];
    const complaint = text(child.stderr);
    for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
    const wav = findWav(Buffer.concat(chunks));
    if (wav === null) throw new Error(`espeak-ng made no audio: ${(await complaint).trim()}`);
    return { ...wav, marks: [] };
  };
}
