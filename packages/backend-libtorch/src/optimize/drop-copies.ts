import {
  argsOf,
  intsOf,
  isSameShape,
  numberOf,
  type RewriteContext,
  type RewriteRule,
  resultType,
  rewrite,
} from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type OpName, type Program, type TensorType, usesOf } from "@pt2/graph";
import { isOfMemory } from "@pt2/graph/passes";
import { isChannelsLastSource, readsStrides } from "./restore-layouts.ts";
import type { OptimizeTarget } from "./target.ts";

/**
 * Removes copies of values that a run computes: clones, and paddings by nothing; and of any values what is put together
 * with nothing, to be put together with something else: caches of decoders begin so. A copy that also changes the layout
 * saves
 * its readers that work: it is removed only if every reader takes any layout, no two read the same elements, and no
 * node
 * depends on strides. Results never share memory because of this.
 */
export function dropCopies(program: Program, target: OptimizeTarget): Program {
  const { nodes, outputs, values } = program.graph;
  const returned = new Set(outputs.flatMap((arg) => (arg.kind === "value" ? arg.name : [])));
  const typeOf = (arg: Arg | undefined): TensorType | undefined => {
    const type = arg?.kind === "value" ? values.get(arg.name) : undefined;
    return type?.kind === "tensor" ? type : undefined;
  };
  const readers = readersOf(nodes);
  const indifferent = !nodes.some((node) => readsStrides(node, target) && !isSameView(node, typeOf));
  // A copy begins at the start of its memory, and its source may begin in the middle of another one.
  const countsElements = nodes.some((node) => isOfMemory(node) && !isSameView(node, typeOf));
  const writesParts = nodes.some(({ op }) => WRITES_PART.has(op));
  const copy: RewriteRule = (node, context) => {
    const [output] = node.outputs;
    const self = argOf(node, "self");
    if (output?.kind !== "value" || returned.has(output.name) || !isComputed(self, context, target)) return null;
    if (mayBeMarked(self, context, target) || (writesParts && mayOverlap(self, context, target))) return null;
    const [from, to] = [context.tensor(self)?.strides, context.tensor(output)?.strides];
    const same = !countsElements && isSameShape(from, to);
    return same || (indifferent && readApart(readers.get(output.name) ?? [])) ? self! : null;
  };
  const padding: RewriteRule = (node, context) =>
    intsOf(argOf(node, "pad"))?.every((size) => size === 0) === true ? copy(node, context) : null;
  const view: RewriteRule = (node, context) =>
    isSameView(node, (arg) => context.tensor(arg)) ? argOf(node, "self")! : null;
  const rules = new Map([
    ["aten::cat", joined],
    ["aten::clone", copy],
    ["aten::contiguous", copy],
    ["aten::constant_pad_nd", padding],
    ["aten::pad", padding],
    ["aten::as_strided", view],
  ]);
  return rewrite(program, rules, target);
}

/** cat(cat(x, nothing), y) = cat(x, y), in the same order of memory. */
const joined: RewriteRule = (node, context) => {
  const tensors = argOf(node, "tensors");
  if (tensors?.kind !== "list") return null;
  const items = tensors.items.map((item) => onlyPart(item, context) ?? item);
  if (items.every((item, i) => item === tensors.items[i])) return null;
  const args = { ...argsOf(node), tensors: { kind: "list", items } } as const;
  return context.emit(node.op, args, resultType(node, context), node);
};

/** The operand of a `cat` whose others are vectors without elements, which it leaves out whatever the rank of the one. */
function onlyPart(whole: Arg, context: RewriteContext): Arg | undefined {
  const node = context.definition(whole);
  const tensors = node?.op === "aten::cat" ? argOf(node, "tensors") : undefined;
  if (tensors?.kind !== "list") return undefined;
  const types = tensors.items.map((item) => context.tensor(item));
  const isAlike = types.every((type) => type !== undefined && type.dtype === context.tensor(whole)?.dtype);
  const rest = tensors.items.filter((_, i) => types[i]?.shape.length !== 1 || types[i].shape[0] !== 0);
  return isAlike && rest.length === 1 ? rest[0] : undefined;
}

function readersOf(nodes: readonly Node[]): ReadonlyMap<string, readonly Node[]> {
  const readers = new Map<string, Node[]>();
  for (const node of nodes) {
    for (const name of usesOf(node)) {
      const others = readers.get(name) ?? [];
      others.push(node);
      readers.set(name, others);
    }
  }
  return readers;
}

