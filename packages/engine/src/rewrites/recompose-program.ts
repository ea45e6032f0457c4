import type { Program } from "@pt2/graph";
import { removeNoOps } from "@pt2/graph/passes";
import { canonicalize } from "./canonical.ts";
import { unflattenLinears } from "./flat-linear.ts";
import { recognizeGelu } from "./gelu-tanh.ts";
import { recompose } from "./recompose.ts";
import type { RewriteTarget } from "./target.ts";
import { recomposeAttention } from "./written-attention.ts";

type Pass = (program: Program, target: RewriteTarget) => Program;

const PASSES: readonly Pass[] = [recompose, unflattenLinears, recomposeAttention, recognizeGelu];

/**
 * Attention, activations, linear layers and poolings that a program writes out become ops again, for a backend on which
 * layouts are its own affair. A program without them is returned itself, its ops spelled as they were.
 */
export function recomposeProgram(program: Program, target: RewriteTarget): Program {
  const plain = removeNoOps(program, { logicalViews: true, isClaimed: target.isClaimed });
  const canonical = canonicalize(plain, target);
  const recomposed = PASSES.reduce((current, pass) => pass(current, target), canonical);
  return recomposed === canonical ? program : recomposed;
}
