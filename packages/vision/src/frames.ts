/** Something whose pictures follow one another: a video or camera of a page, or any iterable of pictures. */
export type Camera<Image> = HTMLVideoElement | MediaStream | MediaStreamTrack | AsyncIterable<Image> | Iterable<Image>;

/** The pictures of a camera, one each time it is asked for: the newest of a video. */
export interface Frames<Image> {
  /** Waits for a picture that was not given before; null at the end. It must be freed with `free`. */
  next(): Promise<Image | null>;
  free(image: Image): void;
  close(): Promise<void>;
}

/** Begins to read a camera. */
export async function framesOf<Image>(camera: Camera<Image>, signal: AbortSignal): Promise<Frames<Image>> {
  if (typeof HTMLVideoElement !== "undefined" && camera instanceof HTMLVideoElement) return ofVideo(camera, signal);
  if (typeof MediaStream !== "undefined") {
    if (camera instanceof MediaStream) return await ofStream(camera, signal);
    if (camera instanceof MediaStreamTrack) return await ofStream(new MediaStream([camera]), signal);
  }
  return ofIterable(camera as AsyncIterable<Image> | Iterable<Image>, signal);
}

/** The video itself is the picture: what reads it gets the frame that it shows. */
function ofVideo<Image>(video: HTMLVideoElement, signal: AbortSignal): Frames<Image> {
  const isOver = (): boolean => {
    const tracks = (video.srcObject as MediaStream | null)?.getVideoTracks?.();
    return video.ended || tracks?.every(({ readyState }) => readyState === "ended") === true;
  };
  return {
    async next() {
      await new Promise<void>((resolve) => {
        const id = video.requestVideoFrameCallback(() => done());
        const ends = ["ended", "emptied", "error"] as const;
        // A track that ends does not tell the video.
        const watch = setInterval(() => isOver() && done(), 200);
        const done = (): void => {
          clearInterval(watch);
          for (const name of ends) video.removeEventListener(name, done);
          signal.removeEventListener("abort", done);
          video.cancelVideoFrameCallback(id);
          resolve();
        };
        for (const name of ends) video.addEventListener(name, done);
        signal.addEventListener("abort", done);
        if (signal.aborted || isOver()) done();
      });
      return signal.aborted || isOver() || video.videoWidth === 0 ? null : (video as Image);
    },
    free() {},
    async close() {},
  };
}

async function ofStream<Image>(stream: MediaStream, signal: AbortSignal): Promise<Frames<Image>> {
  const video = document.createElement("video");
  video.muted = true;
  video.playsInline = true;
  video.srcObject = stream;
  await video.play();
  const frames = ofVideo<Image>(video, signal);
  return {
    ...frames,
    async close() {
      video.pause();
      video.srcObject = null;
    },
  };
}

/** Each picture is asked for when the one before is done: a source in real time drops what comes in between itself. */
function ofIterable<Image>(source: AsyncIterable<Image> | Iterable<Image>, signal: AbortSignal): Frames<Image> {
  const iterator: AsyncIterator<Image> | Iterator<Image> =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
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
