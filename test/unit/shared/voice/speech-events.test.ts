import { describe, it } from "vitest";
import { readMarks, readSpeechEvent, readWordTimestamps } from "../../../../shared/voice/speech-events.ts";

const DELTA = "speech.audio.delta";
const read = (event: object) => readSpeechEvent(JSON.stringify(event));

describe("readSpeechEvent", () => {
  it("reads audio, and the end", ({ expect }) => {
    expect(read({ type: DELTA, audio: "AQL/" })).toEqual({ type: "audio", bytes: Uint8Array.of(1, 2, 255), marks: [] });
    expect(read({ type: "speech.audio.done", usage: { output_tokens: 3 } })).toEqual({ type: "done", marks: [] });
  });

  it("reads marks of our form, and Kokoro-FastAPI's words in seconds", ({ expect }) => {
    const marks = [{ kind: "viseme", atMs: 20, value: "PP" }];
    expect(read({ type: "speech.audio.done", marks })).toEqual({ type: "done", marks });
    const timestamps = [{ word: "毛巾", start_time: 0.1234, end_time: 0.5 }];
    const word = { kind: "word", atMs: 123, value: "毛巾" };
    expect(read({ type: DELTA, audio: "", timestamps })).toEqual({
      type: "audio",
      bytes: new Uint8Array(0),
      marks: [word],
    });
  });

  it("keeps the audio beside marks that do not fit", ({ expect }) => {
    const event = { type: DELTA, audio: "AQ==", marks: [{ kind: "smell" }], timestamps: "soon" };
    expect(read(event)).toEqual({ type: "audio", bytes: Uint8Array.of(1), marks: [] });
  });

  it.for([{ error: { message: "busy" } }, { error: "busy", type: DELTA }, { type: "error" }])(
    "tells an error: %j",
    (event, { expect }) => {
      expect(read(event)).toEqual({ type: "error" });
    },
  );

  it.for(["[DONE]", "null", "[]", "{", '{"type":"speech.audio.info"}', `{"type":"${DELTA}","audio":"%"}`])(
    "passes over %s",
    (data, { expect }) => {
      expect(readSpeechEvent(data)).toBeNull();
    },
  );
});

describe("readWordTimestamps", () => {
  it("reads vLLM-Omni's header", ({ expect }) => {
    const header = '[{"word":"\\u6bdb","start_ms":80,"end_ms":160},{"word":"\\u5dfe","start_ms":160.4,"end_ms":300}]';
    expect(readWordTimestamps(header)).toEqual([
      { kind: "word", atMs: 80, value: "毛" },
      { kind: "word", atMs: 160, value: "巾" },
    ]);
  });

  it.for([null, "", "[1]", '[{"word":"a","start_ms":-1}]'])("finds none in %j", (header, { expect }) => {
    expect(readWordTimestamps(header)).toEqual([]);
  });
});

describe("readMarks", () => {
  it("is null for what are no marks", ({ expect }) => {
    expect(readMarks([{ kind: "phoneme", atMs: 1, value: "m" }])).toHaveLength(1);
    expect([readMarks(null), readMarks([{ kind: "phoneme" }])]).toEqual([null, null]);
  });
});
