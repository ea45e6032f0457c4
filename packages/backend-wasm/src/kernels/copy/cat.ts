import { denseStrides } from "@pt2/engine";
import { contiguousStrides, DTYPES, normalDim, sameShape } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";

/** `cat(tensors, dim)`: each operand is copied (converted where dtypes differ) into its part of the result, unless it lies there. */
export const cat: WasmKernel = wasmKernel({
  ops: ["aten::cat"],
  unsigned: true,
  accepts: ({ tensors }) => convertsAll(tensors),
  readsParts: true,
  prepare(call, { tensors, dim: given }) {
    const result = call.call.results[0] as TensorMeta;
    const rank = result.shape.length;
    const dim = normalDim(given, rank);
    // PyTorch skips one-dimensional empty operands whatever the rank.
    const parts = tensors.map((tensor) => call.tensor(tensor)).filter(({ shape }) => shape.length === rank);
    // A cache begins with nothing: what is joined to that is the result.
    const whole = parts.find(({ shape, dtype }) => dtype === result.dtype && sameShape(shape, result.shape));
    if (whole !== undefined) return call.alias(0, whole);
    const out = call.output(0, stridesLike(result.shape, parts[0], dim), () => true);
    let at = 0;
    for (const part of parts) {
      const size = part.shape[dim]!;
      const target: TensorView = { ...out, shape: part.shape, offset: out.offset + at * out.strides[dim]! };
      call.copy(call.convert(part, out.dtype), target);
      at += size;
    }
  },
});

/** Whether the dtypes are equal, or none is complex: others are converted to complex by the record. */
function convertsAll(tensors: readonly TensorMeta[]): boolean {
  const isComplex = tensors.some(({ dtype }) => DTYPES[dtype].kind === "complex");
  return !isComplex || tensors.every(({ dtype }) => dtype === tensors[0]!.dtype);
}

/** The layout of the first operand, so that channels-last stays channels-last. */
function stridesLike(shape: readonly number[], part: TensorView | undefined, dim: number): readonly number[] {
  if (part === undefined) return contiguousStrides(shape);
  const single = part.shape.some((size, d) => size === 1 && d !== dim);
  return single && shape.length < 3 ? contiguousStrides(shape) : denseStrides(shape, part);
}
