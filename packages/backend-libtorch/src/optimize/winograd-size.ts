import type { TensorType } from "@pt2/graph";

/** The multiplications for one image up to which the steps of Winograd's algorithm cost more than they gain. */
const SMALL = 2 ** 20;

/** The fewest channels. */
const CHANNELS = 16;

/**
 * The smallest image, in pixels. In one of less than `PIXELS` each weight has too few uses to be worth four times as many of
 * them, unless all of them stay in the cache: there are `PAIRS` of channels at most.
 */
const [PIXELS, FEWEST_PIXELS, PAIRS] = [100, 36, 2 ** 16];

/** Whether Winograd's algorithm is faster for 3x3 filters with images of this type as results. */
export function gainsByWinograd(outputs: number, inputs: number, images: TensorType | undefined): boolean {
  const [height, width] = images?.shape.slice(-2) ?? [];
  if (typeof height !== "number" || typeof width !== "number" || Math.min(outputs, inputs) < CHANNELS) return false;
  const [pixels, pairs] = [height * width, outputs * inputs];
  return 9 * pixels * pairs > SMALL && (pixels >= PIXELS || (pixels >= FEWEST_PIXELS && pairs <= PAIRS));
}
