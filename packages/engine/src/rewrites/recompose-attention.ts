import { type Arg, argOf, type Node, type SymInt } from "@pt2/graph";
import { isSameValue, isTrue, numberOf } from "./literals.ts";
import type { RewriteContext, RewriteRule } from "./rewriter.ts";
import { dense, isSameShape, resultType } from "./types.ts";

/**
 * reshape(bmm(reshape(a), reshape(b))) = matmul(a, b), where the reshapes make one batch of two dimensions. Where a
 * program of gradients reads them too they stay: a matmul would copy again what they copy.
 */
export const batchedMatmul: RewriteRule = (node, context) => {
  const flat = argOf(node, "self");
  const product = context.isReadOnce(flat) ? context.definition(flat) : undefined;
  if (product?.op !== "aten::bmm") return null;
  const [left, right] = [argOf(product, "self"), argOf(product, "mat2")].map((arg) => unflattened(arg, context));
  const type = resultType(node, context);
  const [shape, a, b] = [type, left && context.tensor(left), right && context.tensor(right)].map((one) => one?.shape);
  if (left === undefined || right === undefined || !shape || !a || !b || shape.length !== 4) return null;
  const [batch, heads, rows, columns] = shape as [SymInt, SymInt, SymInt, SymInt];
  const inner = a[3]!;
  const fits = isSameShape([batch, heads, rows, inner], a) && isSameShape([batch, heads, inner, columns], b);
  if (!fits) return null;
  return context.emit("aten::matmul", { self: left, other: right }, dense(type, shape), node);
};

/** What has four dimensions, the first two of which a reshape made one. */
function unflattened(value: Arg | undefined, context: RewriteContext): Arg | undefined {
  const node = context.isReadOnce(value) ? context.definition(value) : undefined;
  const self = node?.op === "aten::reshape" ? argOf(node, "self") : undefined;
  return context.tensor(self)?.shape.length === 4 ? self : undefined;
}

/** where(not any(x != -inf), 0, softmax(x)) = _safe_softmax(x): rows without a number become zeros. */
export const safeSoftmax: RewriteRule = (node, context) => {
  const softmax = context.definition(argOf(node, "other"));
  if (softmax?.op !== "aten::softmax.int" || !isZeros(argOf(node, "self"), context)) return null;
  const any = negated(argOf(node, "condition"), context);
  const infinite = any?.op === "aten::any.dim" ? negated(argOf(any, "self"), context) : undefined;
  const [scores, dim] = [argOf(softmax, "self")!, argOf(softmax, "dim")!];
  const keepdim = any && argOf(any, "keepdim");
  if (infinite?.op !== "aten::eq.Scalar" || numberOf(argOf(infinite, "other")) !== Number.NEGATIVE_INFINITY)
    return null;
  if (!isSameValue(argOf(infinite, "self"), scores) || numberOf(argOf(any!, "dim")) !== numberOf(dim)) return null;
  if (!isTrue(keepdim)) return null;
  return context.emit("aten::_safe_softmax", { self: scores, dim }, resultType(node, context), node);
};

function negated(value: Arg | undefined, context: RewriteContext): Node | undefined {
  const node = context.definition(value);
  return node?.op === "aten::logical_not" ? context.definition(argOf(node, "self")) : undefined;
}

function isZeros(value: Arg | undefined, context: RewriteContext): boolean {
  const node = context.definition(value);
  if (node?.op === "aten::zeros_like") return true;
  const filled = node?.op === "aten::full_like" || node?.op === "aten::full" || node?.op === "aten::scalar_tensor";
  return filled && numberOf(argOf(node, "fill_value") ?? argOf(node, "s")) === 0;
}
