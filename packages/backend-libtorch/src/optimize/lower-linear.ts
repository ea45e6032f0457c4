import {
  dense,
  given,
  isSameShape,
  knownShape,
  NONE,
  type RewriteContext,
  type RewriteRule,
  rewrite,
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type Program } from "@pt2/graph";
import { activationArgs, NO_ACTIVATION } from "./activation.ts";
import type { OptimizeTarget } from "./target.ts";
import { halfOf, hasManyRows, rowsOf } from "./widened-weight.ts";

/**
 * Lowers `linear` with a fixed weight to this package's op, or oneDNN's, with the weight packed: it is twice as fast on
 * CPUs
 * for which MKL has no good kernels, and can apply an activation to its result.
 */
export function lowerLinears(program: Program, target: OptimizeTarget): Program {
  return rewrite(program, new Map([["aten::linear", RULE]]), target);
}

/** The fewest rows for which a GPU's tensor cores are faster. */
const TENSOR_CORE_ROWS = 32;

/** The number of multiplications below which a call of oneDNN costs more than the product. */
const SMALLEST = 2 ** 16;

const RULE: RewriteRule = (node, context) => {
  const [input, matrix, bias] = [argOf(node, "input"), argOf(node, "weight"), given(node, "bias") ?? NONE];
  const shape = knownShape(context.tensor(matrix));
  if (input === undefined || matrix === undefined || shape?.length !== 2 || !context.isFixed(matrix)) return null;
  if (bias.kind !== "none" && !context.isFixed(bias)) return null;
  const dtype = context.tensor(matrix)?.dtype;
  if ((dtype !== "float32" && dtype !== "bfloat16") || context.tensor(input)?.dtype !== dtype) return null;
  const [output] = node.outputs;
  const type = output?.kind === "value" ? context.tensor(output) : undefined;
  const rows = rowsOf(input, context);
  const activation = activationArgs(NO_ACTIVATION);
  const features: Arg = { kind: "int", value: shape[0]! };
  if (dtype === "float32" && context.target.has("pt2::linear_3xtf32")) {
    // Each weight is read twice, which only many rows are worth, and memory begins at vectors.
    if (rows === undefined || rows < TENSOR_CORE_ROWS || shape.some((size) => size % 4 !== 0)) return null;
    const packedType = dense(context.tensor(matrix), [shape[0]!, 2 * shape[1]!]);
    const weight = context.emit("pt2::pack_3xtf32_weight", { weight: matrix }, packedType, node);
    const args = { x: input, weight, out_features: features, bias, residual: NONE, ...activation };
    return context.emit("pt2::linear_3xtf32", args, type, node);
  }
  const takesHalf = dtype === "float32" && !shape.includes(0) && context.target.has("pt2::linear_half");
  const half = takesHalf && !hasManyRows(input, context) ? halfOf(matrix, context, node) : null;
  if (half !== null) {
    const round_input: Arg = { kind: "bool", value: half.rounds };
    const args = { input, weight: rowMajor(half.weight, context, node), bias, round_input };
    return context.emit("pt2::linear_half", args, type, node);
  }
  // This package's kernel computes as many multiplications a second as oneDNN, and costs less for each call.
  if (dtype === "float32" && context.target.has("pt2::linear")) {
    const weight = context.emit("pt2::pack_linear_weight", { weight: matrix }, packed(matrix, shape, context), node);
    const args = { x: input, weight, out_features: features, bias, residual: NONE, ...activation };
    return context.emit("pt2::linear", args, type, node);
  }
  if (!context.target.has("mkldnn::_linear_pointwise")) return null;
  if (rows !== undefined && rows * shape[0]! * shape[1]! < SMALLEST) return null;
  const weight = context.emit(
    "mkldnn::_reorder_linear_weight",
    { self: rowMajor(matrix, context, node), batch_size: rows === undefined ? NONE : { kind: "int", value: rows } },
    packed(matrix, shape, context),
    node,
  );
  return context.emit("mkldnn::_linear_pointwise", { X: input, W: weight, B: bias, ...activation }, type, node);
};

/** The row-major form of a fixed matrix, unless it is known to have it: GPT-2 stores transposed ones. */
function rowMajor(matrix: Arg, context: RewriteContext, node: Node): Arg {
  const type = context.tensor(matrix);
  const isStored = context.definition(matrix) === undefined;
  if (isStored && type !== undefined && isSameShape(type.strides, dense(type, type.shape)?.strides)) return matrix;
  return context.emit("aten::contiguous", { self: matrix }, dense(type, type?.shape), node);
}

function packed(matrix: Arg, shape: readonly number[], context: RewriteContext): ReturnType<RewriteContext["tensor"]> {
  return dense(context.tensor(matrix), shape);
}
