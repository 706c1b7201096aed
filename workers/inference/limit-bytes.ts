import { AppError } from "../../shared/errors/app-error.ts";

/**
 * The chunks of a body up to so many bytes; then reading fails.
 *
 * Written by hand and not as a generator, whose `return` would wait for the chunk that is being read: a reader that
 * leaves cancels the body at once.
 *
 * @throws AppError `model_stream_broken` - from reading: the body is above `bytesMax`.
 */
export function limitBytes(body: ReadableStream<Uint8Array>, bytesMax: number): AsyncIterable<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const { done, value } = await reader.read();
        if (done) return { done, value: undefined };
        bytes += value.byteLength;
        if (bytes <= bytesMax) return { done, value };
        throw new AppError("model_stream_broken", "The answer is too long", { details: { bytesMax } });
      },
      async return() {
        await reader.cancel();
        return { done: true, value: undefined };
      },
    }),
  };
}
