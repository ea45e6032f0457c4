import type { Backend } from "@pt2/backend";
import { type EagerOps, eagerOps } from "@pt2/eager";
import { type Tensor, tensor } from "@pt2/runtime";
import { centered, inside, type Placement } from "./geometry.ts";
import { type Pixels, pixelTensor, type Size } from "./pixels.ts";
import type { ImagePreset } from "./preset.ts";

/** How a picture is resized. */
export interface ResizeOptions {
  /** Whether pixels are averaged where a picture shrinks, as torchvision does by default. @default true */
  readonly antialias?: boolean;
  /** @default "bilinear" */
  readonly interpolation?: "bilinear" | "bicubic";
}

/**
 * Transforms of pictures, as torchvision has them, computed by a backend: the same numbers in Node and in a page, on every
 * one. A picture is a float32 tensor [1, channels, height, width] of values between 0 and 1; what they return belongs to the
 * caller.
 */
export interface ImageOps extends AsyncDisposable {
  /** Red, green and blue of raw pixels; gray is repeated, alpha left out. */
  toTensor(pixels: Pixels): Tensor;
  /** The picture with another size. */
  resize(image: Tensor, size: Size, options?: ResizeOptions): Tensor;
  /** The middle of the picture; zeros where it is smaller than `size`. */
  centerCrop(image: Tensor, size: Size): Tensor;
  /** As large as fits into `size`, in the middle of an area of `fill`. */
  letterbox(image: Tensor, size: Size, options?: ResizeOptions & { readonly fill?: number }): Tensor;
  /** `(image - mean) / std`, with a number for each channel. */
  normalize(image: Tensor, mean: readonly number[], std: readonly number[]): Tensor;
  dispose(): Promise<void>;
}

/** Returns the transforms on a backend. Programs for sizes that were used are kept. */
export async function imageOps(backend: Backend | Promise<Backend>): Promise<ImageOps> {
  return imageOpsOf(await eagerOps(backend));
}

/** The transforms by eager ops. */
export function imageOpsOf(eager: EagerOps): ImageOps {
  const { aten } = eager;
  const resize: ImageOps["resize"] = (
    image,
    { height, width },
    { antialias = true, interpolation = "bilinear" } = {},
  ) => {
    if (image.shape.at(-2) === height && image.shape.at(-1) === width) return aten.clone(image);
    const size = [height, width];
    if (interpolation === "bicubic") {
      return antialias ? aten._upsample_bicubic2d_aa(image, size, false) : aten.upsample_bicubic2d(image, size, false);
    }
    return antialias ? aten._upsample_bilinear2d_aa(image, size, false) : aten.upsample_bilinear2d(image, size, false);
  };
  return {
    resize,
    toTensor(pixels) {
      const image = aten.unsqueeze(aten.permute(pixelTensor(pixels), [2, 0, 1]), 0);
      const [, channels] = image.shape as [number, number];
      const { height, width } = pixels;
      const colors = channels === 1 ? aten.expand(image, [1, 3, height, width]) : aten.slice(image, 1, 0, 3);
      return aten.div(colors, 255);
    },
    centerCrop: (image, size) => put(aten, image, centered(sizeOf(image), size), 0),
    letterbox(image, size, { fill = 0, ...options } = {}) {
      const placement = centered(inside(sizeOf(image), size), size);
      return put(aten, resize(image, placement.resized, options), placement, fill);
    },
    normalize: (image, mean, std) => {
      const column = (numbers: readonly number[]): Tensor => tensor(numbers, { shape: [numbers.length, 1, 1] });
      return aten.div(aten.sub(image, column(mean)), column(std));
    },
    dispose: () => eager.dispose(),
    [Symbol.asyncDispose]: () => eager.dispose(),
  };
}

/** Crops or pads a picture to an input in which it lies at a place. */
function put(
  aten: EagerOps["aten"],
  image: Tensor,
  { resized, left, top, input }: Omit<Placement, "source">,
  fill: number,
): Tensor {
  const right = input.width - resized.width - left;
  const bottom = input.height - resized.height - top;
  const pad = [left, right, top, bottom];
  return pad.every((pixels) => pixels === 0) ? image : aten.constant_pad_nd(image, pad, { float: fill });
}

function sizeOf({ shape }: Tensor): Size {
  const [height, width] = shape.slice(-2) as [number, number];
  return { height, width };
}

/** Makes the input of a program from a picture of values between 0 and 1, which is resized unless it already is. */
export function prepared(eager: EagerOps, image: Tensor, placement: Placement, preset: ImagePreset): Tensor {
  const ops = imageOpsOf(eager);
  const resized = ops.resize(image, placement.resized, preset);
  const whole = put(eager.aten, resized, placement, preset.fit === "letterbox" ? preset.fill : 0);
  return preset.mean || preset.std ? ops.normalize(whole, preset.mean ?? [0, 0, 0], preset.std ?? [1, 1, 1]) : whole;
}
