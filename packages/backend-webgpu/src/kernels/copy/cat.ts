import { normalDim, sameShape } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";

/** `cat(tensors, dim)`: each operand is copied into its part of the result. */
export const cat: WebgpuKernel = webgpuKernel({
  ops: ["aten::cat"],
  unsigned: true,
  complex: true,
  prepare(call, args) {
    const result = call.call.results[0] as TensorMeta;
    const rank = result.shape.length;
    const dim = normalDim(args.dim, rank);
    let at = 0;
    // PyTorch skips one-dimensional empty operands whatever the rank.
    const parts = args.tensors.map((tensor) => call.tensor(tensor)).filter(({ shape }) => shape.length === rank);
    // A cache begins with nothing: what is joined to that is the result.
    const whole = parts.find(({ shape, dtype }) => dtype === result.dtype && sameShape(shape, result.shape));
    if (whole !== undefined) return call.alias(0, whole);
    const out = call.output();
    for (const part of parts) {
      call.copy(part, { ...out, shape: part.shape, offset: at * out.strides[dim]! });
      at += part.shape[dim]!;
    }
  },
});
