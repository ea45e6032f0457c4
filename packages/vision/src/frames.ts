import { visionError } from "./vision-errors.ts";

/**
 * Something whose pictures follow one another: a video or camera of a page, a stream of frames, also one that a page has
 * transferred to a worker, or any iterable of pictures.
 */
export type Camera<Image> =
  | HTMLVideoElement
  | MediaStream
  | MediaStreamTrack
  | ReadableStream<Image>
  | AsyncIterable<Image>
  | Iterable<Image>;

/** The pictures of a camera, one each time it is asked for: the newest of a video. */
export interface Frames<Image> {
  /** Waits for a picture that was not given before; null at the end. It must be freed with `free`. */
  next(): Promise<Image | null>;
  free(image: Image): void;
  close(): Promise<void>;
}

/** Begins to read a camera. Throws `vision.camera` for what gives no pictures here. */
export async function framesOf<Image>(camera: Camera<Image>, signal: AbortSignal): Promise<Frames<Image>> {
  if (typeof HTMLVideoElement !== "undefined" && camera instanceof HTMLVideoElement) return ofVideo(camera, signal);
  const track = trackOf(camera);
  if (track !== null) {
    if (typeof document === "undefined") return ofIterator(readerOf(framesOfTrack<Image>(track)), signal);
    return await ofStream(camera instanceof MediaStream ? camera : new MediaStream([track]), signal);
  }
  const { getReader } = Object(camera) as Partial<ReadableStream<Image>>;
  if (typeof getReader === "function") return ofIterator(readerOf(camera as ReadableStream<Image>), signal);
  return ofIterator(iteratorOf(camera), signal);
}

/** The track of a camera's stream; null for what is none. Workers of most browsers know neither. */
function trackOf(camera: unknown): MediaStreamTrack | null {
  if (typeof MediaStreamTrack !== "undefined" && camera instanceof MediaStreamTrack) {
    if (camera.kind === "video") return camera;
  } else if (typeof MediaStream !== "undefined" && camera instanceof MediaStream) {
    const [track] = camera.getVideoTracks();
    if (track !== undefined) return track;
  } else return null;
  throw visionError("vision.camera", {
    what: "The stream has sound, and no pictures",
    advice: "ask for a camera: navigator.mediaDevices.getUserMedia({ video: true })",
  });
}

/** What reads a track where there are no `<video>` elements; TypeScript's library does not have it. */
declare const MediaStreamTrackProcessor:
  | (new (options: {
      readonly track: MediaStreamTrack;
    }) => { readonly readable: ReadableStream<VideoFrame> })
  | undefined;

function framesOfTrack<Image>(track: MediaStreamTrack): ReadableStream<Image> {
  if (typeof MediaStreamTrackProcessor !== "undefined")
    return new MediaStreamTrackProcessor({ track }).readable as ReadableStream<unknown> as ReadableStream<Image>;
  throw visionError("vision.camera", {
    what: "A camera cannot be read in a worker of this browser",
    advice: IN_WORKER,
  });
}

const IN_WORKER =
  "watch it in the page; or make `new MediaStreamTrackProcessor({ track }).readable` there, transfer that to the worker, and give it";

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

type Pictures<Image> = AsyncIterator<Image> | Iterator<Image>;

/** Not every browser iterates streams; and this ends one at once, also while a picture is awaited. */
function readerOf<Image>(stream: ReadableStream<Image>): Pictures<Image> {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<Image>>,
    async return() {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

function iteratorOf<Image>(camera: unknown): Pictures<Image> {
  const { [Symbol.asyncIterator]: later, [Symbol.iterator]: now } = Object(camera) as Partial<
    AsyncIterable<Image> & Iterable<Image>
  >;
  const begin = typeof camera === "string" ? undefined : (later ?? now);
  if (begin !== undefined) return (begin as () => Pictures<Image>).call(camera);
  throw visionError("vision.camera", {
    what: `A ${typeof camera === "object" ? (camera?.constructor?.name ?? "null") : typeof camera} gives no pictures one after the other`,
    advice: `give a <video>, a MediaStream, a ReadableStream of frames, or an iterable of pictures${"WorkerGlobalScope" in globalThis ? `; for a camera, ${IN_WORKER}` : ""}`,
  });
}

/** Each picture is asked for when the one before is done: a source in real time drops what comes in between itself. */
function ofIterator<Image>(iterator: Pictures<Image>, signal: AbortSignal): Frames<Image> {
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
