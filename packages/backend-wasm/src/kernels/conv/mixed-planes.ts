import { contiguousStrides } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { float32Result } from "../float32.ts";
import { planRows } from "../matmul/dots.ts";

/**
 * Plans a 1×1 convolution of planes as sums of multiples of these, which are planes again. `input` is a batch, and its pixels lie side by
 * side.
 */
export function planMixedPlanes(
  call: KernelCall,
  input: TensorView,
  weight: TensorView,
  bias: TensorView | null,
  shape: readonly number[],
): void {
  const [batch, K] = input.shape as readonly [number, number];
  const rows = weight.shape[0]!;
  const columns = input.shape.slice(2).reduce((count, size) => count * size, 1);
  const dense = call.dense(weight);
  const factors = { ...dense, shape: [1, rows, K], strides: [0, K, 1] };
  const planes = { ...input, shape: [batch, K, columns], strides: [input.strides[0]!, input.strides[1]!, 1] };
  const compute = (out: TensorView): void =>
    planRows(call, { batch, rows, columns, K }, factors, planes, out, { bias, ...call.clamp });
  float32Result(call, compute, { strides: contiguousStrides(shape) });
}
