import {
  argsOf,
  given,
  intsArg,
  intsOf,
  isSameShape,
  type NewArgs,
  NONE,
  numberOf,
  type RewriteContext,
  type RewriteRule,
  rewrite,
} from "@pt2/engine/rewrites";
import { normalDim } from "@pt2/format";
import { type Arg, argOf, type Node, type OpName, type Program, type TensorType } from "@pt2/graph";
import { ACTIVATIONS, type Activation, activationArgs, activationOf, isBare } from "./activation.ts";
import type { OptimizeTarget } from "./target.ts";

/**
 * Fuses activations, and sums with a tensor of the same size, into the convolution or product that comes before them.
 */
export function fuseEpilogues(program: Program, target: OptimizeTarget): Program {
  const rules = new Map<OpName, RewriteRule>(ACTIVATIONS.map((op) => [op, activation]));
  return rewrite(program, rules.set("aten::add.Tensor", sum), target);
}

/** How an op takes an epilogue: it returns the op and arguments that replace it, or null where it cannot. */
interface Epilogue {
  activation?(node: Node, activation: Activation): Replacement | null;
  residual?(node: Node, other: Arg): Replacement | null;
}

interface Replacement {
  readonly op: OpName;
  readonly args: NewArgs;
}

const activation: RewriteRule = (node, context) => {
  const [self] = node.args;
  const before = context.definition(self?.arg);
  if (before === undefined || !context.isReadOnce(self?.arg)) return null;
  if (before.op === "aten::to.dtype") return beforeConversion(node, before, context);
  return activated(node, self?.arg, context);
};

/** Fuses an activation of `self`, where the op that computes `self` takes activations. */
function activated(node: Node, self: Arg | undefined, context: RewriteContext): Arg | null {
  const found = activationOf(node);
  const before = context.definition(self);
  const take = EPILOGUES.get(before?.op ?? "")?.activation;
  if (found === undefined || before === undefined || self === undefined || take === undefined) return null;
  if (losesNan(before, found)) return inPlace(node, self, context);
  const replacement = take(before, found);
  return replacement && context.emit(replacement.op, replacement.args, context.tensor(self), before);
}

/** Activations between bounds. oneDNN returns the bound where an element is NaN, and a NaN must stay NaN. */
const BOUNDED: ReadonlySet<string> = new Set(["relu", "hardtanh", "hardsigmoid"]);

function losesNan({ op }: Node, { attr }: Activation): boolean {
  return op.startsWith("mkldnn::") && BOUNDED.has(attr);
}

/** Applies the activation in the memory of its argument, which no other node reads. */
function inPlace(node: Node, self: Arg, context: RewriteContext): Arg | null {
  const op = `${node.op}_` as OpName;
  if (context.target.isClaimed(op) || !context.target.has(op)) return null;
  return context.emit(op, { ...argsOf(node), self }, context.tensor(self), node);
}

/** f(to(g(x), float32)) = to(f(g(x)), float32): g computes in float32 and rounds once, at its end. */
function beforeConversion(node: Node, convert: Node, context: RewriteContext): Arg | null {
  const narrow = argOf(convert, "self");
  const type = context.tensor(narrow);
  if (type?.dtype !== "bfloat16" || !context.isReadOnce(narrow)) return null;
  const self = activated(node, narrow, context);
  return self && context.emit("aten::to.dtype", { ...argsOf(convert), self }, { ...type, dtype: "float32" }, convert);
}

const sum: RewriteRule = (node, context) => {
  const [self, other] = [argOf(node, "self"), argOf(node, "other")];
  if ((numberOf(argOf(node, "alpha")) ?? 1) !== 1) return null;
  return (
    addTo(self, other, context) ??
    addTo(other, self, context) ??
    addThroughPermute(self, other, context) ??
    addThroughPermute(other, self, context)
  );
};

