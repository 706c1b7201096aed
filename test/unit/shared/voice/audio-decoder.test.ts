import fc from "fast-check";
import { describe, it } from "vitest";
import { AudioDecoder, isSampleRate, startsWav } from "../../../../shared/voice/audio-decoder.ts";
import { concatBytes } from "../../../../shared/voice/pcm.ts";

type Wav = { readonly rate?: number; readonly channels?: number; readonly bits?: number; readonly tag?: number };

const SAMPLES = Buffer.from(Int16Array.of(0, 1_000, -1_000, 500).buffer);

function chunk(name: string, body: Buffer, bytes = body.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(bytes, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

function aWav({ rate = 24_000, channels = 1, bits = 16, tag = 1 }: Wav = {}, extra: readonly Buffer[] = []): Buffer {
  const form = Buffer.alloc(16);
  form.writeUInt16LE(tag, 0);
  form.writeUInt16LE(channels, 2);
  form.writeUInt32LE(rate, 4);
  form.writeUInt16LE(bits, 14);
  const riff = Buffer.from("RIFF\xff\xff\xff\x7fWAVE", "latin1");
  // The length of the samples is not known to who streams them.
  return Buffer.concat([
    riff,
    ...extra,
    chunk("fmt ", form),
    ...extra,
    chunk("data", Buffer.alloc(0), 0x7ffff000),
    SAMPLES,
  ]);
}

function decode(file: Uint8Array, cuts: readonly number[] = [], rawRate?: number) {
  const decoder = new AudioDecoder(rawRate);
  const ends = [...cuts.map((cut) => Math.min(cut, file.length)).toSorted((a, b) => a - b), file.length];
  let start = 0;
  let all: Uint8Array = new Uint8Array(0);
  for (const end of ends) {
    const decoded = decoder.push(file.subarray(start, end));
    if (!decoded.ok) return decoded.error;
    all = concatBytes(all, decoded.value);
    start = end;
  }
  return Buffer.from(all);
}

describe("AudioDecoder", () => {
  it("takes bytes without a header as they are", ({ expect }) => {
    expect(decode(SAMPLES)).toEqual(SAMPLES);
  });

  it("takes the rate of raw audio that it is told", ({ expect }) => {
    expect(decode(SAMPLES, [], 12_000)).toHaveLength(14);
  });

  it("takes the header of a WAV file away, with what else stands before the samples", ({ expect }) => {
    expect(decode(aWav())).toEqual(SAMPLES);
    expect(decode(aWav({}, [chunk("LIST", Buffer.from("odd"))]))).toEqual(SAMPLES);
  });

  it("takes the rate and the channels of a WAV file", ({ expect }) => {
    expect(decode(aWav({ rate: 12_000 }))).toHaveLength(14);
    expect(decode(aWav({ channels: 2 }))).toEqual(Buffer.from(Int16Array.of(500, -250).buffer));
  });

  it.for([{ bits: 8 }, { bits: 32, tag: 3 }, { channels: 0 }, { channels: 6 }, { rate: 0 }, { rate: 192_000 }])(
    "refuses a WAV file with %j",
    (wav, { expect }) => {
      expect(decode(aWav(wav))).toBe("speech_invalid");
    },
  );

  it("refuses samples before their form, and a header without end", ({ expect }) => {
    const noForm = Buffer.concat([Buffer.from("RIFF....WAVE"), chunk("data", SAMPLES)]);
    expect(decode(noForm)).toBe("speech_invalid");
    const endless = Buffer.concat([Buffer.from("RIFF....WAVE"), chunk("LIST", Buffer.alloc(9_000))]);
    expect(decode(endless)).toBe("speech_invalid");
  });

  it("gives the same for every cut", ({ expect }) => {
    const wav = aWav({ rate: 22_050 }, [chunk("LIST", Buffer.from("title"))]);
    fc.assert(
      fc.property(fc.array(fc.nat(wav.length), { maxLength: 20 }), (cuts) => {
        expect(decode(wav, cuts)).toEqual(decode(wav));
      }),
    );
  });
});

describe("startsWav", () => {
  it("is true for the first four bytes of a file alone", ({ expect }) => {
    expect([aWav(), SAMPLES, Buffer.from("RIF")].map(startsWav)).toEqual([true, false, false]);
  });
});

describe("isSampleRate", () => {
  it("is true for rates of speech", ({ expect }) => {
    expect([7_999, 8_000, 22_050, 96_000, 96_001, 24_000.5, Number.NaN].map(isSampleRate)).toEqual([
      false,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
