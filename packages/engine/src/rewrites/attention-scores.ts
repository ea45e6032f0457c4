import { type Arg, argOf, type Node, type SymInt } from "@pt2/graph";
import { intsArg, knownShape, numberOf } from "./literals.ts";
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
}

/** What is added to the scores, while they had a certain shape. */
interface Term {
  readonly value: Arg;
  readonly shape: readonly SymInt[];
}

/** Takes scores apart; null where they are something else. Nothing but the softmax may read them. */
export function scoresOf(value: Arg | undefined, context: RewriteContext): Scores | null {
  const terms: Term[] = [];
  const product = productBelow(value, terms, context);
  if (product === null) return null;
  const [q, k] = [unscaled(product.q, context), unscaled(product.k, context)];
  const mask = sumOf(terms, product.shape, context);
  return mask === null ? null : { q: q.value, k: k.value, scale: product.scale * q.factor * k.factor, mask };
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

/** Follows sums and reshapes down to a product, and factors right above it. */
function productBelow(value: Arg | undefined, terms: Term[], context: RewriteContext): Product | null {
  const node = context.isReadOnce(value) ? context.definition(value) : undefined;
  const shape = context.tensor(value)?.shape;
  const self = node && argOf(node, "self");
  const other = node && (argOf(node, "other") ?? argOf(node, "mat2"));
  if (node === undefined || shape === undefined || self === undefined) return null;
  if (isProduct(node)) return { q: self, k: other!, scale: 1, shape };
  if (node.op === "aten::reshape") return productBelow(self, terms, context);
  if (node.op === "aten::add.Tensor" && argOf(node, "alpha") === undefined && isFloat(other, context)) {
    terms.push({ value: other!, shape });
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
    sum = sum === undefined ? full : context.emit("aten::add.Tensor", { self: sum, other: full }, type, origin);
  }
  return sum;
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
