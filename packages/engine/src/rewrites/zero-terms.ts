import { argOf, type Program } from "@pt2/graph";
import { numberOf } from "./literals.ts";
import { type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { isSameShape, resultType } from "./types.ts";

/** Drops the number 0 from sums, which begin with it where a network adds as many branches as it has: -0 stays -0. */
export function dropZeroTerms(program: Program, target: RewriteTarget): Program {
  return rewrite(program, new Map([["aten::add.Tensor", RULE]]), target);
}

const RULE: RewriteRule = (node, context) => {
  const self = argOf(node, "self");
  const [type, result] = [context.tensor(self), resultType(node, context)];
  if (self === undefined || numberOf(argOf(node, "other")) !== 0 || type?.dtype !== result?.dtype) return null;
  return isSameShape(type?.shape, result?.shape) ? self : null;
};
