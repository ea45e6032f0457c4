import {
  intsArg,
  intsOf,
  pairOf,
  type RewriteContext,
  type RewriteRule,
  resultType,
  rewrite,
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type OpName, type Program } from "@pt2/graph";
import { ACTIVATIONS } from "./activation.ts";
import { rowOf } from "./read-convolution.ts";
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
    ["aten::adaptive_avg_pool1d", "pt2::global_average_pool", average],
    ["aten::adaptive_avg_pool2d", "pt2::global_average_pool", average],
    ["aten::mean.dim", "pt2::global_average_pool", average],
  ];
  return rewrite(program, new Map(rules.flatMap(([op, own, rule]) => (target.has(own) ? [[op, rule]] : []))), target);
}

const maximum: RewriteRule = (node, context) => {
  const x = argOf(node, "self")!;
  const read = node.op === "aten::max_pool1d" ? rowOf : pairOf;
  const kernel = read(argOf(node, "kernel_size"), 1);
  const given = argOf(node, "stride");
  const stride = given?.kind === "list" && given.items.length === 0 ? kernel : read(given, kernel?.[1] ?? 1);
  const [padding, dilation] = [read(argOf(node, "padding"), 0), read(argOf(node, "dilation"), 1)];
  if (!isImage(x, node, context) || !kernel || !stride || !padding || !dilation) return null;
  const args = {
    x,
    kernel: intsArg(kernel),
    stride: intsArg(stride),
    padding: intsArg(padding),
    dilation: intsArg(dilation),
    ceil_mode: argOf(node, "ceil_mode") ?? { kind: "bool", value: false },
  } as const;
  return context.emit("pt2::max_pool2d", args, resultType(node, context), node);
};

const average: RewriteRule = (node, context) => {
  const x = argOf(node, "self")!;
  const isMean =
    node.op === "aten::adaptive_avg_pool1d" ? rowOf(argOf(node, "output_size"), 0)?.[1] === 1 : isMeanOfPlanes(node);
  if (!isImage(x, node, context) || !isMean) return null;
  return context.emit("pt2::global_average_pool", { x }, resultType(node, context), node);
};

/** Returns whether a node is the mean over height and width of a tensor of four dimensions, which stay as ones. */
export function isMeanOfPlanes(node: Node): boolean {
  if (node.op === "aten::adaptive_avg_pool2d")
    return pairOf(argOf(node, "output_size"), 0)?.every((n) => n === 1) === true;
  const [keep, dtype] = [argOf(node, "keepdim"), argOf(node, "dtype")];
  const dims = intsOf(argOf(node, "dim"))?.map((dim) => (dim < 0 ? dim + 4 : dim));
  if (node.op !== "aten::mean.dim" || keep?.kind !== "bool" || !keep.value) return false;
  return (dtype === undefined || dtype.kind === "none") && dims?.toSorted().join() === "2,3";
}

/** Returns whether a value is a float32 tensor of as many dimensions as a node pools, and channels-last. */
function isImage(x: Arg, node: Node, context: RewriteContext): boolean {
  const type = context.tensor(x);
  const rank = node.op.endsWith("1d") ? 3 : 4;
  return type?.dtype === "float32" && type.shape.length === rank && isChannelsLast(x, context);
}

/** Elementwise ops, whose results have the order of memory of their first argument. */
const ELEMENTWISE: ReadonlySet<OpName> = new Set([...ACTIVATIONS, "aten::mul.Tensor", "aten::add.Tensor"]);

function isChannelsLast(x: Arg, context: RewriteContext): boolean {
  let before = context.definition(x);
  while (before !== undefined && ELEMENTWISE.has(before.op)) before = context.definition(before.args[0]?.arg);
  if (before === undefined) return false;
  return (
    isChannelsLastSource(before.op) ||
    (before.op === "aten::permute" && intsOf(argOf(before, "dims"))?.join() === "0,3,1,2")
  );
}
