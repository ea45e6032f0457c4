import { type Arg, argOf, type Node, type OpName, type Program, type TensorType } from "@pt2/graph";
import { batchStatistics, scaleAndShift } from "./batch-statistics.ts";
import { intArg, intsArg, isTrue, knownShape, NONE, numberOf, pairOf } from "./literals.ts";
import { argsOf, given, type RewriteContext, type RewriteRule, rewrite } from "./rewriter.ts";
import type { RewriteTarget } from "./target.ts";
import { converted, dense, isSameShape, resultType } from "./types.ts";

/**
 * Convolutions of one input whose results are added, or subtracted, become one, whose kernel is the sum of theirs; so does
 * a batch normalization of that input, which is a convolution with a kernel of one tap. Networks are trained in this form
 * and computed in the other: X. Ding et al., "RepVGG: Making VGG-style ConvNets Great Again", 2021.
 */
export function mergeConvolutions(program: Program, target: RewriteTarget): Program {
  return rewrite(program, RULES, target);
}

/** Ops that combine results of convolutions as they combine the kernels. */
type Combination = "aten::add.Tensor" | "aten::sub.Tensor";

const rule =
  (op: Combination): RewriteRule =>
  (node, context) => {
    const alpha = argOf(node, "alpha");
    if (alpha !== undefined && numberOf(alpha) !== 1) return null;
    const [a, b] = ["self", "other"].map((name) => branchOf(argOf(node, name), context));
    if (!a || !b) return null;
    const result = resultType(node, context);
    const combine = (one: Arg, other: Arg, like: Arg): Arg =>
      context.emit(op, { self: one, other }, context.tensor(like), node);
    return (
      merged(a, b, { combine, result }, context) ??
      merged(b, a, { combine: (one, other, like) => combine(other, one, like), result }, context)
    );
  };

const RULES = new Map<OpName, RewriteRule>(
  (["aten::add.Tensor", "aten::sub.Tensor"] as const).map((op) => [op, rule(op)]),
);

type Pair = readonly [number, number];

/** A convolution over images with fixed weights, or a batch normalization of them. */
interface Branch {
  readonly node: Node;
  readonly input: string;
  readonly result: Arg;
  readonly weight: Arg | null;
  readonly kernel: Pair;
  readonly stride: Pair;
  readonly padding: Pair;
  readonly dilation: Pair;
  readonly groups: number;
}

const CONVOLUTION = /^aten::conv(olution|2d)$/;
const NORMALIZATION = /^aten::(batch_norm|_native_batch_norm_legit_no_training)$/;

function branchOf(result: Arg | undefined, context: RewriteContext): Branch | null {
  if (result === undefined || !context.isReadOnce(result)) return null;
  const node = context.definition(result);
  const input = node && argOf(node, "input");
  if (node === undefined || input?.kind !== "value" || context.tensor(input)?.shape.length !== 4) return null;
  if (NORMALIZATION.test(node.op)) {
    const one = [1, 1] as const;
    const point = { kernel: one, stride: one, padding: [0, 0], dilation: one, groups: 1 } as const;
    return { node, input: input.name, result, weight: null, ...point };
  }
  const [weight, bias] = [argOf(node, "weight"), given(node, "bias")];
  if (!CONVOLUTION.test(node.op) || isTrue(argOf(node, "transposed"))) return null;
  if (!context.isFixed(weight) || (bias && !context.isFixed(bias))) return null;
  const shape = knownShape(context.tensor(weight));
  const [stride, padding, dilation] = [
    pairOf(argOf(node, "stride"), 1),
    pairOf(argOf(node, "padding"), 0),
    pairOf(argOf(node, "dilation"), 1),
  ];
  if (shape?.length !== 4 || !stride || !padding || !dilation) return null;
  const kernel = [shape[2]!, shape[3]!] as const;
  const groups = numberOf(argOf(node, "groups")) ?? 1;
  return { node, input: input.name, result, weight: weight!, kernel, stride, padding, dilation, groups };
}

