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
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type Program } from "@pt2/graph";
import { activationArgs, NO_ACTIVATION } from "./activation.ts";
import type { OptimizeTarget } from "./target.ts";

/**
 * Lowers convolutions whose weights are fixed to ops that keep activations channels-last and take packed weights: this
 * package's kernels for depthwise, 1x1 and large 3x3 ones, oneDNN's for the others. The layout propagates: their
 * results are
 * channels-last, and so are elementwise results of these.
 */
export function lowerConvolutions(program: Program, target: OptimizeTarget): Program {
  return rewrite(program, new Map([["aten::conv2d", RULE]]), target);
}

const RULE: RewriteRule = (node, context) => {
  const conv = read(node, context);
  if (conv === null) return null;
  if (conv.type?.dtype !== "float32") return dnnl(conv, node, context);
  const own = depthwise(conv, node, context) ?? pointwise(conv, node, context) ?? winograd(conv, node, context);
  return own ?? dnnl(conv, node, context);
};

/** The arguments of a convolution. */
interface Convolution {
  readonly input: Arg;
  readonly weight: Arg;
  readonly bias: Arg;
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly groups: number;
  /** The shape of the weight: [out, in / groups, height, width]. */
  readonly shape: readonly number[];
  readonly type: ReturnType<RewriteContext["tensor"]>;
}

function read(node: Node, context: RewriteContext): Convolution | null {
  const [input, weight, bias] = [argOf(node, "input"), argOf(node, "weight"), given(node, "bias") ?? NONE];
  const [stride, padding] = [pairOf(argOf(node, "stride"), 1), pairOf(argOf(node, "padding"), 0)];
  const [dilation, groups] = [pairOf(argOf(node, "dilation"), 1), numberOf(argOf(node, "groups")) ?? 1];
  const shape = knownShape(context.tensor(weight));
  if (input === undefined || weight === undefined || !context.isFixed(weight) || shape?.length !== 4) return null;
  if (bias.kind !== "none" && !context.isFixed(bias)) return null;
  const dtype = context.tensor(weight)?.dtype;
  if ((dtype !== "float32" && dtype !== "bfloat16") || context.tensor(input)?.dtype !== dtype) return null;
  if (context.tensor(input)?.shape.length !== 4) return null;
  if (stride === undefined || padding === undefined || dilation === undefined) return null;
  const [output] = node.outputs;
  const type = output?.kind === "value" ? context.tensor(output) : undefined;
  return { input, weight, bias, stride, padding, dilation, groups, shape, type };
}

function depthwise(conv: Convolution, node: Node, context: RewriteContext): Arg | null {
  const { input, bias, shape, groups } = conv;
  if (!context.target.has("pt2::depthwise_conv2d") || groups === 1) return null;
  if (shape[0] !== groups || shape[1] !== 1) return null;
  const weight = context.emit("pt2::pack_depthwise_weight", { weight: conv.weight }, packed(conv, context), node);
  const args = { x: input, weight, bias, ...geometry(conv), ...activationArgs(NO_ACTIVATION) };
  return context.emit("pt2::depthwise_conv2d", args, conv.type, node);
}

/**
 * Lowers a convolution that is a matrix product: only for those is this package's kernel faster, because a call of it
 * costs
 * much less.
 */
function pointwise(conv: Convolution, node: Node, context: RewriteContext): Arg | null {
  const { input, bias, shape, groups, stride, padding } = conv;
  const [outputs, inputs, ...kernel] = shape as [number, number, number, number];
  if (!context.target.has("pt2::conv1x1") || groups !== 1) return null;
  if ([...kernel, ...stride].some((size) => size !== 1) || padding.some((size) => size !== 0)) return null;
  const matrix = context.emit(
    "aten::reshape",
    { self: conv.weight, shape: intsArg([outputs, inputs]) },
    dense(context.tensor(conv.weight), [outputs, inputs]),
    node,
  );
  const weight = context.emit("pt2::pack_linear_weight", { weight: matrix }, packed(conv, context), node);
  const args: NewArgs = { x: input, weight, out_channels: { kind: "int", value: outputs }, bias, residual: NONE };
  return context.emit("pt2::conv1x1", { ...args, ...activationArgs(NO_ACTIVATION) }, conv.type, node);
}

/** The smallest image, in pixels, and the fewest channels for which Winograd's algorithm is faster. */
const WINOGRAD = { pixels: 100, channels: 32 };

/**
 * Lowers a 3x3 convolution to one with less than half of the multiplications, and about ten times the rounding error.
 */
function winograd(conv: Convolution, node: Node, context: RewriteContext): Arg | null {
  const { input, bias, padding, shape, groups, stride, dilation } = conv;
  const [outputs, inputs, ...kernel] = shape as [number, number, number, number];
  const [height, width] = knownShape(conv.type)?.slice(2) ?? [];
  if (!context.target.has("pt2::winograd_conv2d") || groups !== 1 || kernel.some((size) => size !== 3)) return null;
  if ([...stride, ...dilation].some((step) => step !== 1) || padding.some((size) => size > 1)) return null;
  if (height === undefined || width === undefined || height * width < WINOGRAD.pixels) return null;
  if (Math.min(outputs, inputs) < WINOGRAD.channels) return null;
  const weight = context.emit("pt2::pack_winograd_weight", { weight: conv.weight }, packed(conv, context), node);
  const out: Arg = { kind: "int", value: outputs };
  const args: NewArgs = { x: input, weight, out_channels: out, bias, residual: NONE, padding: intsArg(padding) };
  return context.emit("pt2::winograd_conv2d", { ...args, ...activationArgs(NO_ACTIVATION) }, conv.type, node);
}

function dnnl(conv: Convolution, node: Node, context: RewriteContext): Arg | null {
  if (!context.target.has("mkldnn::_convolution_pointwise")) return null;
  const groups: Arg = { kind: "int", value: conv.groups };
  const size = knownShape(context.tensor(conv.input));
  // The best layout of a weight depends on the sizes; the layout for other sizes may cost a slow reordering in every
  // call.
  const weight =
    size !== undefined && context.target.has("mkldnn::_reorder_convolution_weight")
      ? context.emit(
          "mkldnn::_reorder_convolution_weight",
          { self: conv.weight, ...geometry(conv), groups, input_size: intsArg(size) },
          packed(conv, context),
          node,
        )
      : context.emit(
          "aten::clone",
          { self: conv.weight, memory_format: { kind: "memory_format", value: "channels_last" } },
          context.tensor(conv.weight),
          node,
        );
  const args = { X: conv.input, W: weight, B: conv.bias, ...geometry(conv), groups };
  return context.emit("mkldnn::_convolution_pointwise", { ...args, ...activationArgs(NO_ACTIVATION) }, conv.type, node);
}

function geometry({ padding, stride, dilation }: Convolution): NewArgs {
  return { padding: intsArg(padding), stride: intsArg(stride), dilation: intsArg(dilation) };
}

/** Describes a packed weight, which is opaque: only its dtype and size have a meaning. */
function packed({ weight, shape }: Convolution, context: RewriteContext): Convolution["type"] {
  return dense(context.tensor(weight), shape);
}
