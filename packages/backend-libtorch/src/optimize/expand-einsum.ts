import {
  dense,
  intArg,
  intsArg,
  isSameSize,
  knownShape,
  type RewriteContext,
  type RewriteRule,
  resultType,
  rewrite,
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type Program, type SymInt, type TensorType } from "@pt2/graph";
import { type EinsumEquation, parseEquation } from "@pt2/registry/scalar";
import type { OptimizeTarget } from "./target.ts";

/**
 * Writes an `einsum` that multiplies two batches of float32 matrices as the `matmul` of permuted tensors that it is, so that
 * linear layers and attention are recognized in it.
 */
export function expandEinsums(program: Program, target: OptimizeTarget): Program {
  return rewrite(program, new Map([["aten::einsum", RULE]]), target);
}

const RULE: RewriteRule = (node, context) => {
  const [equation, tensors] = [argOf(node, "equation"), argOf(node, "tensors")];
  const [first, second, ...others] = tensors?.kind === "list" ? tensors.items : [];
  const [left, right] = [context.tensor(first), context.tensor(second)];
  if (equation?.kind !== "string" || left?.dtype !== "float32" || right?.dtype !== "float32") return null;
  if (others.length > 0) return null;
  const labels = labelsOf(equation.value, [left, right]);
  if (labels === null) return null;
  const [x, y] = [
    { value: first!, type: left, labels: labels.inputs[0]! },
    { value: second!, type: right, labels: labels.inputs[1]! },
  ];
  // The right side of a linear layer is its weight.
  const swaps = context.isFixed(first) && !context.isFixed(second);
  return swaps ? product(y, x, labels.output, node, context) : product(x, y, labels.output, node, context);
};

/** A tensor with a label for each of its dimensions. */
interface Labeled {
  readonly value: Arg;
  readonly type: TensorType;
  readonly labels: readonly string[];
}

/** The labels of an equation of two operands; null for one that PyTorch refuses. */
function labelsOf(equation: string, types: readonly TensorType[]): EinsumEquation | null {
  try {
    return parseEquation(
      equation,
      types.map(({ shape }) => shape.length),
    );
  } catch {
    return null;
  }
}

/** Multiplies [batch, rows, inner] with [batch, inner, columns]; null where dimensions are broadcast, or summed alone. */
function product(x: Labeled, y: Labeled, output: readonly string[], node: Node, context: RewriteContext): Arg | null {
  const shared = x.labels.filter((label) => y.labels.includes(label));
  const batch = shared.filter((label) => output.includes(label));
  const inner = shared.filter((label) => !output.includes(label));
  const rows = x.labels.filter((label) => !y.labels.includes(label));
  const columns = y.labels.filter((label) => !x.labels.includes(label));
  const once = [...batch, ...rows, ...columns];
  const isProduct = [rows, columns, inner].every((labels) => labels.length > 0) && once.length === output.length;
  const areApart = [x, y].every(({ labels }) => new Set(labels).size === labels.length);
  const fit = shared.every((label) => isSameSize(sizeOf(x, label), sizeOf(y, label)));
  if (!isProduct || !areApart || !fit || !once.every((label) => output.includes(label))) return null;
  // Rows may stay several dimensions where one matrix is on the right.
  const left = merged(
    ordered(x, [...batch, ...rows, ...inner], node, context),
    [...(batch.length > 0 ? [rows] : []), inner],
    node,
    context,
  );
  const right = merged(ordered(y, [...batch, ...inner, ...columns], node, context), [inner, columns], node, context);
  if (left === null || right === null) return null;
  const labels = [...left.labels.slice(0, -1), right.labels.at(-1)!];
  const shape = [...left.type.shape.slice(0, -1), right.type.shape.at(-1)!];
  const type = dense(resultType(node, context), shape);
  if (type === undefined) return null;
  const value = context.emit("aten::matmul", { self: left.value, other: right.value }, type, node);
  const sizes = new Map([x, y].flatMap((each) => each.labels.map((label, i) => [label, each.type.shape[i]!] as const)));
  const whole = split({ value, type, labels }, [rows, columns], sizes, node, context);
  return ordered(whole, output, node, context).value;
}

function sizeOf({ type, labels }: Labeled, label: string): SymInt | undefined {
  return type.shape[labels.indexOf(label)];
}

/** The dimensions in this order. */
function ordered(
  { value, type, labels }: Labeled,
  order: readonly string[],
  node: Node,
  context: RewriteContext,
): Labeled {
  const dims = order.map((label) => labels.indexOf(label));
  if (dims.every((dim, i) => dim === i)) return { value, type, labels };
  const [shape, strides] = [dims.map((dim) => type.shape[dim]!), dims.map((dim) => type.strides[dim]!)];
  const permuted = { ...type, shape, strides };
  return {
    value: context.emit("aten::permute", { self: value, dims: intsArg(dims) }, permuted, node),
    type: permuted,
    labels: order,
  };
}

/** The name of a dimension that was several. */
function joined(labels: readonly string[]): string {
  return labels.join(" ");
}

/** Makes one dimension of each group of neighbors; null where the sizes of several are not known. */
function merged(
  x: Labeled,
  groups: readonly (readonly string[])[],
  node: Node,
  context: RewriteContext,
): Labeled | null {
  let { value, type, labels } = x;
  for (const group of groups) {
    if (group.length === 1) continue;
    const start = labels.indexOf(group[0]!);
    const past = start + group.length;
    const sizes = knownShape({ ...type, shape: type.shape.slice(start, past) });
    if (sizes === undefined) return null;
    const size = sizes.reduce((all, each) => all * each, 1);
    type = dense(type, type.shape.toSpliced(start, group.length, size))!;
    value = context.emit(
      "aten::flatten.using_ints",
      { self: value, start_dim: intArg(start), end_dim: intArg(past - 1) },
      type,
      node,
    );
    labels = labels.toSpliced(start, group.length, joined(group));
  }
  return { value, type, labels };
}

/** Makes again several dimensions of those that {@link merged} made one. */
function split(
  x: Labeled,
  groups: readonly (readonly string[])[],
  sizes: ReadonlyMap<string, SymInt>,
  node: Node,
  context: RewriteContext,
): Labeled {
  let { value, type, labels } = x;
  for (const group of groups) {
    const dim = labels.indexOf(joined(group));
    if (group.length === 1 || dim < 0) continue;
    const shape = group.map((label) => Number(sizes.get(label)));
    type = dense(type, type.shape.toSpliced(dim, 1, ...shape))!;
    value = context.emit("aten::unflatten.int", { self: value, dim: intArg(dim), sizes: intsArg(shape) }, type, node);
    labels = labels.toSpliced(dim, 1, ...group);
  }
  return { value, type, labels };
}
