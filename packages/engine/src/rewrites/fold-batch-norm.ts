import { type Arg, argOf, type Program } from "@pt2/graph";
import { floatArg, intsArg, numberOf } from "./literals.ts";
import { given, type NewArgs, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { dense } from "./types.ts";

/** batch_norm(conv2d(x, w, b)) = conv2d(x, w s, (b - mean) s + beta) with s = gamma / sqrt(var + eps), in evaluation. */
export function foldBatchNorms(program: Program, target: RewriteTarget): Program {
  return rewrite(program, new Map([["aten::batch_norm", RULE]]), target);
}

const RULE: RewriteRule = (node, context) => {
  const convolved = argOf(node, "input");
  const conv = context.definition(convolved);
  const training = argOf(node, "training");
  const eps = argOf(node, "eps");
  if (conv?.op !== "aten::conv2d" || !context.isReadOnce(convolved)) return null;
  // Of a negative eps there may be no root: batch_norm says so, where oneDNN's relu behind a convolution makes it 0.
  if (training?.kind !== "bool" || training.value || !((numberOf(eps) ?? -1) >= 0)) return null;
  const [mean, variance] = [given(node, "running_mean"), given(node, "running_var")];
  const [gamma, beta] = [given(node, "weight"), given(node, "bias")];
  const [weight, bias] = [argOf(conv, "weight")!, given(conv, "bias")];
  if (mean === undefined || variance === undefined) return null;
  const fixed = [mean, variance, weight, gamma, beta, bias].filter((arg) => arg !== undefined);
  if (!fixed.every((arg) => context.isFixed(arg))) return null;

  const perChannel = context.tensor(variance);
  const emit = (op: string, args: NewArgs): Arg => context.emit(`aten::${op}`, args, perChannel, node);
  const deviation = emit("rsqrt", { self: emit("add.Scalar", { self: variance, other: toFloat(eps!) }) });
  const scale = gamma === undefined ? deviation : emit("mul.Tensor", { self: deviation, other: gamma });
  const column = context.emit(
    "aten::reshape",
    { self: scale, shape: intsArg([-1, 1, 1, 1]) },
    dense(perChannel, [...(perChannel?.shape ?? []), 1, 1, 1]),
    node,
  );
  const scaledWeight = context.emit(
    "aten::mul.Tensor",
    { self: weight, other: column },
    dense(context.tensor(weight), context.tensor(weight)?.shape),
    conv,
  );
  const centred = bias === undefined ? emit("neg", { self: mean }) : emit("sub.Tensor", { self: bias, other: mean });
  const scaled = emit("mul.Tensor", { self: centred, other: scale });
  const shift = beta === undefined ? scaled : emit("add.Tensor", { self: scaled, other: beta });
  const rest = Object.fromEntries(conv.args.map(({ name, arg }) => [name, arg]));
  return context.emit("aten::conv2d", { ...rest, weight: scaledWeight, bias: shift }, context.tensor(convolved), conv);
};

function toFloat(arg: Arg): Arg {
  return arg.kind === "int" ? floatArg(Number(arg.value)) : arg;
}
