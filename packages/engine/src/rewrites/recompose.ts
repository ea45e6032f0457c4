import type { Program } from "@pt2/graph";
import { hardActivation, silu } from "./recompose-activations.ts";
import { batchedMatmul, safeSoftmax } from "./recompose-attention.ts";
import { maxPool } from "./recompose-max-pool.ts";
import { type RewriteRules, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";

/** Puts together again what `run_decompositions()` took apart, so that ATen IR is optimized as training IR is. */
export function recompose(program: Program, target: RewriteTarget): Program {
  return rewrite(program, RULES, target);
}

const RULES: RewriteRules = new Map([
  ["aten::reshape", batchedMatmul],
  ["aten::where.self", safeSoftmax],
  ["aten::div.Tensor", hardActivation],
  ["aten::mul.Tensor", silu],
  ["aten::max_pool2d_with_indices", maxPool],
]);
