import { type Arg, argOf, type Node, type Program } from "@pt2/graph";
import { floatArg, intsArg, numberOf } from "./literals.ts";
import { given, type NewArgs, type RewriteContext, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { dense } from "./types.ts";

/**
 * Batch normalization behind a convolution becomes part of its weights:
 *
 *     bn(conv(x, w, b)) = conv(x, w·s, (b − mean)·s + β)   with s = γ / √(var + ε)
 *
 * when all of them are weights that no run writes and nothing else reads the convolution.
 */
export function foldBatchNorms(program: Program, target: RewriteTarget): Program {
  return rewrite(program, RULES, target);
}

const CONVOLUTION = /^aten::conv(olution|[123]d(\.padding)?)$/;

const rule: RewriteRule = (node, context) => {
  const convolved = argOf(node, "input");
  const conv = context.definition(convolved);
  if (conv === undefined || !CONVOLUTION.test(conv.op) || isTrue(argOf(conv, "transposed"))) return null;
  if (!context.isReadOnce(convolved)) return null;
  const eps = argOf(node, "eps");
  // A negative eps may leave no root: batch_norm gives NaN then, where a fused relu behind a convolution makes it 0.
  if (isTrue(argOf(node, "training")) || !((numberOf(eps) ?? -1) >= 0)) return null;
  const [mean, variance] = [given(node, "running_mean"), given(node, "running_var")];
  const [gamma, beta] = [given(node, "weight"), given(node, "bias")];
  if (mean === undefined || variance === undefined) return null;
  const [weight, bias] = [argOf(conv, "weight")!, given(conv, "bias")];
  if (!canFold({ weight, factors: [mean, variance, gamma, beta], bias, convolved: convolved! }, context)) return null;

  const perChannel = context.tensor(variance);
  const emit = (op: string, args: NewArgs): Arg => context.emit(`aten::${op}`, args, perChannel, node);
  const deviation = emit("rsqrt", { self: emit("add.Scalar", { self: variance, other: toFloat(eps!) }) });
  const scale = gamma === undefined ? deviation : emit("mul.Tensor", { self: deviation, other: gamma });
  const scaledWeight = scaled(weight, scale, { norm: node, conv }, context);
  const centered = bias === undefined ? emit("neg", { self: mean }) : emit("sub.Tensor", { self: bias, other: mean });
  const shifted = emit("mul.Tensor", { self: centered, other: scale });
  const shift = beta === undefined ? shifted : emit("add.Tensor", { self: shifted, other: beta });
  const rest = Object.fromEntries(conv.args.map(({ name, arg }) => [name, arg]));
  return context.emit(conv.op, { ...rest, weight: scaledWeight, bias: shift }, context.tensor(convolved), conv);
};

const RULES = new Map([
  ["aten::batch_norm", rule],
  ["aten::_native_batch_norm_legit_no_training", rule],
]);

interface Operands {
  readonly weight: Arg;
  readonly bias: Arg | undefined;
  readonly factors: readonly (Arg | undefined)[];
  readonly convolved: Arg;
}

function canFold({ weight, bias, factors, convolved }: Operands, context: RewriteContext): boolean {
  const [type, result] = [context.tensor(weight), context.tensor(convolved)];
  // Without a batch dimension the normalization takes the height for the channels.
  if (type === undefined || type.shape.length !== result?.shape.length) return false;
  const present = factors.filter((factor) => factor !== undefined);
  // Statistics of another dtype would give their dtype to the weights.
  if (!present.every((factor) => context.tensor(factor)?.dtype === type.dtype)) return false;
  return [weight, bias, ...present].every((arg) => arg === undefined || context.isFixed(arg));
}

/** The weight, each output channel multiplied by its factor. */
function scaled(
  weight: Arg,
  scale: Arg,
  { norm, conv }: { readonly norm: Node; readonly conv: Node },
  context: RewriteContext,
): Arg {
  const [type, factors] = [context.tensor(weight)!, context.tensor(scale)];
  const ones = type.shape.slice(1).map(() => 1);
  const shape = factors && [...factors.shape, ...ones];
  const args = { self: scale, shape: intsArg([-1, ...ones]) };
  const column = context.emit("aten::reshape", args, dense(factors, shape), norm);
  return context.emit("aten::mul.Tensor", { self: weight, other: column }, dense(type, type.shape), conv);
}

function toFloat(arg: Arg): Arg {
  return arg.kind === "int" ? floatArg(Number(arg.value)) : arg;
}

function isTrue(arg: Arg | undefined): boolean {
  return arg?.kind === "bool" && arg.value;
}