/** How kernels and biases of a pair are combined, each of the type of the third, and the type of the result. */
interface Merging {
  readonly combine: (wide: Arg, narrow: Arg, like: Arg) => Arg;
  readonly result: TensorType | undefined;
}

/** The convolution `wide` with the taps of `narrow` added to its own; null where these are not among them. */
function merged(wide: Branch, narrow: Branch, { combine, result }: Merging, context: RewriteContext): Arg | null {
  const type = context.tensor(wide.weight ?? undefined);
  if (wide.weight === null || type === undefined || wide.input !== narrow.input) return null;
  if (!isSameShape(context.tensor(wide.result)?.shape, context.tensor(narrow.result)?.shape)) return null;
  const place = placeIn(wide, narrow);
  const kernel =
    place && (narrow.weight === null ? pointOf(wide, narrow.node, context) : kernelOf(wide, narrow, context));
  if (!place || !kernel) return null;
  const { node } = wide;
  const pad = { self: kernel.weight, pad: intsArg(place), value: intArg(0) };
  const isWhole = place.every((count) => count === 0);
  const taps = isWhole
    ? kernel.weight
    : context.emit("aten::constant_pad_nd", pad, dense(type, type.shape), narrow.node);
  const weight = combine(wide.weight, taps, wide.weight);
  const [own, other] = [given(node, "bias"), kernel.bias];
  const zeros = (like: Arg): Arg => context.emit("aten::zeros_like", { self: like }, context.tensor(like), node);
  const bias = own || other ? combine(own ?? zeros(other!), other ?? zeros(own!), own ?? other!) : NONE;
  return context.emit(node.op, { ...argsOf(node), weight, bias }, result, node);
}

/** Taps around those of `narrow` in a kernel of `wide`: left, right, above and below. Null where their grids differ. */
function placeIn(wide: Branch, narrow: Branch): readonly number[] | null {
  const sides = ([1, 0] as const).flatMap((axis) => {
    const [size, step, taps] = [wide.kernel[axis], wide.dilation[axis], narrow.kernel[axis]];
    const before = (wide.padding[axis] - narrow.padding[axis]) / step;
    const isSameGrid = wide.stride[axis] === narrow.stride[axis] && (taps === 1 || narrow.dilation[axis] === step);
    return isSameGrid && Number.isInteger(before) ? [before, size - taps - before] : [-1];
  });
  return sides.every((count) => count >= 0) ? sides : null;
}

/** The kernel of a branch, and what it adds to each channel. */
interface Kernel {
  readonly weight: Arg;
  readonly bias: Arg | undefined;
}

function kernelOf(wide: Branch, { node, weight, groups }: Branch, context: RewriteContext): Kernel | null {
  const [own, other] = [context.tensor(wide.weight!), context.tensor(weight!)];
  const isAlike = own?.dtype === other?.dtype && isSameShape(own?.shape.slice(0, 2), other?.shape.slice(0, 2));
  return isAlike && groups === wide.groups ? { weight: weight!, bias: given(node, "bias") } : null;
}

/** A batch normalization as a kernel of one tap: its factors, in a diagonal matrix where each output reads all channels. */
function pointOf(wide: Branch, norm: Node, context: RewriteContext): Kernel | null {
  const type = context.tensor(wide.weight!)!;
  const [outputs, inputs] = knownShape(type)!;
  const isDepthwise = wide.groups === outputs && inputs === 1;
  if (!isDepthwise && (wide.groups !== 1 || inputs !== outputs)) return null;
  const statistics = batchStatistics(norm, type.dtype, context);
  if (statistics === null) return null;
  const exact = scaleAndShift(statistics, undefined, norm, context);
  const [scale, shift] = [exact.scale, exact.shift].map((arg) => converted(arg, type.dtype, norm, context));
  const matrix = isDepthwise
    ? scale
    : context.emit("aten::diag_embed", { self: scale }, dense(type, [outputs!, outputs!]), norm);
  const shape = [outputs!, inputs!, 1, 1];
  const weight = context.emit("aten::reshape", { self: matrix, shape: intsArg(shape) }, dense(type, shape), norm);
  return { weight, bias: shift };
}
