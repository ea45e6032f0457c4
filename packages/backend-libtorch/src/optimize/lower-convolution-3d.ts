import {
  dense,
  given,
  intArg,
  intsArg,
  knownShape,
  NONE,
  numberOf,
  type RewriteContext,
  type RewriteRule,
  rewrite,
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type Program, type TensorType } from "@pt2/graph";
import { activationArgs, NO_ACTIVATION } from "./activation.ts";
import { integersOf, MOST_STEPS } from "./read-convolution.ts";
import type { OptimizeTarget } from "./target.ts";
import { gainsByWinograd } from "./winograd-size.ts";

/**
 * Lowers convolutions of videos in float32 whose weights are fixed to this package's kernels of images, which read the
 * channels of all frames under a kernel as those of one image.
 */
export function lowerVideoConvolutions(program: Program, target: OptimizeTarget): Program {
  if (!["pt2::direct_conv3d", "pt2::winograd_conv3d", "pt2::depthwise_conv3d"].every((op) => target.has(op)))
    return program;
  return rewrite(program, new Map([["aten::conv3d", RULE]]), target);
}

type Triple = readonly [number, number, number];

/** The arguments of a convolution with fixed weights [outputs, channels, ...kernel], without groups or with one for each channel. */
interface VideoConvolution {
  readonly input: Arg;
  readonly weight: Arg;
  readonly bias: Arg;
  readonly outputs: number;
  /** Those of a group. */
  readonly channels: number;
  readonly groups: number;
  readonly kernel: Triple;
  readonly stride: Triple;
  readonly padding: Triple;
  readonly dilation: Triple;
  readonly type: TensorType | undefined;
}

const RULE: RewriteRule = (node, context) => {
  const conv = readVideoConvolution(node, context);
  if (conv === null) return null;
  return conv.groups > 1
    ? depthwise(conv, node, context)
    : (winograd(conv, node, context) ?? direct(conv, node, context));
};

function readVideoConvolution(node: Node, context: RewriteContext): VideoConvolution | null {
  const [input, weight, bias] = [argOf(node, "input"), argOf(node, "weight"), given(node, "bias") ?? NONE];
  const triple = (name: string, fallback: number): Triple | undefined =>
    integersOf(argOf(node, name), fallback, 3) as Triple | undefined;
  const [stride, padding, dilation] = [triple("stride", 1), triple("padding", 0), triple("dilation", 1)];
  const sizes = knownShape(context.tensor(weight));
  if (input === undefined || weight === undefined || !context.isFixed(weight)) return null;
  if (bias.kind !== "none" && !context.isFixed(bias)) return null;
  if (sizes?.length !== 5 || sizes.includes(0) || context.tensor(input)?.shape.length !== 5) return null;
  if ([weight, input].some((each) => context.tensor(each)?.dtype !== "float32")) return null;
  if (stride === undefined || padding === undefined || dilation === undefined) return null;
  if ([...stride, ...padding, ...dilation].some((size) => size > MOST_STEPS)) return null;
  const [outputs, channels, ...kernel] = sizes as [number, number, number, number, number];
  const groups = numberOf(argOf(node, "groups")) ?? 1;
  if (groups !== 1 && (groups !== outputs || channels !== 1)) return null;
  const [output] = node.outputs;
  const type = output?.kind === "value" ? context.tensor(output) : undefined;
  return { input, weight, bias, outputs, channels, groups, kernel, stride, padding, dilation, type };
}

/** A filter for each channel; of its rows, those of all frames lie side by side. */
function depthwise(conv: VideoConvolution, node: Node, context: RewriteContext): Arg | null {
  const { input, bias, outputs, kernel, stride, padding, dilation, type } = conv;
  const [frames, height, width] = kernel;
  if (dilation[1] !== 1) return null;
  const sizes = [outputs, 1, height * frames, width];
  const weight = context.emit(
    "pt2::pack_depthwise_weight",
    { weight: arranged(conv, [0, 1, 3, 2, 4], sizes, node, context) },
    dense(context.tensor(conv.weight), sizes),
    node,
  );
  const args = {
    x: input,
    weight,
    bias,
    frames: intArg(frames),
    stride: intsArg(stride),
    padding: intsArg(padding),
    dilation: intsArg(dilation),
    ...activationArgs(NO_ACTIVATION),
  };
  return context.emit("pt2::depthwise_conv3d", args, type, node);
}

/** 3x3 filters of each frame, with less than half of the multiplications. */
function winograd(conv: VideoConvolution, node: Node, context: RewriteContext): Arg | null {
  const { outputs, channels, kernel, stride, padding, dilation, type } = conv;
  const [frames, ...filter] = kernel;
  if (filter.some((size) => size !== 3) || padding.slice(1).some((size) => size > 1)) return null;
  if ([...stride.slice(1), ...dilation.slice(1)].some((step) => step !== 1)) return null;
  if (!gainsByWinograd(outputs, frames * channels, type)) return null;
  const sizes = [outputs, frames * channels, ...filter];
  const weight = context.emit(
    "pt2::pack_winograd_weight",
    { weight: arranged(conv, [0, 2, 1, 3, 4], sizes, node, context) },
    dense(context.tensor(conv.weight), sizes),
    node,
  );
  const args = {
    ...operands(conv, weight),
    frames: intArg(frames),
    frame_stride: intArg(stride[0]),
    padding: intsArg(padding),
    frame_dilation: intArg(dilation[0]),
    ...activationArgs(NO_ACTIVATION),
  };
  return context.emit("pt2::winograd_conv3d", args, type, node);
}

function direct(conv: VideoConvolution, node: Node, context: RewriteContext): Arg {
  const { outputs, channels, kernel, stride, padding, dilation, type } = conv;
  const sizes = [outputs, kernel.reduce((all, size) => all * size, channels)];
  const columns = type?.shape.at(-1);
  const args = {
    weight: arranged(conv, [0, 3, 4, 2, 1], sizes, node, context),
    groups: intArg(1),
    width: typeof columns === "number" ? intArg(columns) : NONE,
  };
  const weight = context.emit("pt2::pack_conv_weight", args, dense(context.tensor(conv.weight), sizes), node);
  return context.emit(
    "pt2::direct_conv3d",
    {
      ...operands(conv, weight),
      kernel: intsArg(kernel),
      stride: intsArg(stride),
      padding: intsArg(padding),
      dilation: intsArg(dilation),
      ...activationArgs(NO_ACTIVATION),
    },
    type,
    node,
  );
}

function operands({ input, bias, outputs }: VideoConvolution, weight: Arg) {
  return { x: input, weight, out_channels: intArg(outputs), bias, residual: NONE };
}

/** The weight with its dimensions in another order, some of them joined to get these sizes. */
function arranged(
  { weight }: VideoConvolution,
  dims: readonly number[],
  sizes: readonly number[],
  node: Node,
  context: RewriteContext,
): Arg {
  const type = context.tensor(weight);
  const order = dense(
    type,
    dims.map((dim) => type!.shape[dim]!),
  );
  const self = context.emit("aten::permute", { self: weight, dims: intsArg(dims) }, order, node);
  return context.emit("aten::reshape", { self, shape: intsArg(sizes) }, dense(type, sizes), node);
}
