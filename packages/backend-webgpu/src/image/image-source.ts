import type { Adapter } from "../engine/adapter.ts";
import { webgpuError } from "../webgpu-errors.ts";

/** The source of a picture: something that a page shows or has decoded, or a file that holds one. */
export type ImageSource = GPUCopyExternalImageSource | Blob;

/** Pixels that a device can copy. `close` frees what was made for them. */
export interface Picture {
  readonly source: GPUCopyExternalImageSource;
  close(): void;
}

/**
 * Returns what `copyExternalImageToTexture` is given. Where shaders run on a CPU, frames of a video go through a
 * bitmap: they are shared textures, which such a device cannot have, and an attempt ends the GPU process of Chromium
 * instead of the call.
 */
export async function pictureOf(source: ImageSource, { software }: Pick<Adapter, "software">): Promise<Picture> {
  // The values stay as the file has them, as in Python's decoders.
  if (source instanceof Blob) return bitmapOf(source, { colorSpaceConversion: "none", premultiplyAlpha: "none" });
  const isFrame = "videoWidth" in source || "displayWidth" in source;
  // A source without pixels is refused by its size.
  return software && isFrame && !sizeOf(source).includes(0) ? bitmapOf(source) : { source, close() {} };
}

/** Makes a copy that every browser and device can copy from. */
export async function bitmapOf(source: ImageSource, options?: ImageBitmapOptions): Promise<Picture> {
  const bitmap = await createImageBitmap(source, options);
  return { source: bitmap, close: () => bitmap.close() };
}

/**
 * Returns width and height in pixels. Elements of a page have the size of their content, not their size on the page.
 */
export function sizeOf(source: GPUCopyExternalImageSource): readonly [number, number] {
  if ("videoWidth" in source) return [source.videoWidth, source.videoHeight];
  if ("displayWidth" in source) return [source.displayWidth, source.displayHeight];
  if ("naturalWidth" in source) return [source.naturalWidth, source.naturalHeight];
  return [source.width, source.height];
}

/** Refuses a picture that has no pixels, or more than a texture. */
export function requireSize(size: readonly [number, number], limit: number): void {
  if (size.every((pixels) => pixels > 0 && pixels <= limit)) return;
  throw webgpuError("webgpu.too-large", {
    what: `The picture has ${size.join(" × ")} pixels; the device takes 1 to ${limit} in each direction`,
    advice: size.includes(0)
      ? "Wait until it is loaded: a video has no size before its metadata are there."
      : "Make it smaller first, with createImageBitmap(source, { resizeWidth }) for example.",
  });
}
