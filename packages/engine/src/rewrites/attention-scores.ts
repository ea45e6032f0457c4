import { type Arg, argOf, type Node, type SymInt } from "@pt2/graph";
import { floatArg, intsArg, knownShape, numberOf } from "./literals.ts";
import type { RewriteContext } from "./rewriter.ts";
import { dense, isSameShape } from "./types.ts";

/** What goes into a softmax of attention: scale * (q @ k) + mask. */
export interface Scores {
  readonly q: Arg;
  /** Already transposed: [batch, heads, size, length], or without heads. */
  readonly k: Arg;
  readonly scale: number;
  /** float32, broadcast to the scores. */
  readonly mask: Arg | undefined;
  /** Whether scores are replaced where the mask is -inf, as `masked_fill` does, so that not even NaN stays. */
  readonly fills: boolean;
}

/** What is added to the scores, or says where they are filled with -inf, while they had a certain shape. */
interface Term {
  readonly value: Arg;
  readonly shape: readonly SymInt[];
  readonly fills: boolean;
}

/** Takes scores apart; null where they are something else. Nothing but the softmax may read them. */
export function scoresOf(value: Arg | undefined, context: RewriteContext): Scores | null {
  const terms: Term[] = [];
  const product = productBelow(value, terms, context);
  if (product === null) return null;
  const [q, k] = [unscaled(product.q, context), unscaled(product.k, context)];
  const fills = terms.some((term) => term.fills);
  // What else is added may be -inf too, and replaces nothing.
  if (fills && terms.length > 1) return null;
  const mask = sumOf(terms, product.shape, context);
  const scale = product.scale * q.factor * k.factor;
  return mask === null ? null : { q: q.value, k: k.value, scale, mask, fills };
}

/** A value as a factor times another one. */
function unscaled(value: Arg, context: RewriteContext): { readonly value: Arg; readonly factor: number } {
  const node = context.definition(value);
  const factor = node?.op === "aten::mul.Tensor" ? numberOf(argOf(node, "other")) : undefined;
  return node === undefined || factor === undefined ? { value, factor: 1 } : { value: argOf(node, "self")!, factor };
}

interface Product {
  readonly q: Arg;
  readonly k: Arg;
  readonly scale: number;
  readonly shape: readonly SymInt[];
}

/** Follows sums, fills and reshapes down to a product, and factors right above it. */
function productBelow(value: Arg | undefined, terms: Term[], context: RewriteContext): Product | null {
  const node = context.isReadOnce(value) ? context.definition(value) : undefined;
  const shape = context.tensor(value)?.shape;
  const self = node && argOf(node, "self");
  const other = node && (argOf(node, "other") ?? argOf(node, "mat2"));
  if (node === undefined || shape === undefined || self === undefined) return null;
  if (isProduct(node)) return { q: self, k: other!, scale: 1, shape };
  if (node.op === "aten::reshape") return productBelow(self, terms, context);
  if (node.op === "aten::add.Tensor" && argOf(node, "alpha") === undefined && isFloat(other, context)) {
    terms.push({ value: other!, shape, fills: false });
    return productBelow(self, terms, context);
  }
  if (node.op === "aten::masked_fill.Scalar" && numberOf(argOf(node, "value")) === Number.NEGATIVE_INFINITY) {
    const mask = argOf(node, "mask");
    if (mask === undefined) return null;
    terms.push({ value: mask, shape, fills: true });
    return productBelow(self, terms, context);
  }
  const factor = numberOf(other);
  const below = factor === undefined ? undefined : context.definition(self);
  if (factor === undefined || below === undefined || !isProduct(below)) return null;
  const product = productBelow(self, terms, context);
  if (product === null) return null;
  if (node.op === "aten::mul.Tensor") return { ...product, scale: factor };
  return node.op === "aten::div.Tensor" ? { ...product, scale: 1 / factor } : null;
}

function isProduct({ op }: Node): boolean {
  return op === "aten::matmul" || op === "aten::bmm";
}

function isFloat(value: Arg | undefined, context: RewriteContext): boolean {
  return context.tensor(value)?.dtype === "float32";
}

/** One mask of the terms. Those added in another shape must be fixed: they are brought to this one, once. */
function sumOf(terms: readonly Term[], shape: readonly SymInt[], context: RewriteContext): Arg | undefined | null {
  let sum: Arg | undefined;
  for (const term of terms) {
    const origin = context.definition(term.value) ?? NOWHERE;
    const full = isSameShape(term.shape, shape) ? term.value : reshaped(term, shape, context);
    if (full === null) return null;
    const type = dense(context.tensor(term.value), shape);
    const other = term.fills ? negativeInfinity(full, context) : full;
    sum = sum === undefined ? other : context.emit("aten::add.Tensor", { self: sum, other }, type, origin);
  }
  return sum;
}

/** -inf where a mask is true, and 0 elsewhere. */
function negativeInfinity(mask: Arg, context: RewriteContext): Arg {
  const origin = context.definition(mask) ?? NOWHERE;
  const bool = context.tensor(mask);
  const type = bool && { ...bool, dtype: "float32" as const };
  const zeros = context.emit(
    "aten::zeros_like",
    { self: mask, dtype: { kind: "dtype", value: "float32" } },
    type,
    origin,
  );
  const args = { self: zeros, mask, value: floatArg(Number.NEGATIVE_INFINITY) };
  return context.emit("aten::masked_fill.Scalar", args, type, origin);
}

function reshaped({ value, shape: from }: Term, to: readonly SymInt[], context: RewriteContext): Arg | null {
  const type = context.tensor(value);
  const [before, after] = [from, to].map((shape) => type && knownShape({ ...type, shape }));
  if (before === undefined || after === undefined || !context.isFixed(value)) return null;
  const origin = context.definition(value) ?? NOWHERE;
  const expanded = context.emit("aten::expand", { self: value, size: intsArg(before) }, dense(type, before), origin);
  return context.emit("aten::reshape", { self: expanded, shape: intsArg(after) }, dense(type, after), origin);
}

const NOWHERE = { name: "mask", op: "aten::add.Tensor", args: [], outputs: [], origin: {} } as const;
