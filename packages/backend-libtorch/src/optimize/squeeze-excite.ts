import {
  dense,
  given,
  intsArg,
  knownShape,
  type NewArgs,
  NONE,
  numberOf,
  pairOf,
  type RewriteContext,
  type RewriteRule,
  rewrite,
  textArg,
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type OpName, type Program } from "@pt2/graph";
import { isMeanOfPlanes } from "./lower-pooling.ts";
import type { OptimizeTarget } from "./target.ts";

/**
 * Fuses x * gate(expand(act(reduce(mean(x))))), with 1x1 convolutions of means over whole planes, into one op of this
 * package.
 */
export function fuseSqueezeExcite(program: Program, target: OptimizeTarget): Program {
  if (!target.has("pt2::squeeze_excite")) return program;
  return rewrite(program, new Map([["aten::mul.Tensor", RULE]]), target);
}

const ACTIVATIONS: ReadonlyMap<OpName, string> = new Map([
  ["aten::relu", "relu"],
  ["aten::silu", "swish"],
]);

const GATES: ReadonlyMap<OpName, string> = new Map([
  ["aten::sigmoid", "sigmoid"],
  ["aten::hardsigmoid", "hardsigmoid"],
]);

const RULE: RewriteRule = (node, context) => {
  const [self, other] = [argOf(node, "self"), argOf(node, "other")];
  return excite(self, other, node, context) ?? excite(other, self, node, context);
};

function excite(x: Arg | undefined, weights: Arg | undefined, node: Node, context: RewriteContext): Arg | null {
  const gate = only(weights, context);
  const expand = only(gate && argOf(gate, "self"), context);
  const activation = only(expand && argOf(expand, "input"), context);
  const reduce = only(activation && argOf(activation, "self"), context);
  const mean = only(reduce && argOf(reduce, "input"), context);
  const attr = activation && ACTIVATIONS.get(activation.op);
  const gateAttr = gate && GATES.get(gate.op);
  if (x === undefined || mean === undefined || attr === undefined || gateAttr === undefined) return null;
  if (!isMeanOf(mean, x) || context.tensor(x)?.dtype !== "float32") return null;
  const [first, second] = [matrixOf(reduce, context), matrixOf(expand, context)];
  if (first === null || second === null) return null;
  const args: NewArgs = {
    x,
    reduce: first,
    reduce_bias: given(reduce!, "bias") ?? NONE,
    expand: transposed(second, context, expand!),
    expand_bias: given(expand!, "bias") ?? NONE,
    attr: textArg(attr),
    gate: textArg(gateAttr),
  };
  return context.emit("pt2::squeeze_excite", args, context.tensor(x), node);
}

/** Finds the node that computes a value which one node reads. */
function only(value: Arg | undefined, context: RewriteContext): Node | undefined {
  return context.isReadOnce(value) ? context.definition(value) : undefined;
}

/** Returns whether a node is the mean of `x` over height and width, which stay as ones. */
function isMeanOf(node: Node, x: Arg): boolean {
  const self = argOf(node, "self");
  if (self?.kind !== "value" || x.kind !== "value" || self.name !== x.name) return false;
  return isMeanOfPlanes(node);
}

/** Returns the fixed weight of a plain 1x1 convolution as a matrix. */
function matrixOf(node: Node | undefined, context: RewriteContext): Arg | null {
  if (node?.op !== "aten::conv2d" || (numberOf(argOf(node, "groups")) ?? 1) !== 1) return null;
  const weight = argOf(node, "weight")!;
  const shape = knownShape(context.tensor(weight));
  const bias = given(node, "bias");
  const geometry = [pairOf(argOf(node, "stride"), 1), pairOf(argOf(node, "padding"), 0)];
  if (geometry.map((pair) => pair?.join()).join(" ") !== "1,1 0,0") return null;
  if (!context.isFixed(weight) || (bias !== undefined && !context.isFixed(bias))) return null;
  if (shape?.length !== 4 || shape[2] !== 1 || shape[3] !== 1) return null;
  const matrix = shape.slice(0, 2);
  return context.emit(
    "aten::reshape",
    { self: weight, shape: intsArg(matrix) },
    dense(context.tensor(weight), matrix),
    node,
  );
}

/** Transposes the second matrix, which the kernel reads by columns. */
function transposed(matrix: Arg, context: RewriteContext, node: Node): Arg {
  const type = context.tensor(matrix);
  const shape = type?.shape.toReversed();
  const view = context.emit(
    "aten::t",
    { self: matrix },
    type && { ...type, shape: shape!, strides: type.strides.toReversed() },
    node,
  );
  return context.emit("aten::contiguous", { self: view }, dense(type, shape), node);
}
