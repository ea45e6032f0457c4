import type { Program } from "@pt2/graph";
import { mergeConvolutions } from "./merge-convolutions.ts";
import type { RewriteTarget } from "./target.ts";
import { dropZeroTerms } from "./zero-terms.ts";

/** Computes branches of a network that are trained apart, and added, as one. */
export function rewriteBranchSums(program: Program, target: RewriteTarget): Program {
  return mergeConvolutions(dropZeroTerms(program, target), target);
}
