import type { Builder, TensorMeta } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";

/** What is wrong with features [N, C, H, W] and regions [K, 5], in torchvision's order; null where nothing is. */
export function requireRegions(op: string, input: TensorMeta, rois: TensorMeta): string | null {
  if (rois.shape.length !== 2 || rois.shape[1] !== 5)
    return `rois must have shape as Tensor[K, 5], not [${rois.shape}]`;
  if (input.shape.length !== 4) return `${op}: input must have four dimensions, not [${input.shape}]`;
  if (input.dtype !== rois.dtype) return `${op}: input is ${input.dtype}, and rois is ${rois.dtype}`;
  return /^float(16|32|64)$/.test(input.dtype) ? null : `${op} is not implemented for ${input.dtype}`;
}

/** What rules compute in: half precision is widened. */
export function wide(x: TensorMeta, b: Builder): TensorMeta {
  return arithmetic(b).cast(x, x.dtype === "float64" ? "float64" : "float32");
}
