import {
  dense,
  given,
  intsArg,
  intsOf,
  knownShape,
  type NewArgs,
  NONE,
  numberOf,
  type RewriteContext,
  type RewriteRule,
  rewrite,
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type Program } from "@pt2/graph";
import { activationArgs, NO_ACTIVATION } from "./activation.ts";
import {
  type Convolution,
  geometry,
  imageWeight,
  packedMatrix,
  packedType,
  readConvolution,
} from "./read-convolution.ts";
import type { OptimizeTarget } from "./target.ts";
import { gainsByWinograd } from "./winograd-size.ts";

/**
 * Lowers convolutions whose weights are fixed to ops that keep activations channels-last and take packed weights: this
 * package's kernels for those of float32, oneDNN's for bfloat16 and for small groups. The layout propagates: their results
 * are channels-last, and so are elementwise results of these.
 */
export function lowerConvolutions(program: Program, target: OptimizeTarget): Program {
  return rewrite(
    program,
    new Map([
      ["aten::conv1d", RULE],
      ["aten::conv2d", RULE],
      ["aten::conv3d", RULE],
    ]),
    target,
  );
}

const RULE: RewriteRule = (node, context) => {
  const conv = readConvolution(node, context);
  if (conv === null) return null;
  const kernels = conv.type?.dtype === "float32" ? [depthwise, pointwise, winograd, direct, dnnl] : [dnnl];
  for (const kernel of kernels) {
    const result = kernel(conv, node, context);
    if (result !== null) return result;
  }
  return null;
};

function depthwise(conv: Convolution, node: Node, context: RewriteContext): Arg | null {
  const { input, bias, shape, groups } = conv;
  if (!context.target.has("pt2::depthwise_conv2d") || groups === 1) return null;
  if (shape[0] !== groups || shape[1] !== 1) return null;
  const weight = context.emit(
    "pt2::pack_depthwise_weight",
    { weight: imageWeight(conv, node, context) },
    packedType(conv, context),
    node,
  );
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
  const [outputs, inputs, ...kernel] = shape;
  if (!context.target.has("pt2::conv1x1") || groups !== 1) return null;
  if ([...kernel, ...stride].some((size) => size !== 1) || padding.some((size) => size !== 0)) return null;
  const matrix = context.emit(
    "aten::reshape",
    { self: conv.weight, shape: intsArg([outputs, inputs]) },
    dense(context.tensor(conv.weight), [outputs, inputs]),
    node,
  );
  const weight = context.emit("pt2::pack_linear_weight", { weight: matrix }, packedType(conv, context), node);
  const args: NewArgs = { x: input, weight, out_channels: { kind: "int", value: outputs }, bias, residual: NONE };
  return context.emit("pt2::conv1x1", { ...args, ...activationArgs(NO_ACTIVATION) }, conv.type, node);
}

/** The fewest outputs of a group that are worth a vector. */
const GROUP_OUTPUTS = 8;

/** Lowers a convolution, as products of a copy of the image that is padded and lies in the cache. */
function direct(conv: Convolution, node: Node, context: RewriteContext): Arg | null {
  const { input, bias, shape, groups } = conv;
  const [outputs, , height, width] = shape;
  if (!context.target.has("pt2::direct_conv2d")) return null;
  if (groups > 1 && outputs / groups < GROUP_OUTPUTS) return null;
  const padded = conv.rank === 3 ? null : zerosAround(input, context);
  const [top, left] = conv.padding as [number, number];
  // What the convolution adds comes on top.
  const sides = padded?.sides.map((size, i) => size + (i % 2 === 0 ? top : left));
  const args: NewArgs = {
    x: padded?.image ?? input,
    weight: packedMatrix(conv, node, context),
    out_channels: { kind: "int", value: outputs },
    kernel: intsArg([height, width]),
    bias,
    residual: NONE,
    ...geometry(conv),
    ...(sides !== undefined && { padding: intsArg(sides) }),
    groups: { kind: "int", value: groups },
  };
  return context.emit("pt2::direct_conv2d", { ...args, ...activationArgs(NO_ACTIVATION) }, conv.type, node);
}

/** The most zeros on a side that a kernel adds itself. */
const MOST_ZEROS = 1024;

/** An image that is padded with zeros by an op before: above, left, below, right. */
function zerosAround(
  input: Arg,
  context: RewriteContext,
): { readonly image: Arg; readonly sides: readonly number[] } | null {
  const node = context.definition(input);
  if (node?.op !== "aten::pad" && node?.op !== "aten::constant_pad_nd") return null;
  const [image, mode, value] = [argOf(node, "self"), argOf(node, "mode"), given(node, "value")];
  const pads = intsOf(argOf(node, "pad"));
  if (image === undefined || (mode?.kind === "string" && mode.value !== "constant")) return null;
  if (value !== undefined && numberOf(value) !== 0) return null;
  if (pads?.length !== 2 && pads?.length !== 4) return null;
  if (!pads.every((size) => size >= 0 && size <= MOST_ZEROS)) return null;
  if (pads.length === 4 && context.tensor(image)?.shape.length !== 4) return null;
  const [left, right, top = 0, bottom = 0] = pads as [number, number, number?, number?];
  return { image, sides: [top, left, bottom, right] };
}

/**
 * Lowers a 3x3 convolution to one with less than half of the multiplications, and a few times the rounding error.
 */
function winograd(conv: Convolution, node: Node, context: RewriteContext): Arg | null {
  const { input, bias, padding, shape, groups, stride, dilation } = conv;
  const [outputs, inputs, ...kernel] = shape;
  if (!context.target.has("pt2::winograd_conv2d") || groups !== 1 || kernel.some((size) => size !== 3)) return null;
  if ([...stride, ...dilation].some((step) => step !== 1) || padding.some((size) => size > 1)) return null;
  if (!gainsByWinograd(outputs, inputs, conv.type)) return null;
  const weight = context.emit("pt2::pack_winograd_weight", { weight: conv.weight }, packedType(conv, context), node);
  const out: Arg = { kind: "int", value: outputs };
  const args: NewArgs = { x: input, weight, out_channels: out, bias, residual: NONE, padding: intsArg(padding) };
  return context.emit("pt2::winograd_conv2d", { ...args, ...activationArgs(NO_ACTIVATION) }, conv.type, node);
}

function dnnl(conv: Convolution, node: Node, context: RewriteContext): Arg | null {
  if (conv.rank !== 2 || !context.target.has("mkldnn::_convolution_pointwise")) return null;
  const groups: Arg = { kind: "int", value: conv.groups };
  const size = knownShape(context.tensor(conv.input));
  // The best layout of a weight depends on the sizes; the layout for other sizes may cost a slow reordering in every
  // call.
  const weight =
    size !== undefined && context.target.has("mkldnn::_reorder_convolution_weight")
      ? context.emit(
          "mkldnn::_reorder_convolution_weight",
          { self: conv.weight, ...geometry(conv), groups, input_size: intsArg(size) },
          packedType(conv, context),
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
