import { normalDim } from "@pt2/engine";
import type { WebgpuKernel } from "../../engine/kernel.ts";

/** `cat(tensors, dim)`: each operand is copied into its part of the result. */
export const cat: WebgpuKernel = {
  ops: ["aten::cat"],
  complex: true,
  prepare(call) {
    const out = call.output();
    const rank = out.shape.length;
    const dim = normalDim(call.arg<number>("dim"), rank);
    let at = 0;
    // PyTorch skips one-dimensional empty operands whatever the rank.
    for (const part of call.tensors("tensors").filter(({ shape }) => shape.length === rank)) {
      call.copy(part, { ...out, shape: part.shape, offset: at * out.strides[dim]! });
      at += part.shape[dim]!;
    }
  },
};
