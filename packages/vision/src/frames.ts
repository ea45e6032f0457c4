import type { Camera, Frames } from "./camera.ts";
import { ofIterator, type Pictures, readerOf } from "./iterated-frames.ts";
import { ofStream, ofVideo } from "./video-frames.ts";
import { kindOf, visionError } from "./vision-errors.ts";

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

function iteratorOf<Image>(camera: unknown): Pictures<Image> {
  const { [Symbol.asyncIterator]: later, [Symbol.iterator]: now } = Object(camera) as Partial<
    AsyncIterable<Image> & Iterable<Image>
  >;
  const begin = typeof camera === "string" ? undefined : (later ?? now);
  if (begin !== undefined) return (begin as () => Pictures<Image>).call(camera);
  throw visionError("vision.camera", {
    what: `This gives no pictures one after the other: ${kindOf(camera)}`,
    advice: `give a <video>, a MediaStream, a ReadableStream of frames, or an iterable of pictures${"WorkerGlobalScope" in globalThis ? `; for a camera, ${IN_WORKER}` : ""}`,
  });
}