/** permute(f(x)) + r = permute(f(x) + unpermute(r)) */
function addThroughPermute(computed: Arg | undefined, other: Arg | undefined, context: RewriteContext): Arg | null {
  const permute = context.definition(computed);
  const type = context.tensor(computed);
  if (permute?.op !== "aten::permute" || other === undefined || !context.isReadOnce(computed)) return null;
  const [inner, dims] = [argOf(permute, "self"), intsOf(argOf(permute, "dims"))];
  const innerType = context.tensor(inner);
  if (dims === undefined || innerType === undefined || !sameTensors(type, context.tensor(other))) return null;
  if (!context.isReadOnce(inner) || EPILOGUES.get(context.definition(inner)?.op ?? "")?.residual === undefined)
    return null;
  const order = dims.map((dim) => normalDim(dim, dims.length));
  const inverse = order.map((_, i) => order.indexOf(i));
  const permuted = context.emit("aten::permute", { self: other, dims: intsArg(inverse) }, innerType, permute);
  const result = addTo(inner, permuted, context);
  return result && context.emit("aten::permute", { self: result, dims: intsArg(dims) }, type, permute);
}

function addTo(computed: Arg | undefined, other: Arg | undefined, context: RewriteContext): Arg | null {
  const before = context.definition(computed);
  const type = context.tensor(computed);
  if (before === undefined || other === undefined || !context.isReadOnce(computed)) return null;
  if (!sameTensors(type, context.tensor(other))) return null;
  const replacement = EPILOGUES.get(before.op)?.residual?.(before, other) ?? null;
  return replacement && context.emit(replacement.op, replacement.args, type, before);
}

function sameTensors(a: TensorType | undefined, b: TensorType | undefined): boolean {
  return a !== undefined && a.dtype === b?.dtype && isSameShape(a.shape, b.shape);
}

function takeActivation(node: Node, found: Activation): Replacement | null {
  return isBare(node) ? { op: node.op, args: { ...argsOf(node), ...activationArgs(found) } } : null;
}

/** The kernels of this package add the residual before the activation. */
function takeResidual(node: Node, residual: Arg): Replacement | null {
  return isBare(node) && given(node, "residual") === undefined
    ? { op: node.op, args: { ...argsOf(node), residual } }
    : null;
}

const EPILOGUES: ReadonlyMap<OpName, Epilogue> = new Map<OpName, Epilogue>([
  ["pt2::linear", { activation: takeActivation, residual: takeResidual }],
  ["pt2::linear_3xtf32", { activation: takeActivation, residual: takeResidual }],
  ["pt2::matmul", { activation: takeActivation, residual: takeResidual }],
  ["pt2::conv1x1", { activation: takeActivation, residual: takeResidual }],
  ["pt2::direct_conv2d", { activation: takeActivation, residual: takeResidual }],
  ["pt2::winograd_conv2d", { activation: takeActivation, residual: takeResidual }],
  ["pt2::direct_conv3d", { activation: takeActivation, residual: takeResidual }],
  ["pt2::winograd_conv3d", { activation: takeActivation, residual: takeResidual }],
  ["pt2::depthwise_conv2d", { activation: takeActivation }],
  ["pt2::depthwise_conv3d", { activation: takeActivation }],
  ["pt2::transposed_conv", { activation: takeActivation }],
  // Its sum with another tensor is never used: oneDNN then builds the kernel anew in every call.
  ["mkldnn::_linear_pointwise", { activation: takeActivation }],
  [
    "mkldnn::_convolution_pointwise",
    {
      activation: takeActivation,
      residual(node, other) {
        if (!isBare(node)) return null;
        const { attr: _attr, scalars: _scalars, algorithm: _algorithm, X, ...rest } = argsOf(node);
        const binary: NewArgs = { binary_attr: { kind: "string", value: "add" }, alpha: NONE };
        const unary: NewArgs = { unary_attr: NONE, unary_scalars: { kind: "list", items: [] }, unary_algorithm: NONE };
        return { op: "mkldnn::_convolution_pointwise.binary", args: { X: X!, other, ...rest, ...binary, ...unary } };
      },
    },
  ],
  // oneDNN computes no other activation of a sum than relu, which loses NaN.
  ["mkldnn::_convolution_pointwise.binary", { activation: () => null }],
]);
