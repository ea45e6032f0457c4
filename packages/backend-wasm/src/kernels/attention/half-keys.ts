import type { PlanContext } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { Kernels } from "../../kernels.gen.ts";
import { narrowKernels } from "../matmul/narrow-module.ts";

/** The kernel for keys and values of a dtype. */
export type AttentionKernels = Pick<Kernels, "attention" | "attentionScratch">;

/** Returns the kernel of few queries for keys and values of float16 or bfloat16, which become float32 as it reads them. */
export async function halfKeys(
  ctx: PlanContext,
  queries: number,
  { dtype, shape }: TensorView,
): Promise<AttentionKernels> {
  const narrow = await narrowKernels(ctx);
  const isBrain = dtype === "bfloat16" ? 1 : 0;
  const block = ctx.kernels.attentionBlock(queries, shape.at(-2)!);
  return {
    attention(q, qRow, k, kRow, v, vRow, out, outRow, _, ...others) {
      narrow.attentionHalf(isBrain, q, qRow, k, kRow, v, vRow, out, outRow, block, ...others);
    },
    attentionScratch: (_, S, E, Ev) => narrow.attentionHalfScratch(block, S, E, Ev),
  };
}
