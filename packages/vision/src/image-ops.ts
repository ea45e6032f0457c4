import type { Backend } from "@pt2/backend";
import { type OptionTypes, requireOptions } from "@pt2/format/options";
import type { Tensor } from "@pt2/runtime";
import { centered, inside, type Placement } from "./geometry.ts";
import type { ResizeOp } from "./image-program.ts";
import { ImagePrograms, type ImageWork } from "./image-programs.ts";
import { type Pixels, requirePixels, type Size } from "./pixels.ts";
import type { ImagePreset } from "./preset.ts";
import { requireColumn, requireImage, requireSize } from "./requirements.ts";

/** How a picture is resized. */
export interface ResizeOptions {
  /** Whether pixels are averaged where a picture shrinks, as torchvision does by default. @default true */
  readonly antialias?: boolean;
  /** What `bicubic` makes of values between 0 and 1 may lie beyond, as with torchvision's tensors. @default "bilinear" */
  readonly interpolation?: "bilinear" | "bicubic";
}

const RESIZE_OPTIONS: OptionTypes = { antialias: "boolean", interpolation: '"bilinear" | "bicubic"' };

/**
 * Transforms of pictures, as torchvision has them, computed by a backend: the same numbers in Node and in a page, on every
 * one. A picture is a float32 tensor [1, channels, height, width] of values between 0 and 1; what they return belongs to the
 * caller.
 */
export interface ImageOps extends AsyncDisposable {
  /** Red, green and blue of raw pixels; gray is repeated, alpha left out. */
  toTensor(pixels: Pixels): Promise<Tensor>;
  /** The picture with another size. */
  resize(image: Tensor, size: Size, options?: ResizeOptions): Promise<Tensor>;
  /** The middle of the picture; zeros where it is smaller than `size`. */
  centerCrop(image: Tensor, size: Size): Promise<Tensor>;
  /** As large as fits into `size`, in the middle of an area of `fill`. */
  letterbox(image: Tensor, size: Size, options?: ResizeOptions & { readonly fill?: number }): Promise<Tensor>;
  /** `(image - mean) / std`, with a number for each channel. */
  normalize(image: Tensor, mean: readonly number[], std: readonly number[]): Promise<Tensor>;
  /** Frees the compiled programs; what they returned stays. */
  dispose(): Promise<void>;
}

/** Returns the transforms on a backend. Their programs are compiled when they are first called, and kept. */
export async function imageOps(backend: Backend | Promise<Backend>): Promise<ImageOps> {
  const programs = new ImagePrograms(await backend);
  return {
    async toTensor(pixels) {
      requirePixels(pixels);
      return await programs.run(pixels, {});
    },
    async resize(image, size, options = {}) {
      requireImage(image);
      requireSize(size);
      requireOptions("resize()", options, RESIZE_OPTIONS, "vision.options");
      return await programs.run(image, { resize: { op: resizeOp(options), size, bytes: false } });
    },
    async centerCrop(image, size) {
      requireImage(image);
      requireSize(size);
      return await programs.run(image, { put: { ...centered(sizeOf(image), size), fill: 0 } });
    },
    async letterbox(image, size, options = {}) {
      requireImage(image);
      requireSize(size);
      requireOptions("letterbox()", options, { ...RESIZE_OPTIONS, fill: "number" }, "vision.options");
      const placement = centered(inside(sizeOf(image), size), size);
      const resize = { op: resizeOp(options), size: placement.resized, bytes: false };
      return await programs.run(image, { resize, put: { ...placement, fill: options.fill ?? 0 } });
    },
    async normalize(image, mean, std) {
      requireImage(image);
      requireColumn("mean", mean);
      requireColumn("std", std);
      return await programs.run(image, { normalize: { mean, std } });
    },
    dispose: () => programs.dispose(),
    [Symbol.asyncDispose]: () => programs.dispose(),
  };
}

/** What makes the input of a program from a picture of a size, all at once. */
export function workOf(size: Size, placement: Placement, preset: ImagePreset): ImageWork {
  const { resized, input } = placement;
  const { mean = [0, 0, 0], std = [1, 1, 1] } = preset;
  return {
    ...(!sameSize(size, resized) && { resize: { op: resizeOp(preset), size: resized, bytes: true } }),
    ...(!sameSize(resized, input) && { put: { ...placement, fill: preset.fit === "letterbox" ? preset.fill : 0 } }),
    ...((preset.mean ?? preset.std) && { normalize: { mean, std } }),
  };
}

function resizeOp({ antialias = true, interpolation = "bilinear" }: ResizeOptions): ResizeOp {
  if (interpolation === "bicubic") return antialias ? "aten::_upsample_bicubic2d_aa" : "aten::upsample_bicubic2d";
  return antialias ? "aten::_upsample_bilinear2d_aa" : "aten::upsample_bilinear2d";
}

function sameSize(one: Size, other: Size): boolean {
  return one.width === other.width && one.height === other.height;
}

function sizeOf({ shape }: Tensor): Size {
  const [height, width] = shape.slice(-2) as [number, number];
  return { height, width };
}
