import type { Frames } from "./camera.ts";

/** The video itself is the picture: what reads it gets the frame that it shows. */
export function ofVideo<Image>(video: HTMLVideoElement, signal: AbortSignal): Frames<Image> {
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

/** A stream is watched in a video that no page shows. */
export async function ofStream<Image>(stream: MediaStream, signal: AbortSignal): Promise<Frames<Image>> {
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
