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
