/** Switches reading aloud on and off, in the language of the open room. */
import { browserPorts, createBrowserVoice, findVoice } from "./browser-ports.ts";
import { byId, setText } from "./dom.ts";
import { type SpeechReader, createSpeechReader } from "./speech.ts";
import type { Strings } from "./strings.ts";

export type VoiceToggle = Pick<SpeechReader, "offer" | "hush" | "turnOff"> & {
  /** Shows the state in the page's language. */
  draw(strings: Strings, isRoomOpen: boolean): void;
};

/**
 * Builds the switch, off: a page that speaks unasked is an ambush.
 *
 * @param getLocale - Language of the open room.
 * @param onNoVoice - The browser has no voice for it.
 */
export function createVoiceToggle(getLocale: () => string, onNoVoice: () => void, onChange: () => void): VoiceToggle {
  const button = byId("voice", HTMLButtonElement);
  const text = byId("voice-text", HTMLSpanElement);
  let voice: SpeechSynthesisVoice | null = null;
  const reader = createSpeechReader(
    createBrowserVoice(() => voice),
    browserPorts.timer,
  );
  const toggle = async (): Promise<void> => {
    if (reader.isOn()) {
      reader.turnOff();
    } else {
      voice = await findVoice(getLocale());
      if (voice === null) onNoVoice();
      else reader.turnOn();
    }
    onChange();
  };
  button.addEventListener("click", () => void toggle());
  return {
    offer: reader.offer,
    hush: reader.hush,
    turnOff: reader.turnOff,
    draw: (strings, isRoomOpen) => {
      button.hidden = !isRoomOpen;
      button.setAttribute("aria-pressed", `${reader.isOn()}`);
      button.ariaLabel = reader.isOn() ? strings.voiceOn : strings.voiceOff;
      setText(text, reader.isOn() ? strings.voiceOn : strings.voiceOff);
    },
  };
}
