import { describe, it } from "vitest";
import {
  createSpeechReader,
  SPEECH_AGE_MAX_MS,
  SPEECH_QUEUE_MAX,
  type Voice,
} from "../../../../workers/console/speech.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";

class FakeVoice implements Voice {
  readonly spoken: string[] = [];
  cancelCount = 0;
  #done: (() => void)[] = [];

  speak(text: string, onDone: () => void): void {
    this.spoken.push(text);
    this.#done.push(onDone);
  }

  cancel(): void {
    this.cancelCount += 1;
  }

  /** Ends the utterance with this number. */
  end(index: number): void {
    this.#done[index]?.();
  }
}

const sentence = (speech: string) => ({ seq: 0, text: "39.9 元", speech, kind: "answer" as const, atMs: 0 });

function aReader({ isOn = true } = {}) {
  const voice = new FakeVoice();
  const time = new FakeTime();
  const reader = createSpeechReader(voice, time);
  if (isOn) reader.turnOn();
  return {
    reader,
    voice,
    time,
    offer: (...texts: string[]) => texts.forEach((text) => reader.offer(sentence(text), 0)),
  };
}

describe("createSpeechReader", () => {
  it("says nothing until it is turned on", ({ expect }) => {
    const { voice, reader, offer } = aReader({ isOn: false });
    offer("三十九块九");
    expect(voice.spoken).toEqual([]);
    reader.turnOn();
    expect(voice.spoken).toEqual([]);
  });

  it("reads what is meant for speech, in order, one at a time", ({ expect }) => {
    const { voice, offer } = aReader();
    offer("三十九块九。", "三到五天发货。");
    expect(voice.spoken).toEqual(["三十九块九。"]);
    voice.end(0);
    expect(voice.spoken).toEqual(["三十九块九。", "三到五天发货。"]);
    voice.end(1);
    offer("好的。");
    expect(voice.spoken).toHaveLength(3);
  });

  it("is silent at once when it is turned off, and forgets what waited", ({ expect }) => {
    const { voice, reader, time, offer } = aReader();
    offer("一", "二");
    reader.turnOff();
    voice.end(0);
    reader.turnOn();
    expect(voice.spoken).toEqual(["一"]);
    expect(voice.cancelCount).toBe(1);
    expect(time.pendingCount).toBe(0);
  });

  it("is not confused by the late end of a text that was cancelled", ({ expect }) => {
    const { voice, reader, offer } = aReader();
    offer("一");
    reader.turnOff();
    reader.turnOn();
    offer("二", "三");
    voice.end(0);
    expect(voice.spoken).toEqual(["一", "二"]);
  });

  it.for([
    { name: "reads a sentence at the age limit", ageMs: SPEECH_AGE_MAX_MS, count: 1 },
    { name: "drops a sentence beyond it", ageMs: SPEECH_AGE_MAX_MS + 1, count: 0 },
  ])("$name", ({ ageMs, count }, { expect }) => {
    const { reader, voice } = aReader();
    reader.offer(sentence("一"), ageMs);
    expect(voice.spoken).toHaveLength(count);
  });

  it("drops the oldest that wait when too many do", ({ expect }) => {
    const { voice, offer } = aReader();
    offer(...Array.from({ length: SPEECH_QUEUE_MAX + 2 }, (_, index) => `${index}`));
    voice.end(0);
    expect(voice.spoken).toEqual(["0", "2"]);
  });

  it("falls silent when the host is stopped, and reads what comes after", ({ expect }) => {
    const { voice, reader, offer } = aReader();
    offer("一", "二");
    reader.hush("stop");
    voice.end(0);
    expect([voice.spoken, voice.cancelCount]).toEqual([["一"], 1]);
    offer("三");
    expect(voice.spoken).toEqual(["一", "三"]);
  });

  it("reads its sentence to the end when the host may finish it", ({ expect }) => {
    const { voice, reader, offer } = aReader();
    offer("一", "二");
    reader.hush("finish");
    expect(voice.cancelCount).toBe(0);
    voice.end(0);
    expect(voice.spoken).toEqual(["一"]);
  });

  it("goes on when a voice never says that it is done", ({ expect }) => {
    const { voice, time, offer } = aReader();
    offer("一", "二");
    time.advance(6_500);
    expect(voice.spoken).toEqual(["一", "二"]);
    expect(voice.cancelCount).toBe(1);
  });
});
