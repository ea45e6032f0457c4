import {
  dense,
  floatArg,
  intsArg,
  intsOf,
  isTrue,
  numberOf,
  pairOf,
  type RewriteContext,
  type RewriteRule,
  resultType,
  rewrite,
} from "@pt2/engine/rewrites";
import { normalDim } from "@pt2/format";
import { type Arg, argOf, type Node, type OpName, type Program } from "@pt2/graph";
import { ACTIVATIONS } from "./activation.ts";
import { integersOf, rowOf } from "./read-convolution.ts";
import { isChannelsLastSource } from "./restore-layouts.ts";
import type { OptimizeTarget } from "./target.ts";

/**
 * Lowers pooling after convolutions to this package's kernels, which read channels-last tensors as they are; a sequence is
 * an image of one row.
 */
export function lowerPooling(program: Program, target: OptimizeTarget): Program {
  const rules: readonly (readonly [string, string, RewriteRule])[] = [
    ["aten::max_pool1d", "pt2::max_pool2d", maximum],
    ["aten::max_pool2d", "pt2::max_pool2d", maximum],
    ["aten::max_pool2d_with_indices", "pt2::max_pool2d", maximum],
    ["aten::max_pool3d", "pt2::max_pool3d", maximum],
    ["aten::max_pool3d_with_indices", "pt2::max_pool3d", maximum],
    ["aten::avg_pool1d", "pt2::avg_pool2d", mean],
    ["aten::avg_pool2d", "pt2::avg_pool2d", mean],
    ["aten::adaptive_avg_pool1d", "pt2::global_average_pool", average],
    ["aten::adaptive_avg_pool2d", "pt2::global_average_pool", average],
    ["aten::mean.dim", "pt2::global_average_pool", average],
    ["aten::amax", "pt2::max_pool2d", largest],
    ["aten::linalg_vector_norm", "pt2::global_average_pool", norm],
  ];
  return rewrite(program, new Map(rules.flatMap(([op, own, rule]) => (target.has(own) ? [[op, rule]] : []))), target);
}

const maximum: RewriteRule = (node, context) => {
  const windows = windowsOf(node, context);
  const dilation = readerOf(node)(argOf(node, "dilation"), 1);
  if (windows === null || !dilation) return null;
  const { ceil_mode, ...rest } = windows;
  const args = { ...rest, dilation: intsArg(dilation), ceil_mode };
  const op = sidesOf(node) === 3 ? "pt2::max_pool3d" : "pt2::max_pool2d";
  return context.emit(op, args, resultType(node, context), node);
};

const mean: RewriteRule = (node, context) => {
  const windows = windowsOf(node, context);
  if (windows === null) return null;
  const args = {
    ...windows,
    count_include_pad: argOf(node, "count_include_pad") ?? { kind: "bool", value: true },
    divisor_override: argOf(node, "divisor_override") ?? { kind: "none" },
  } as const;
  return context.emit("pt2::avg_pool2d", args, resultType(node, context), node);
};

/** Sides of what a node pools: one of sequences, three of videos. */
function sidesOf({ op }: Node): number {
  return op.endsWith("1d") ? 1 : op.includes("pool3d") ? 3 : 2;
}

/** Reads a number for each side of the images or videos that a node pools. */
function readerOf(node: Node): (arg: Arg | undefined, fallback: number) => readonly number[] | undefined {
  const sides = sidesOf(node);
  return sides === 1 ? rowOf : (arg, fallback) => integersOf(arg, fallback, sides);
}

/** Returns what windows that move over images are: null where these are not known to be channels-last. */
function windowsOf(node: Node, context: RewriteContext) {
  const x = argOf(node, "self")!;
  const read = readerOf(node);
  const kernel = read(argOf(node, "kernel_size"), 1);
  const given = argOf(node, "stride");
  const isDefault = given === undefined || (given.kind === "list" && given.items.length === 0);
  const stride = isDefault ? kernel : read(given, 1);
  const padding = read(argOf(node, "padding"), 0);
  if (!isImage(x, node, context) || !kernel || !stride || !padding) return null;
  return {
    x,
    kernel: intsArg(kernel),
    stride: intsArg(stride),
    padding: intsArg(padding),
    ceil_mode: argOf(node, "ceil_mode") ?? ({ kind: "bool", value: false } as const),
  };
}

const average: RewriteRule = (node, context) => {
  const x = argOf(node, "self")!;
  const isMean =
    node.op === "aten::adaptive_avg_pool1d" ? rowOf(argOf(node, "output_size"), 0)?.[1] === 1 : isMeanOfPlanes(node);
  if (!isImage(x, node, context) || !isMean) return null;
  return context.emit("pt2::global_average_pool", { x }, resultType(node, context), node);
};

