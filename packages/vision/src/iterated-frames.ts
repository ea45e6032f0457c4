import type { Frames } from "./camera.ts";

/** What gives pictures when it is asked, one at a time. */
export type Pictures<Image> = AsyncIterator<Image> | Iterator<Image>;

/** Not every browser iterates streams; and this ends one at once, also while a picture is awaited. */
export function readerOf<Image>(stream: ReadableStream<Image>): Pictures<Image> {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<Image>>,
    async return() {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

/** Each picture is asked for when the one before is done: a source in real time drops what comes in between itself. */
export function ofIterator<Image>(iterator: Pictures<Image>, signal: AbortSignal): Frames<Image> {
  const free = (image: Image): void => (image as { close?(): void } | null)?.close?.();
  return {
    async next() {
      const coming = Promise.resolve(iterator.next());
      // One listener at a time: a race with a promise that stays pending would keep every picture's result.
      const result = await new Promise<IteratorResult<Image> | null>((resolve, reject) => {
        const stop = (): void => resolve(null);
        if (signal.aborted) stop();
        signal.addEventListener("abort", stop);
        coming.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
      });
      if (result === null) {
        // The picture may still come, and has to be freed then.
        coming.then(({ done, value }) => (done === true ? undefined : free(value))).catch(() => {});
        return null;
      }
      return result.done === true ? null : result.value;
    },
    free,
    async close() {
      // A source that waits for a picture ends when it has it.
      const ended = Promise.resolve(iterator.return?.());
      if (signal.aborted) ended.catch(() => {});
      else await ended;
    },
  };
}
