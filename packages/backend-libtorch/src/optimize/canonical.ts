import { type Arg, argOf, type Node, type Program } from "@pt2/graph";
import { intArg, intsArg, intsOf, knownShape, NONE, numberOf, pairOf } from "./literals.ts";
import { given, type RewriteContext, type RewriteRule, type RewriteRules, rewrite } from "./rewriter.ts";
import type { OptimizeTarget } from "./target.ts";
import { dense } from "./types.ts";

/**
 * Says the same thing in one way: `addmm` and products with a fixed matrix as `linear`, every two-dimensional convolution
 * as `conv2d`, normalisations by their short names, `view` as `reshape` (a pass may lay out its input otherwise), and
 * tensors of zeros like some other tensor as zeros.
 */
export function canonicalize(program: Program, target: OptimizeTarget): Program {
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
  return context.emit("aten::linear", { input, weight, bias }, result(node, context), node);
}

function transposed(type: NonNullable<ReturnType<RewriteContext["tensor"]>>): typeof type {
  return { ...type, shape: type.shape.toReversed(), strides: type.strides.toReversed() };
}

/** The type of a node's first result. */
function result(node: Node, context: RewriteContext): ReturnType<RewriteContext["tensor"]> {
  const [output] = node.outputs;
  return output?.kind === "value" ? context.tensor({ kind: "value", name: output.name }) : undefined;
}

const convolution: RewriteRule = (node, context) => {
  const transposedArg = argOf(node, "transposed");
  if (context.tensor(argOf(node, "weight"))?.shape.length !== 4) return null;
  if (transposedArg?.kind !== "bool" || transposedArg.value) return null;
  return context.emit(
    "aten::conv2d",
    {
      input: argOf(node, "input")!,
      weight: argOf(node, "weight")!,
      bias: given(node, "bias") ?? NONE,
      stride: argOf(node, "stride")!,
      padding: argOf(node, "padding")!,
      dilation: argOf(node, "dilation")!,
      groups: argOf(node, "groups")!,
    },
    result(node, context),
    node,
  );
};

/** padding="valid", and "same" where both sides get as much */
const namedPadding: RewriteRule = (node, context) => {
  const kernel = knownShape(context.tensor(argOf(node, "weight")))?.slice(2);
  const dilation = pairOf(argOf(node, "dilation"), 1);
  const padding = argOf(node, "padding");
  if (kernel === undefined || dilation === undefined || padding?.kind !== "string") return null;
  const total = kernel.map((size, i) => (padding.value === "same" ? dilation[i]! * (size - 1) : 0));
  if (total.some((size) => size % 2 !== 0)) return null;
  const args = Object.fromEntries(node.args.map(({ name, arg }) => [name, arg]));
  return context.emit(
    "aten::conv2d",
    { ...args, padding: intsArg(total.map((size) => size / 2)) },
    result(node, context),
    node,
  );
};

const batchNorm: RewriteRule = (node, context) => {
  const training = argOf(node, "training");
  if (training?.kind === "bool" && training.value) return null;
  return context.emit(
    "aten::batch_norm",
    {
      input: argOf(node, "input")!,
      weight: given(node, "weight") ?? NONE,
      bias: given(node, "bias") ?? NONE,
      running_mean: argOf(node, "running_mean") ?? NONE,
      running_var: argOf(node, "running_var") ?? NONE,
      training: { kind: "bool", value: false },
      momentum: argOf(node, "momentum")!,
      eps: argOf(node, "eps")!,
      cudnn_enabled: { kind: "bool", value: false },
    },
    result(node, context),
    node,
  );
};

const layerNorm: RewriteRule = (node, context) =>
  context.emit(
    "aten::layer_norm",
    {
      input: argOf(node, "input")!,
      normalized_shape: argOf(node, "normalized_shape")!,
      weight: given(node, "weight") ?? NONE,
      bias: given(node, "bias") ?? NONE,
      eps: argOf(node, "eps")!,
    },
    result(node, context),
    node,
  );

const view: RewriteRule = (node, context) =>
  context.emit(
    "aten::reshape",
    { self: argOf(node, "self")!, shape: argOf(node, "size")! },
    result(node, context),
    node,
  );

function filled(value: number): RewriteRule {
  return (node, context) => {
    const type = result(node, context);
    const shape = knownShape(type);
    if (type === undefined || shape === undefined || intsOf(argOf(node, "size")) === undefined) return null;
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
  ["aten::view", view],
  ["aten::_unsafe_view", view],
  ["aten::new_zeros", filled(0)],
  ["aten::new_ones", filled(1)],
]);
