import type { Builder, TensorMeta } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";

/** What the forward ops take: features [N, C, H, W], and regions [K, 5] of (picture, x1, y1, x2, y2). */
export interface PoolCall {
  readonly input: TensorMeta;
  readonly rois: TensorMeta;
  readonly pooled_height: number;
  readonly pooled_width: number;
}

/** What their gradients take: the gradient of the result, and the sizes of the features. */
export interface GradientCall extends Omit<PoolCall, "input"> {
  readonly grad: TensorMeta;
  readonly batch_size: number;
  readonly channels: number;
  readonly height: number;
  readonly width: number;
}

/** What is wrong with a call, in torchvision's order; null where nothing is. */
export function requireRegions(op: string, { input, rois, pooled_height, pooled_width }: PoolCall): string | null {
  if (rois.shape.length !== 2 || rois.shape[1] !== 5)
    return `rois must have shape as Tensor[K, 5], not [${rois.shape}]`;
  if (input.shape.length !== 4) return `${op}: input must have four dimensions, not [${input.shape}]`;
  if (input.dtype !== rois.dtype) return `${op}: input is ${input.dtype}, and rois is ${rois.dtype}`;
  if (!/^float(16|32|64)$/.test(input.dtype)) return `${op} is not implemented for ${input.dtype}`;
  return pooled_height >= 0 && pooled_width >= 0
    ? null
    : `${op}: the pooled size must not be negative: ${pooled_height}, ${pooled_width}`;
}

/** The same for a gradient, whose result has `channels`. */
export function requireGradient(op: string, call: GradientCall, channels: number): string | null {
  const { grad, rois, pooled_height, pooled_width, batch_size, height, width } = call;
  const problem = requireRegions(op, { ...call, input: grad });
  if (problem !== null) return problem;
  const sizes = [batch_size, call.channels, height, width];
  if (sizes.some((size) => size < 0)) return `${op}: the sizes of features must not be negative: [${sizes}]`;
  const expected = [rois.shape[0], channels, pooled_height, pooled_width];
  return `${grad.shape}` === `${expected}` ? null : `${op}: grad must be [${expected}], not [${grad.shape}]`;
}

/** What is wrong with a number of samples; null where nothing is. */
export function requireSamples(op: string, ratio: number): string | null {
  return ratio <= MOST_SAMPLES ? null : `${op}: sampling_ratio must not be more than ${MOST_SAMPLES}, as ${ratio} is`;
}

/** torchvision lists all samples of a region: of so many in each direction not even one bin fits into memory. */
const MOST_SAMPLES = 2 ** 15;

/** So many samples of a bin, in each direction, kernels visit one by one. More are left to the rules. */
export const FEW_SAMPLES = 256;

/** What rules compute in: half precision is widened. */
export function wide(x: TensorMeta, b: Builder): TensorMeta {
  return arithmetic(b).cast(x, x.dtype === "float64" ? "float64" : "float32");
}
