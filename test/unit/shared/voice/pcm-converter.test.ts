import fc from "fast-check";
import { describe, it } from "vitest";
import { concatBytes } from "../../../../shared/voice/pcm.ts";
import { PcmConverter, type PcmForm } from "../../../../shared/voice/pcm-converter.ts";

const toBytes = (samples: readonly number[]) => new Uint8Array(Int16Array.from(samples).buffer);
const toSamples = (bytes: Uint8Array) => [...new Int16Array(bytes.slice().buffer)];

/** Converts what comes in chunks that end at `cuts`. */
function convert(form: PcmForm, bytes: Uint8Array, cuts: readonly number[] = []): Uint8Array {
  const converter = new PcmConverter(form);
  const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
  let start = 0;
  let all: Uint8Array = new Uint8Array(0);
  for (const end of ends) {
    all = concatBytes(all, converter.push(bytes.subarray(start, end)));
    start = end;
  }
  return all;
}

describe("PcmConverter", () => {
  it("leaves audio of the voice's own form as it is", ({ expect }) => {
    const bytes = toBytes([1, -2, 32_767, -32_768]);
    expect(convert({ sampleRate: 24_000, channels: 1 }, bytes)).toEqual(bytes);
  });

  it("puts a straight line between samples of half the rate", ({ expect }) => {
    const out = convert({ sampleRate: 12_000, channels: 1 }, toBytes([0, 100, -100]));
    expect(toSamples(out)).toEqual([0, 50, 100, 0, -100]);
  });

  it("takes every second sample of twice the rate", ({ expect }) => {
    expect(toSamples(convert({ sampleRate: 48_000, channels: 1 }, toBytes([1, 2, 3, 4, 5])))).toEqual([1, 3, 5]);
  });

  it("mixes two channels into one", ({ expect }) => {
    const out = convert({ sampleRate: 24_000, channels: 2 }, toBytes([100, 300, -32_768, -32_768]));
    expect(toSamples(out)).toEqual([200, -32_768]);
  });

  it("keeps the length and the pitch of espeak-ng's 22,050 Hz", ({ expect }) => {
    const sine = Array.from({ length: 22_050 }, (_, at) =>
      Math.round(10_000 * Math.sin((2 * Math.PI * 220 * at) / 22_050)),
    );
    const out = toSamples(convert({ sampleRate: 22_050, channels: 1 }, toBytes(sine)));
    expect(out.length).toBe(23_999);
    const crossings = out.filter((sample, at) => at > 0 && sample >= 0 && (out[at - 1] ?? 0) < 0).length;
    expect(crossings).toBe(219);
    const worst = Math.max(
      ...out.map((sample, at) => Math.abs(sample - 10_000 * Math.sin((2 * Math.PI * 220 * at) / 24_000))),
    );
    expect(worst).toBeLessThan(10);
  });

  it("gives the same for every cut", ({ expect }) => {
    const form = fc.record({
      sampleRate: fc.constantFrom(8_000, 16_000, 22_050, 24_000, 44_100),
      channels: fc.constantFrom(1, 2),
    });
    const cuts = fc.array(fc.nat(400), { maxLength: 20 });
    fc.assert(
      fc.property(form, fc.uint8Array({ maxLength: 400 }), cuts, (from, bytes, at) => {
        expect(convert(from, bytes, at)).toEqual(convert(from, bytes));
      }),
    );
  });
});
