import { isPixels, type Pixels, type Size } from "./pixels.ts";
import type { ImageReader, OpenImage } from "./source.ts";
import { kindOf, visionError } from "./vision-errors.ts";

/** A picture in a page: what it shows, what it has decoded, a file, or raw pixels. */
export type PageImage = Pixels | CanvasImageSource | Blob;

/** Reads pictures of a page. Raw pixels are read anywhere. */
export const PAGE_IMAGES: ImageReader<PageImage> = {
  async open(image) {
    if (isPixels(image)) return opened(image);
    if (image instanceof Blob) {
      if (typeof createImageBitmap !== "function") throw unreadable(image);
      // The values stay as the file has them, as in Python's decoders.
      const options = { colorSpaceConversion: "none", premultiplyAlpha: "none" } as const;
      const bitmap = await createImageBitmap(image, options).catch((cause: unknown) => {
        throw visionError("vision.image", {
          what: `A file of ${image.size} bytes cannot be decoded as a picture`,
          advice: "check that it is a PNG, JPEG or WebP file, or another that this browser shows",
          cause,
        });
      });
      return { ...external(bitmap), close: () => bitmap.close() };
    }
    if (typeof image !== "object" || image === null || typeof OffscreenCanvas === "undefined") throw unreadable(image);
    return external(image);
  },
};

/** Raw pixels, which need no decoding. */
export function opened(pixels: Pixels): OpenImage {
  const { width, height } = pixels;
  return { size: { width, height }, pixels: async () => pixels, close() {} };
}

function external(image: CanvasImageSource): OpenImage {
  const size = sizeOf(image);
  if (!(size.width > 0 && size.height > 0)) {
    throw visionError("vision.image", {
      what: `A picture has ${size.width} × ${size.height} pixels`,
      advice: "wait until it is loaded: a video has no size before its metadata are there",
    });
  }
  return { size, external: image, pixels: async () => drawn(image, size), close() {} };
}

/** The size of the content in pixels, not the one that an element has on the page. */
function sizeOf(image: CanvasImageSource): Size {
  const { videoWidth, videoHeight } = image as HTMLVideoElement;
  if (videoWidth !== undefined) return { width: videoWidth, height: videoHeight };
  const { displayWidth, displayHeight } = image as VideoFrame;
  if (displayWidth !== undefined) return { width: displayWidth, height: displayHeight };
  const { naturalWidth, naturalHeight } = image as HTMLImageElement;
  if (naturalWidth !== undefined) return { width: naturalWidth, height: naturalHeight };
  const { width, height } = image as ImageBitmap;
  return { width, height };
}

/** The canvas that the last picture was drawn on: frames of a camera have one size. */
let canvas: OffscreenCanvas | null = null;

function drawn(image: CanvasImageSource, { width, height }: Size): Pixels {
  if (canvas === null || canvas.width !== width || canvas.height !== height)
    canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  context.clearRect(0, 0, width, height);
  try {
    context.drawImage(image, 0, 0, width, height);
    return context.getImageData(0, 0, width, height);
  } catch (cause) {
    throw visionError("vision.image", {
      what: `The picture cannot be read: ${(cause as Error).message}`,
      advice: "check that it is decoded and not closed, and that its site allows this page to read it",
      cause,
    });
  }
}

function unreadable(image: unknown): Error {
  return visionError("vision.image", {
    what: `This cannot be read as a picture here: ${kindOf(image)}`,
    advice:
      "give raw pixels { data, width, height }, or in Node import from @pt2/vision/node, which takes files and `sharp`",
  });
}
