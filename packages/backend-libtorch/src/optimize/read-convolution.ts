import {
  dense,
  given,
  intsArg,
  intsOf,
  knownShape,
  type NewArgs,
  NONE,
  numberOf,
  pairOf,
  type RewriteContext,
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type TensorType } from "@pt2/graph";

/**
 * The arguments of a convolution with fixed weights. One of sequences has images of one row, and one of videos, whose kernels
 * have a single pixel, images with a row for each frame.
 */
export interface Convolution {
  readonly input: Arg;
  /** As the node has it: [out, in / groups, (height,) width], or [out, in / groups, frames, 1, 1]. */
  readonly weight: Arg;
  readonly bias: Arg;
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly groups: number;
  /** The shape of the weight over images: [out, in / groups, height, width]. */
  readonly shape: readonly [number, number, number, number];
  /** Dimensions that windows move over: 1 for sequences, 3 for videos. */
  readonly rank: number;
  readonly type: TensorType | undefined;
}

/** The longest stride, padding and dilation: with the zeros of an op before, this package's kernels take 4096. */
export const MOST_STEPS = 3072;

/** Reads `conv1d`, `conv2d` and `conv3d` of float32 or bfloat16; null for another one. */
export function readConvolution(node: Node, context: RewriteContext): Convolution | null {
  const [input, weight, bias] = [argOf(node, "input"), argOf(node, "weight"), given(node, "bias") ?? NONE];
  const rank = ["aten::conv1d", "aten::conv2d", "aten::conv3d"].indexOf(node.op) + 1;
  const read = [rowOf, pairOf, framesOf][rank - 1]!;
  const pair = (name: string, fallback: number): readonly number[] | undefined => read(argOf(node, name), fallback);
  const [stride, padding, dilation] = [pair("stride", 1), pair("padding", 0), pair("dilation", 1)];
  const groups = numberOf(argOf(node, "groups")) ?? 1;
  const sizes = knownShape(context.tensor(weight));
  if (input === undefined || weight === undefined || !context.isFixed(weight)) return null;
  if (sizes?.length !== rank + 2 || context.tensor(input)?.shape.length !== sizes.length) return null;
  if (bias.kind !== "none" && !context.isFixed(bias)) return null;
  const dtype = context.tensor(weight)?.dtype;
  if ((dtype !== "float32" && dtype !== "bfloat16") || context.tensor(input)?.dtype !== dtype) return null;
  if (stride === undefined || padding === undefined || dilation === undefined) return null;
  if ([...stride, ...padding, ...dilation].some((size) => size > MOST_STEPS)) return null;
  if (rank === 3 && (sizes[3] !== 1 || sizes[4] !== 1)) return null;
  const [outputs, channels, ...kernel] = sizes as [number, number, ...number[]];
  const [height, width] = rank === 1 ? [1, kernel[0]!] : [kernel[0]!, kernel[1]!];
  const shape = [outputs, channels, height, width] as const;
  const [output] = node.outputs;
  const type = output?.kind === "value" ? context.tensor(output) : undefined;
  return { input, weight, bias, stride, padding, dilation, groups, shape, rank, type };
}

/** An `int[1]` argument for images of one row, of which nothing but the fallback concerns the rows. */
export function rowOf(arg: Arg | undefined, fallback: number): readonly [number, number] | undefined {
  if (arg === undefined || arg.kind === "none") return [fallback, fallback];
  const numbers = arg.kind === "int" ? [Number(arg.value)] : intsOf(arg);
  return numbers?.length === 1 ? [fallback, numbers[0]!] : undefined;
}

/**
 * An `int[3]` argument, for images with a row for each frame: undefined where anything but the fallback concerns their
 * pixels.
 */
function framesOf(arg: Arg | undefined, fallback: number): readonly [number, number] | undefined {
  const [frames, ...pixels] = integersOf(arg, fallback, 3) ?? [];
  return frames !== undefined && pixels.every((size) => size === fallback) ? [frames, fallback] : undefined;
}

/** An integer for each side, of which one may stand for all; an absent argument is the fallback, anything else undefined. */
export function integersOf(arg: Arg | undefined, fallback: number, sides: number): readonly number[] | undefined {
  const numbers =
    arg === undefined || arg.kind === "none" ? [fallback] : arg.kind === "int" ? [Number(arg.value)] : intsOf(arg);
  if (numbers?.length === 1) return Array<number>(sides).fill(numbers[0]!);
  return numbers?.length === sides ? numbers : undefined;
}

/** The arguments that say where the windows are. */
export function geometry({ padding, stride, dilation }: Convolution): NewArgs {
  return { padding: intsArg(padding), stride: intsArg(stride), dilation: intsArg(dilation) };
}

/** Describes a packed weight, which is opaque: only its dtype and size have a meaning. */
export function packedType({ weight, shape }: Convolution, context: RewriteContext): TensorType | undefined {
  return dense(context.tensor(weight), shape);
}

/** The weight over images. */
export function imageWeight(conv: Convolution, node: Node, context: RewriteContext): Arg {
  if (conv.rank === 2) return conv.weight;
  const [op, dim] = conv.rank === 1 ? (["aten::unsqueeze", 2] as const) : (["aten::squeeze.dim", 4] as const);
  const args: NewArgs = { self: conv.weight, dim: { kind: "int", value: dim } };
  return context.emit(op, args, packedType(conv, context), node);
}

/** The weight as a matrix [out, taps of the kernel × channels] with the channels last, packed for products. */
export function packedMatrix(conv: Convolution, node: Node, context: RewriteContext): Arg {
  const [outputs, inputs, height, width] = conv.shape;
  const last = context.emit(
    "aten::permute",
    { self: imageWeight(conv, node, context), dims: intsArg([0, 2, 3, 1]) },
    dense(context.tensor(conv.weight), [outputs, height, width, inputs]),
    node,
  );
  const sizes = [outputs, height * width * inputs];
  const matrix = context.emit(
    "aten::reshape",
    { self: last, shape: intsArg(sizes) },
    dense(context.tensor(conv.weight), sizes),
    node,
  );
  // Images of videos have as many columns as pixels.
  const columns = conv.rank === 3 ? undefined : conv.type?.shape.at(-1);
  const args: NewArgs = {
    weight: matrix,
    groups: { kind: "int", value: conv.groups },
    width: typeof columns === "number" ? { kind: "int", value: columns } : NONE,
  };
  return context.emit("pt2::pack_conv_weight", args, packedType(conv, context), node);
}
