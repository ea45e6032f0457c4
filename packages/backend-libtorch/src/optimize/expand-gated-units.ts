import { intArg, numberOf, type RewriteRule, resultType, rewrite } from "@pt2/engine/rewrites";
import { normalDim } from "@pt2/format";
import { argOf, type Program, type TensorType } from "@pt2/graph";
import type { OptimizeTarget } from "./target.ts";

/** Elements of a result up to which a call of one op takes less than two views and a pass over memory. */
const FEW = 4096;

/**
 * Writes gated linear units as what they are, `a * sigmoid(b)` of the halves `a` and `b`, which is one pass over memory.
 * ATen's kernel takes ten times as long for sequences and images whose channels come last.
 */
export function expandGatedUnits(program: Program, target: OptimizeTarget): Program {
  if (!target.has("pt2::pointwise")) return program;
  return rewrite(program, new Map([["aten::glu", RULE]]), target);
}

const RULE: RewriteRule = (node, context) => {
  const self = argOf(node, "self")!;
  const type = context.tensor(self);
  const rank = type?.shape.length ?? 0;
  const dim = normalDim(numberOf(argOf(node, "dim")) ?? -1, rank);
  const size = type?.shape[dim];
  if (type?.dtype !== "float32" || typeof size !== "number" || size % 2 !== 0) return null;
  const result = resultType(node, context);
  if (result === undefined || hasFew(result)) return null;
  const half = (index: number) => {
    const args = { self, dim: intArg(dim), start: intArg((index * size) / 2), length: intArg(size / 2) };
    return context.emit("aten::narrow", args, { ...type, shape: result.shape }, node);
  };
  const gate = context.emit("aten::sigmoid", { self: half(1) }, result, node);
  return context.emit("aten::mul.Tensor", { self: half(0), other: gate }, result, node);
};

function hasFew({ shape }: TensorType): boolean {
  return shape.reduce<number>((all, size) => all * (typeof size === "number" ? size : FEW + 1), 1) <= FEW;
}
