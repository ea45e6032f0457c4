import type { DType } from "@pt2/format";
import { contiguousStrides } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import type { KernelCall } from "../engine/kernel.ts";
import type { TensorView } from "../engine/tensor-view.ts";

const COMPUTED_IN_FLOAT32: ReadonlySet<DType> = new Set<DType>(["float32", "float16", "bfloat16"]);

/** Whether tensor arguments are of dtypes that PyTorch's CPU kernels compute in float32. Absent ones do not count. */
export function isFloat32(...tensors: readonly (TensorMeta | null | undefined)[]): boolean {
  return tensors.every((tensor) => !tensor || COMPUTED_IN_FLOAT32.has(tensor.dtype));
}

/** Which result it is, and how it lies: see {@link KernelCall.output}. */
interface Placement {
  readonly index?: number;
  readonly strides?: readonly number[];
  readonly takes?: (strides: readonly number[]) => boolean;
}

/**
 * Allocates the n-th result and lets `compute` write it in float32; a half-precision result is rounded from a
 * temporary.
 */
export function float32Result(call: KernelCall, compute: (out: TensorView) => void, placement?: Placement): void {
  resultIn("float32", call, compute, placement);
}

/** Allocates the n-th result and lets `compute` write it in a dtype; a result of another one is converted from a temporary. */
export function resultIn(
  dtype: DType,
  call: KernelCall,
  compute: (out: TensorView) => void,
  { index = 0, strides, takes }: Placement = {},
): void {
  const out = call.output(index, strides, takes);
  if (out.dtype === dtype) {
    compute(out);
    return;
  }
  const wide = call.temporary(dtype, out.shape, strides ?? contiguousStrides(out.shape));
  compute(wide);
  call.copy(wide, out);
}
