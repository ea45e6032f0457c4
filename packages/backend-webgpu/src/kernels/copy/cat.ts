import { normalDim } from "@pt2/engine";
import { type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";

/** `cat(tensors, dim)`: each operand is copied into its part of the result. */
export const cat: WebgpuKernel = webgpuKernel({
  ops: ["aten::cat"],
  complex: true,
  prepare(call, args) {
    const out = call.output();
    const rank = out.shape.length;
    const dim = normalDim(args.dim, rank);
    let at = 0;
    // PyTorch skips one-dimensional empty operands whatever the rank.
    const parts = args.tensors.map((tensor) => call.tensor(tensor)).filter(({ shape }) => shape.length === rank);
    for (const part of parts) {
      call.copy(part, { ...out, shape: part.shape, offset: at * out.strides[dim]! });
      at += part.shape[dim]!;
    }
  },
});
