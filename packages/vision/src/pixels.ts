import { type Tensor, tensor } from "@pt2/runtime";
import { visionError } from "./vision-errors.ts";

/**
 * A picture as rows of pixels from the top: gray, red green blue, or with alpha, which is left out. `data` is not copied: it must
 * stay as it is until the answer is there.
 */
export interface Pixels {
  /** The bytes of all pixels, row by row. */
  readonly data: Uint8Array | Uint8ClampedArray;
  /** The width in pixels. */
  readonly width: number;
  /** The height in pixels. */
  readonly height: number;
  /** @default what the length of `data` says */
  readonly channels?: 1 | 3 | 4;
}

/** The width and height of a picture in pixels. */
export interface Size {
  /** The width in pixels. */
  readonly width: number;
  /** The height in pixels. */
  readonly height: number;
}

/** Returns whether a value has the form of {@link Pixels}. An `ImageData` of a canvas has it too. */
export function isPixels(value: unknown): value is Pixels {
  if (typeof value !== "object" || value === null) return false;
  const { data, width, height } = value as Partial<Pixels>;
  const isData = data instanceof Uint8Array || data instanceof Uint8ClampedArray;
  return isData && typeof width === "number" && typeof height === "number";
}

/** Throws for what does not have the form of {@link Pixels}. */
export function requirePixels(value: unknown): void {
  if (isPixels(value)) return;
  throw visionError("vision.image", {
    what: "The picture is no raw pixels",
    advice: "give { data, width, height }, where `data` is a Uint8Array or a Uint8ClampedArray",
  });
}

/** Returns the pixels as a uint8 tensor [height, width, channels] over the same memory. */
export function pixelTensor({
  data,
  width,
  height,
  channels = (data.length / width / height) as 3,
}: Pixels): Tensor<"uint8"> {
  const isWhole = [width, height].every((size) => Number.isSafeInteger(size) && size > 0);
  if (!isWhole || ![1, 3, 4].includes(channels) || data.length !== width * height * channels) {
    throw visionError("vision.image", {
      what: `A picture of ${width} × ${height} pixels has ${data.length} bytes`,
      advice: "give width · height · channels bytes, with 1, 3 or 4 channels, and at least one pixel",
      details: { width, height, bytes: data.length },
    });
  }
  return tensor(new Uint8Array(data.buffer, data.byteOffset, data.length), { shape: [height, width, channels] });
}
