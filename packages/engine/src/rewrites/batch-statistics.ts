import { isSmallFloat } from "@pt2/format";
import { type Arg, argOf, type Node } from "@pt2/graph";
import { floatArg, isTrue, numberOf } from "./literals.ts";
import { given, type NewArgs, type RewriteContext } from "./rewriter.ts";
import { converted } from "./types.ts";

/** What a batch normalization knows of each channel: weights that no run writes. */
export interface BatchStatistics {
  readonly mean: Arg;
  readonly variance: Arg;
  readonly gamma: Arg | undefined;
  readonly beta: Arg | undefined;
  readonly eps: Arg;
}

/** Reads the statistics of a batch normalization in evaluation, all of this dtype; null where they are not fixed. */
export function batchStatistics(
  node: Node,
  dtype: string | undefined,
  context: RewriteContext,
): BatchStatistics | null {
  const eps = argOf(node, "eps");
  // A negative eps may leave no root: batch_norm gives NaN then, where a fused relu behind a convolution makes it 0.
  if (isTrue(argOf(node, "training")) || !((numberOf(eps) ?? -1) >= 0)) return null;
  const [mean, variance] = [given(node, "running_mean"), given(node, "running_var")];
  const [gamma, beta] = [given(node, "weight"), given(node, "bias")];
  if (mean === undefined || variance === undefined) return null;
  const present = [mean, variance, gamma, beta].filter((arg) => arg !== undefined);
  // Statistics of another dtype would give their dtype to the weights.
  const isUsable = (arg: Arg): boolean => context.isFixed(arg) && context.tensor(arg)?.dtype === dtype;
  if (!present.every(isUsable)) return null;
  return { mean, variance, gamma, beta, eps: eps?.kind === "int" ? floatArg(Number(eps.value)) : eps! };
}

/** bn(x + bias) = x·scale + shift, for each channel: scale = γ / √(var + ε), shift = (bias − mean)·scale + β. */
export interface ScaleAndShift {
  readonly scale: Arg;
  readonly shift: Arg;
}

/**
 * Computes the factor and the summand of each channel: of float16 and bfloat16 in float32, as PyTorch's kernels do. A
 * factor that is rounded on the way is wrong for all of its channel.
 */
export function scaleAndShift(
  statistics: BatchStatistics,
  bias: Arg | undefined,
  node: Node,
  context: RewriteContext,
): ScaleAndShift {
  const wide = (arg: Arg): Arg => widened(arg, node, context);
  const [mean, variance] = [wide(statistics.mean), wide(statistics.variance)];
  const [gamma, beta, own] = [statistics.gamma, statistics.beta, bias].map((arg) => arg && wide(arg));
  const perChannel = context.tensor(variance);
  const emit = (op: string, args: NewArgs): Arg => context.emit(`aten::${op}`, args, perChannel, node);
  const deviation = emit("rsqrt", { self: emit("add.Scalar", { self: variance, other: statistics.eps }) });
  const scale = gamma === undefined ? deviation : emit("mul.Tensor", { self: deviation, other: gamma });
  const centered = own === undefined ? emit("neg", { self: mean }) : emit("sub.Tensor", { self: own, other: mean });
  const shifted = emit("mul.Tensor", { self: centered, other: scale });
  return { scale, shift: beta === undefined ? shifted : emit("add.Tensor", { self: shifted, other: beta }) };
}

/** The same numbers in float32 where they are of a narrower dtype. */
export function widened(arg: Arg, like: Node, context: RewriteContext): Arg {
  const dtype = context.tensor(arg)?.dtype;
  return dtype !== undefined && isSmallFloat(dtype) ? converted(arg, "float32", like, context) : arg;
}
