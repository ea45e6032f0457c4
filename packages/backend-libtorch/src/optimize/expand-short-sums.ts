import {
  dense,
  given,
  intArg,
  intsOf,
  isTrue,
  numberOf,
  type RewriteContext,
  type RewriteRule,
  resultType,
  rewrite,
} from "@pt2/engine/rewrites";
import { normalDim } from "@pt2/format";
import { type Arg, argOf, type Node, type Program, type TensorType } from "@pt2/graph";
import type { OptimizeTarget } from "./target.ts";

/** Additions that one pass over memory still does at once. */
const MOST_TERMS = 4;

/**
 * Writes a sum over a dimension of few elements as additions: `sum(stack([a, b]) * w)` is `a * w[0] + b * w[1]`, which
 * needs no stack. ATen's reduction takes 40 times as long where the order of memory is channels-last.
 */
export function expandShortSums(program: Program, target: OptimizeTarget): Program {
  return rewrite(program, new Map([["aten::sum.dim_IntList", RULE]]), target);
}

const RULE: RewriteRule = (node, context) => {
  const self = argOf(node, "self")!;
  const type = context.tensor(self);
  const [dim, ...others] = intsOf(argOf(node, "dim")) ?? [];
  if (type?.dtype !== "float32" || dim === undefined || others.length > 0) return null;
  if (given(node, "dtype") !== undefined || isTrue(argOf(node, "keepdim"))) return null;
  const rank = type.shape.length;
  const axis = normalDim(dim, rank);
  const count = type.shape[axis];
  // Elements of the last dimension lie side by side: ATen sums vectors of them.
  if (typeof count !== "number" || count < 2 || count > MOST_TERMS || axis === rank - 1) return null;
  const terms = Array.from({ length: count }, (_, index) => part(self, { axis, index, rank, node }, context));
  const result = resultType(node, context);
  return terms.reduce((sum, term) => context.emit("aten::add.Tensor", { self: sum, other: term }, result, node));
};

/** A place along one axis of tensors of this rank. */
interface Place {
  readonly axis: number;
  readonly index: number;
  readonly rank: number;
  /** The node whose operand is taken apart. */
  readonly node: Node;
}

/** Returns what lies at a place of a value: of a product the product of what lies there, and of a stack one of its tensors. */
function part(value: Arg, place: Place, context: RewriteContext): Arg {
  const { axis, index, rank, node } = place;
  const type = context.tensor(value)!;
  const made = context.definition(value);
  if (made?.op === "aten::stack") {
    const tensors = argOf(made, "tensors");
    const dim = numberOf(argOf(made, "dim")) ?? 0;
    const one = tensors?.kind === "list" ? tensors.items[index] : undefined;
    // Sums of what a stack converts would be in another precision.
    const isStacked = normalDim(dim, rank) === axis && context.tensor(one)?.dtype === type.dtype;
    if (one !== undefined && isStacked) return one;
  }
  if (made?.op === "aten::mul.Tensor" && context.isReadOnce(value)) {
    const [self, other] = [argOf(made, "self")!, argOf(made, "other")!];
    if ([self, other].every((factor) => context.tensor(factor)?.shape.length === rank)) {
      const factors = { self: part(self, place, context), other: part(other, place, context) };
      return context.emit("aten::mul.Tensor", factors, without(type, axis), made);
    }
  }
  const at = type.shape[axis] === 1 ? 0 : index;
  return context.emit(
    "aten::select.int",
    { self: value, dim: intArg(axis), index: intArg(at) },
    without(type, axis),
    node,
  );
}

function without(type: TensorType, axis: number): TensorType {
  return dense(type, type.shape.toSpliced(axis, 1))!;
}
