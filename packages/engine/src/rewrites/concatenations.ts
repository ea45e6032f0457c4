import type { Program } from "@pt2/graph";
import { distributeConcatenations } from "./distribute-concatenations.ts";
import { nestCats } from "./nest-cats.ts";
import type { RewriteTarget } from "./target.ts";

/** Brings tensors that are put side by side to the form in which their parts are computed in place. */
export function rewriteConcatenations(program: Program, target: RewriteTarget): Program {
  // In this order: a part that is a whole itself is no convolution.
  return nestCats(distributeConcatenations(program, target), target);
}