/** The largest elements of rows or planes are those of windows as large. */
const largest: RewriteRule = (node, context) => {
  const x = argOf(node, "self")!;
  const [height, width] = context.tensor(x)?.shape.slice(2) ?? [];
  const dims = intsOf(argOf(node, "dim"))
    ?.map((dim) => normalDim(dim, 4))
    .toSorted();
  const isOverRows = dims?.join() === "3";
  if (!isImage(x, node, context) || !(isOverRows || dims?.join() === "2,3")) return null;
  const kernel = [isOverRows ? 1 : height, width];
  if (!kernel.every((size) => typeof size === "number" && size > 0)) return null;
  const sizes = intsArg(kernel as number[]);
  const args = { x, kernel: sizes, stride: sizes, padding: intsArg([0, 0]), dilation: intsArg([1, 1]) };
  const type = resultType(node, context);
  const pooled = context.tensor(x)!;
  const shape = pooled.shape.map((size, dim) => (dims!.includes(dim) ? 1 : size));
  const ceil_mode = { kind: "bool", value: false } as const;
  const result = context.emit("pt2::max_pool2d", { ...args, ceil_mode }, dense(pooled, shape), node);
  if (isTrue(argOf(node, "keepdim"))) return result;
  return context.emit("aten::squeeze.dims", { self: result, dim: intsArg(dims!) }, type, node);
};

/** The Euclidean norm of each plane is the root of the sum of its squares: ATen takes five times as long channels-last. */
const norm: RewriteRule = (node, context) => {
  const x = argOf(node, "self")!;
  const ord = argOf(node, "ord");
  const [height, width] = context.tensor(x)?.shape.slice(2) ?? [];
  if (!isImage(x, node, context) || (ord !== undefined && numberOf(ord) !== 2) || !isOverPlanes(node)) return null;
  // The mean of nothing is NaN, its norm 0.
  if (typeof height !== "number" || typeof width !== "number" || height * width === 0) return null;
  const type = resultType(node, context);
  const squares = context.emit("aten::mul.Tensor", { self: x, other: x }, context.tensor(x), node);
  const means = context.emit("pt2::global_average_pool", { x: squares }, type, node);
  const sums = context.emit("aten::mul.Scalar", { self: means, other: floatArg(height * width) }, type, node);
  return context.emit("aten::sqrt", { self: sums }, type, node);
};

/** Returns whether a node is the mean over height and width of a tensor of four dimensions, which stay as ones. */
export function isMeanOfPlanes(node: Node): boolean {
  if (node.op === "aten::adaptive_avg_pool2d")
    return pairOf(argOf(node, "output_size"), 0)?.every((n) => n === 1) === true;
  return node.op === "aten::mean.dim" && isOverPlanes(node);
}

/** Returns whether a node reduces height and width of a tensor of four dimensions, which stay as ones. */
function isOverPlanes(node: Node): boolean {
  const [keep, dtype] = [argOf(node, "keepdim"), argOf(node, "dtype")];
  const dims = intsOf(argOf(node, "dim"))?.map((dim) => normalDim(dim, 4));
  if (keep?.kind !== "bool" || !keep.value) return false;
  return (dtype === undefined || dtype.kind === "none") && dims?.toSorted().join() === "2,3";
}

/** Returns whether a value is a float32 tensor of as many dimensions as a node pools, and channels-last. */
function isImage(x: Arg, node: Node, context: RewriteContext): boolean {
  const type = context.tensor(x);
  return type?.dtype === "float32" && type.shape.length === sidesOf(node) + 2 && isChannelsLast(x, context);
}

/** Ops whose results have the order of memory of their first argument, or of the first tensor of a list that it is. */
const LIKE_FIRST: ReadonlySet<OpName> = new Set([
  ...ACTIVATIONS,
  "aten::mul.Tensor",
  "aten::add.Tensor",
  "aten::sub.Tensor",
  "aten::group_norm",
  "aten::cat",
  "pt2::cat",
  "aten::split.Tensor",
  "aten::split_with_sizes",
  "aten::chunk",
  "aten::slice.Tensor",
  "aten::narrow",
  // Removed afterwards where nothing else needs it.
  "aten::contiguous",
]);

function isChannelsLast(x: Arg, context: RewriteContext): boolean {
  let before = context.definition(x);
  while (before !== undefined && LIKE_FIRST.has(before.op)) {
    const first = before.args[0]?.arg;
    before = context.definition(first?.kind === "list" ? first.items[0] : first);
  }
  if (before === undefined) return false;
  return (
    isChannelsLastSource(before.op) ||
    (before.op === "aten::permute" && intsOf(argOf(before, "dims"))?.join() === "0,3,1,2")
  );
}
