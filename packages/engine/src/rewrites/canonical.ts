import { type Arg, argOf, type Node, type Program } from "@pt2/graph";
import { convolution, namedPadding } from "./canonical-convolution.ts";
import { intArg, intsArg, intsOf, isTrue, NONE, numberOf } from "./literals.ts";
import { given, type RewriteContext, type RewriteRule, type RewriteRules, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { dense, resultType, transposed } from "./types.ts";

/**
 * Says the same thing in one way: `addmm` and products with a fixed matrix as `linear`, every convolution over one to
 * three dimensions by the name that says so, normalizations and softmax by their short names, maxima without their positions as `amax`, `view` as `reshape` (a pass may lay
 * out its input otherwise), and tensors of zeros like some other tensor as zeros.
 */
export function canonicalize(program: Program, target: RewriteTarget): Program {
  return rewrite(program, RULES, target);
}

/** beta * self + alpha * (mat1 @ mat2), both 1 */
const addmm: RewriteRule = (node, context) => {
  const plain = [argOf(node, "beta"), argOf(node, "alpha")].every((arg) => arg === undefined || numberOf(arg) === 1);
  const bias = argOf(node, "self");
  if (!plain || bias === undefined || context.tensor(bias)?.shape.length !== 1) return null;
  return product(node, context, argOf(node, "mat1"), argOf(node, "mat2"), bias);
};

const mm: RewriteRule = (node, context) => product(node, context, argOf(node, "self"), argOf(node, "mat2"), NONE);

const matmul: RewriteRule = (node, context) => {
  const [self, other] = [argOf(node, "self"), argOf(node, "other")];
  return (context.tensor(self)?.shape.length ?? 0) < 2 ? null : product(node, context, self, other, NONE);
};

function product(
  node: Node,
  context: RewriteContext,
  input: Arg | undefined,
  matrix: Arg | undefined,
  bias: Arg,
): Arg | null {
  const type = context.tensor(matrix);
  if (input === undefined || matrix === undefined || type?.shape.length !== 2 || !context.isFixed(matrix)) return null;
  const weight = context.emit("aten::t", { self: matrix }, transposed(type), node);
  return context.emit("aten::linear", { input, weight, bias }, resultType(node, context), node);
}

const batchNorm: RewriteRule = (node, context) => {
  const training = argOf(node, "training");
  if (isTrue(training)) return null;
  return context.emit(
    "aten::batch_norm",
    {
      input: argOf(node, "input"),
      weight: given(node, "weight") ?? NONE,
      bias: given(node, "bias") ?? NONE,
      running_mean: argOf(node, "running_mean") ?? NONE,
      running_var: argOf(node, "running_var") ?? NONE,
      training: { kind: "bool", value: false },
      momentum: argOf(node, "momentum"),
      eps: argOf(node, "eps"),
      cudnn_enabled: { kind: "bool", value: false },
    },
    resultType(node, context),
    node,
  );
};

const layerNorm: RewriteRule = (node, context) =>
  context.emit(
    "aten::layer_norm",
    {
      input: argOf(node, "input"),
      normalized_shape: argOf(node, "normalized_shape"),
      weight: given(node, "weight") ?? NONE,
      bias: given(node, "bias") ?? NONE,
      eps: argOf(node, "eps"),
    },
    resultType(node, context),
    node,
  );

const view: RewriteRule = (node, context) =>
  context.emit(
    "aten::reshape",
    { self: argOf(node, "self"), shape: argOf(node, "size")! },
    resultType(node, context),
    node,
  );

/** `_softmax`, unless it also converts half precision to float32. */
const softmax: RewriteRule = (node, context) => {
  const widens = argOf(node, "half_to_float");
  if (isTrue(widens)) return null;
  const args = { self: argOf(node, "self"), dim: argOf(node, "dim")! };
  return context.emit("aten::softmax.int", args, resultType(node, context), node);
};

const mulScalar: RewriteRule = (node, context) => {
  const args = { self: argOf(node, "self"), other: argOf(node, "other")! };
  return context.emit("aten::mul.Tensor", args, resultType(node, context), node);
};

/** The largest or smallest elements, where nothing reads at which positions they are. */
function extreme(op: "aten::amax" | "aten::amin"): RewriteRule {
  return (node, context) => {
    const type = resultType(node, context);
    const [dim, keepdim] = [numberOf(argOf(node, "dim")), argOf(node, "keepdim")];
    if (dim === undefined || type === undefined || !context.target.has(op)) return null;
    return context.emit(op, { self: argOf(node, "self"), dim: intsArg([dim]), keepdim }, type, node);
  };
}

function filled(value: number): RewriteRule {
  return (node, context) => {
    const type = resultType(node, context);
    // What the arguments say counts, whatever the program claims of the result.
    const shape = intsOf(argOf(node, "size"));
    const asked = given(node, "dtype");
    const dtype = asked?.kind === "dtype" ? asked.value : context.tensor(argOf(node, "self"))?.dtype;
    if (shape === undefined || type === undefined || type.dtype !== dtype) return null;
    return context.emit(
      "aten::full",
      {
        size: intsArg(shape),
        fill_value: intArg(value),
        dtype: { kind: "dtype", value: type.dtype },
        device: { kind: "device", value: type.device },
      },
      dense(type, shape),
      node,
    );
  };
}

const RULES: RewriteRules = new Map<string, RewriteRule>([
  ["aten::addmm", addmm],
  ["aten::mm", mm],
  ["aten::matmul", matmul],
  ["aten::convolution", convolution],
  ["aten::conv2d.padding", namedPadding],
  ["aten::_native_batch_norm_legit_no_training", batchNorm],
  ["aten::native_layer_norm", layerNorm],
  ["aten::_softmax", softmax],
  ["aten::mul.Scalar", mulScalar],
  ["aten::max.dim", extreme("aten::amax")],
  ["aten::min.dim", extreme("aten::amin")],
  ["aten::view", view],
  ["aten::_unsafe_view", view],
  ["aten::new_zeros", filled(0)],
  ["aten::new_ones", filled(1)],
]);