/** Views, and ops that bring their arguments into a layout of their own. Other ops would run slower on strides. */
const INDIFFERENT: ReadonlySet<OpName> = new Set(
  [
    ...["view", "_unsafe_view", "reshape", "flatten.using_ints", "permute", "transpose.int", "expand", "unsqueeze"],
    ...["select.int", "bmm", "mm", "matmul", "addmm", "linear", "layer_norm", "native_layer_norm"],
  ]
    .map((name) => `aten::${name}`)
    .concat("pt2::matmul"),
);

/** Returns whether there is one reader that takes any layout, or several that each read another slice. */
function readApart(readers: readonly Node[]): boolean {
  if (readers.some(({ op }) => !INDIFFERENT.has(op) && !isChannelsLastSource(op))) return false;
  if (readers.length < 2) return true;
  const slices = readers.map((node) => [numberOf(argOf(node, "dim")) ?? 0, numberOf(argOf(node, "index"))] as const);
  const known = readers.every(({ op }, i) => op === "aten::select.int" && (slices[i]![1] ?? -1) >= 0);
  return known && slices.every(([dim]) => dim === slices[0]![0]) && new Set(slices.map(String)).size === slices.length;
}

/**
 * Returns whether a value may be a view that PyTorch marks as a conjugate or as negated instead of computing it. A copy
 * computes it, which views as real numbers or as another dtype need.
 */
function mayBeMarked(value: Arg | undefined, context: RewriteContext, target: OptimizeTarget): boolean {
  if (context.tensor(value)?.dtype.startsWith("complex") !== false) return true;
  for (let at = value; ; ) {
    const node = context.definition(at);
    if (node === undefined || node.op === "aten::_neg_view") return node !== undefined;
    const viewed = target.effectsOf(node.op)?.aliases[0];
    if (viewed === undefined) return false;
    at = argOf(node, viewed.arg);
  }
}

/** Ops that copy a tensor with its strides and write to a part of the copy: to all that is there, where an element is twice. */
const WRITES_PART: ReadonlySet<OpName> = new Set(
  ["select", "slice", "diagonal", "as_strided"].map((view) => `aten::${view}_scatter` as const),
);

/** Views that may contain an element of their memory twice, wherever their strides are not 0. */
const OVERLAPPING: ReadonlySet<OpName> = new Set(["aten::unfold", "aten::as_strided"]);

/**
 * Returns whether a value may contain an element of its memory twice. A copy of it has each element for itself, and what is written to
 * one later is not written to others.
 */
function mayOverlap(value: Arg | undefined, context: RewriteContext, target: OptimizeTarget): boolean {
  const type = context.tensor(value);
  if (type === undefined || type.strides.some((stride, dim) => stride === 0 && type.shape[dim] !== 1)) return true;
  const waiting = [value];
  while (waiting.length > 0) {
    const node = context.definition(waiting.pop());
    if (node === undefined) continue;
    if (OVERLAPPING.has(node.op)) return true;
    for (const { arg } of target.effectsOf(node.op)?.aliases ?? []) waiting.push(argOf(node, arg));
  }
  return false;
}

/** Returns whether the memory of a value belongs to a node, and not to an input. */
function isComputed(value: Arg | undefined, context: RewriteContext, target: OptimizeTarget): boolean {
  const waiting = [value];
  while (waiting.length > 0) {
    const node = context.definition(waiting.pop());
    const effects = node && target.effectsOf(node.op);
    if (node === undefined || effects === undefined) return false;
    for (const { arg } of effects.aliases) waiting.push(argOf(node, arg));
  }
  return true;
}

/** as_strided(x, sizes of x, strides of x) = x. Strides of dimensions of size 1 have no effect. */
function isSameView(node: Node, typeOf: (arg: Arg | undefined) => TensorType | undefined): boolean {
  const type = node.op === "aten::as_strided" ? typeOf(argOf(node, "self")) : undefined;
  const [size, stride] = [intsOf(argOf(node, "size")), intsOf(argOf(node, "stride"))];
  const offset = argOf(node, "storage_offset") ?? { kind: "none" };
  if (type === undefined || size === undefined || stride?.length !== size.length) return false;
  if (offset.kind !== "none" && numberOf(offset) !== Number(type.storageOffset)) return false;
  if (size.length !== type.shape.length || size.some((n, d) => n !== type.shape[d])) return false;
  return size.every((n, d) => n === 1 || stride[d] === type.strides[d]);
}
