/** WAV files, as simple as espeak-ng writes them: a header of 44 bytes, then 16-bit mono samples. */

const HEADER_BYTES = 44;
/** What espeak-ng and others write for a length that they do not know yet. */
const UNKNOWN_BYTES = 0x7ffff000;

/** Rate and samples of a file; `null` when there is none. */
export function findWav(file: Buffer): { readonly pcm: Uint8Array; readonly sampleRate: number } | null {
  if (file.length <= HEADER_BYTES || file.toString("latin1", 0, 4) !== "RIFF") return null;
  return { pcm: file.subarray(HEADER_BYTES), sampleRate: file.readUInt32LE(24) };
}

/** The header of a file whose length is not known yet. */
export function wavHeader(sampleRate: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(UNKNOWN_BYTES + 36, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(UNKNOWN_BYTES, 40);
  return header;
}
