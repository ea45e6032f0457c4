import {
  given,
  NONE,
  numberOf,
  type RewriteContext,
  type RewriteRule,
  rewrite,
  transposed,
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type Program } from "@pt2/graph";
import { activationArgs, NO_ACTIVATION } from "./activation.ts";
import type { OptimizeTarget } from "./target.ts";

/**
 * Lowers products of float32 matrices that both change to this package's op, which packs the right side in each run: it is
 * faster on CPUs for which MKL has no good kernels, and can apply an activation to its result.
 */
export function lowerMatmuls(program: Program, target: OptimizeTarget): Program {
  return target.has("pt2::matmul") ? rewrite(program, RULES, target) : program;
}

/** The rows or columns below which packing takes as long as the product. */
const FEW = 8;

function between(left: string, right: string): RewriteRule {
  return (node, context) => product(node, context, argOf(node, left), argOf(node, right), NONE);
}

const linear: RewriteRule = (node, context) => {
  const weight = argOf(node, "weight");
  const type = context.tensor(weight);
  if (type?.shape.length !== 2 || weight === undefined || context.isFixed(weight)) return null;
  if (!isMany(node, context, argOf(node, "input"))) return null;
  const other = context.emit("aten::t", { self: weight }, transposed(type), node);
  return product(node, context, argOf(node, "input"), other, given(node, "bias") ?? NONE);
};

/** beta * self + alpha * (mat1 @ mat2), both 1 */
const addmm: RewriteRule = (node, context) => {
  const plain = [argOf(node, "beta"), argOf(node, "alpha")].every((arg) => arg === undefined || numberOf(arg) === 1);
  const bias = argOf(node, "self");
  const columns = context.tensor(argOf(node, "mat2"))?.shape[1];
  const [size, ...others] = context.tensor(bias)?.shape ?? [];
  // One that is broadcast over the columns is no bias.
  if (!plain || typeof size !== "number" || size !== columns || others.length > 0) return null;
  return product(node, context, argOf(node, "mat1"), argOf(node, "mat2"), bias ?? NONE);
};

function product(
  node: Node,
  context: RewriteContext,
  x: Arg | undefined,
  other: Arg | undefined,
  bias: Arg,
): Arg | null {
  const [left, right] = [context.tensor(x), context.tensor(other)];
  const [output] = node.outputs;
  const type = output?.kind === "value" ? context.tensor(output) : undefined;
  if (x === undefined || other === undefined || left?.dtype !== "float32" || right?.dtype !== "float32") return null;
  // PyTorch multiplies a matrix with many as their transposes, and so is the result's order in memory.
  if (right.shape.length < 2 || left.shape.length < right.shape.length) return null;
  if (!isMany(node, context, x)) return null;
  const args = { x, other, bias, residual: NONE, ...activationArgs(NO_ACTIVATION) };
  return context.emit("pt2::matmul", args, type, node);
}

/** Whether both sides of the result of a product with `x` are long, as far as is known. */
function isMany(node: Node, context: RewriteContext, x: Arg | undefined): boolean {
  const [output] = node.outputs;
  const rows = context.tensor(x)?.shape.at(-2);
  const columns = output?.kind === "value" ? context.tensor(output)?.shape.at(-1) : undefined;
  return [rows, columns].every((size) => typeof size !== "number" || size >= FEW);
}

const RULES: ReadonlyMap<string, RewriteRule> = new Map([
  ["aten::matmul", between("self", "other")],
  ["aten::bmm", between("self", "mat2")],
  ["aten::mm", between("self", "mat2")],
  ["aten::linear", linear],
  ["aten::addmm", addmm],
]);
