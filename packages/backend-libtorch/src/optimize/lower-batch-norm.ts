import {
  dense,
  given,
  intsArg,
  knownShape,
  numberOf,
  type RewriteContext,
  type RewriteRule,
  resultType,
  rewrite,
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type Program } from "@pt2/graph";
import { POINTWISE } from "./fuse-pointwise.ts";
import type { OptimizeTarget } from "./target.ts";

/**
 * Lowers normalizations by fixed statistics, which no layer before could take over, to a product and a sum: the factors
 * that PyTorch computes in each call are made once. Those of images become elementwise ops, which join an activation
 * behind them in one pass over memory.
 */
export function lowerBatchNorms(program: Program, target: OptimizeTarget): Program {
  if (!target.has("aten::addcmul")) return program;
  return rewrite(program, new Map([["aten::batch_norm", RULE]]), target);
}

const RULE: RewriteRule = (node, context) => {
  const [x, mean, variance] = [argOf(node, "input"), given(node, "running_mean"), given(node, "running_var")];
  const [weight, bias, training] = [given(node, "weight"), given(node, "bias"), argOf(node, "training")];
  const eps = numberOf(argOf(node, "eps"));
  if (x === undefined || mean === undefined || variance === undefined || eps === undefined) return null;
  const rank = context.tensor(x)?.shape.length ?? 0;
  if (training?.kind !== "bool" || training.value || rank < 2) return null;
  if (rank > 2 && !context.target.has(POINTWISE)) return null;
  const vectors = [mean, variance, weight, bias].filter((arg) => arg !== undefined);
  const sizes = new Set(vectors.map((arg) => String(context.tensor(arg)?.shape)));
  if ([x, ...vectors].some((arg) => context.tensor(arg)?.dtype !== "float32")) return null;
  // What PyTorch refuses stays as it is.
  if (!vectors.every((arg) => context.isFixed(arg)) || sizes.size !== 1 || context.tensor(mean)?.shape.length !== 1)
    return null;
  if (String(context.tensor(x)?.shape[1]) !== [...sizes][0] || knownShape(context.tensor(mean)) === undefined)
    return null;
  return normalized(node, { x, mean, variance, weight, bias, eps }, context);
};

interface Parts {
  readonly x: Arg;
  readonly mean: Arg;
  readonly variance: Arg;
  readonly weight: Arg | undefined;
  readonly bias: Arg | undefined;
  readonly eps: number;
}

/** x · a + (bias − mean · a) with a = weight / √(variance + eps), as PyTorch's own kernel computes it. */
function normalized(node: Node, { x, mean, variance, weight, bias, eps }: Parts, context: RewriteContext): Arg {
  const type = context.tensor(mean);
  const shifted = context.emit(
    "aten::add.Scalar",
    { self: variance, other: { kind: "float", value: eps } },
    type,
    node,
  );
  const inverse = context.emit("aten::rsqrt", { self: shifted }, type, node);
  const factor =
    weight === undefined ? inverse : context.emit("aten::mul.Tensor", { self: inverse, other: weight }, type, node);
  const product = context.emit("aten::mul.Tensor", { self: mean, other: factor }, type, node);
  const rest =
    bias === undefined
      ? context.emit("aten::neg", { self: product }, type, node)
      : context.emit("aten::sub.Tensor", { self: bias, other: product }, type, node);
  const result = resultType(node, context);
  const rank = context.tensor(x)?.shape.length ?? 0;
  if (rank === 2) return context.emit("aten::addcmul", { self: rest, tensor1: x, tensor2: factor }, result, node);
  // One number for each channel, beside sizes of 1.
  const channels = knownShape(type)!;
  const sizes = [...channels, ...Array.from({ length: rank - 2 }, () => 1)];
  const [scale, shift] = [factor, rest].map((self) =>
    context.emit("aten::reshape", { self, shape: intsArg(sizes) }, dense(type, sizes), node),
  );
  const scaled = context.emit("aten::mul.Tensor", { self: x, other: scale! }, result, node);
  return context.emit("aten::add.Tensor", { self: scaled, other: shift! }, result, node);
}
