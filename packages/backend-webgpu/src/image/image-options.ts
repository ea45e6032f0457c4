import { backendError } from "@pt2/backend";

/** Options that say how a picture becomes a tensor. */
export interface ImageOptions {
  /**
   * The width of the tensor, to which the picture is resized: bilinear, and averaged where it shrinks, as torchvision
   * does.
   */
  readonly width: number;
  /** The height of the tensor. */
  readonly height: number;
  /**
   * The number of channels. 3: red, green, blue. 4: alpha too. 1: gray, as ITU-R 601-2 weighs the colors. @default 3
   */
  readonly channels?: 1 | 3 | 4;
  /** The mean, which is subtracted from values between 0 and 1, one for each channel. @default 0 */
  readonly mean?: readonly number[];
  /** The standard deviation, by which the difference is divided, one for each channel. @default 1 */
  readonly std?: readonly number[];
  /** The dtype of the tensor. `uint8` holds 0 to 255, without mean and std. @default "float32" */
  readonly dtype?: "float32" | "float16" | "bfloat16" | "uint8";
}

/**
 * Returns the shader's parameters: width and height, mean and 1 / std of four channels. Refuses options that make no
 * sense.
 */
export function numbersOf(options: ImageOptions): readonly number[] {
  const { width, height } = options;
  if (![width, height].every((size) => Number.isSafeInteger(size) && size > 0)) {
    throw backendError("backend.input", {
      what: `A picture cannot be resized to ${width} × ${height}`,
      advice: "Give the tensor's width and height in pixels.",
    });
  }
  const [mean, std] = [channelsOf("mean", options, 0), channelsOf("std", options, 1)];
  return [width, height, ...mean, ...std.map((value) => 1 / value)];
}

function channelsOf(name: "mean" | "std", options: ImageOptions, otherwise: number): readonly number[] {
  const { channels = 3, [name]: given = new Array<number>(channels).fill(otherwise) } = options;
  if (given.length === channels) return [...given, otherwise, otherwise, otherwise].slice(0, 4);
  throw backendError("backend.input", {
    what: `${name} has ${given.length} numbers, but the tensor has ${channels} channels`,
    advice: "Give one number for each channel.",
  });
}
