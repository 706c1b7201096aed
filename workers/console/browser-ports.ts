/** The browser behind the ports: sockets, requests, timers, voices. */
import { platformPorts } from "../../shared/client/platform-ports.ts";
import type { Voice } from "./speech.ts";

/** The browser's sockets, requests, timer and chance. */
export const browserPorts = platformPorts(globalThis, performance);

/** How long a browser may take to name its voices, ms. */
const VOICES_WAIT_MS = 1_500;

/** Finds a voice for a language. Browsers name theirs late, so this may wait. `null` when there is none. */
export async function findVoice(locale: string): Promise<SpeechSynthesisVoice | null> {
  if (!("speechSynthesis" in window)) return null;
  if (speechSynthesis.getVoices().length === 0) {
    await new Promise<void>((resolve) => {
      speechSynthesis.addEventListener("voiceschanged", () => resolve(), { once: true });
      setTimeout(resolve, VOICES_WAIT_MS);
    });
  }
  const language = locale.slice(0, 2);
  const voices = speechSynthesis.getVoices().filter((voice) => voice.lang.replace("_", "-").startsWith(language));
  return voices.find((voice) => voice.lang.replace("_", "-") === locale) ?? voices[0] ?? null;
}

/** The browser's speech synthesis as a voice. */
export function createBrowserVoice(getVoice: () => SpeechSynthesisVoice | null): Voice {
  return {
    speak: (text, onDone) => {
      const voice = getVoice();
      if (voice === null) return onDone();
      const utterance = new SpeechSynthesisUtterance(text);
      utterance.voice = voice;
      utterance.lang = voice.lang;
      utterance.addEventListener("end", onDone, { once: true });
      utterance.addEventListener("error", onDone, { once: true });
      speechSynthesis.speak(utterance);
    },
    cancel: () => {
      if ("speechSynthesis" in window) speechSynthesis.cancel();
    },
  };
}

/** A random id part, 22 characters. Works on plain http as well, where `crypto.randomUUID` does not exist. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .slice(0, 22);
}
