import { argsOf, knownShape, type RewriteContext } from "@pt2/engine/rewrites";
import { type Arg, argOf, type Node, type OpName } from "@pt2/graph";

/** Makes a weight in half precision one in float32: what reads it may compute with the rounding of its dtype. */
export const WIDEN: OpName = "pt2::widen";

/** The fewest rows whose product takes longer than a weight in half precision takes from memory. */
const MANY_ROWS = 16;

/** Whether the left side of a product is known to have many rows. */
export function hasManyRows(input: Arg, context: RewriteContext): boolean {
  return (rowsOf(input, context) ?? 0) >= MANY_ROWS;
}

/** The number of rows of the left side of a product; undefined where it is not known. */
export function rowsOf(input: Arg, context: RewriteContext): number | undefined {
  const sizes = knownShape(context.tensor(input));
  return sizes?.slice(0, -1).reduce((product, size) => product * size, 1);
}

/** A weight in half precision, from which one in float32 was made. */
export interface Half {
  readonly weight: Arg;
  /** Whether what reads it computes with the rounding of its dtype. */
  readonly rounds: boolean;
}

/** The weight in half precision that one in float32 was made of, maybe transposed; null for one of another. */
export function halfOf(weight: Arg, context: RewriteContext, like: Node): Half | null {
  const made = context.definition(weight);
  if (made === undefined || !context.isFixed(weight)) return null;
  if (made.op === WIDEN) return { weight: argOf(made, "weight")!, rounds: true };
  const self = argOf(made, "self");
  if (self === undefined) return null;
  const { dtype } = context.tensor(self) ?? {};
  if (made.op === "aten::to.dtype")
    return dtype === "float16" || dtype === "bfloat16" ? { weight: self, rounds: false } : null;
  const half = TRANSPOSITIONS.has(made.op) ? halfOf(self, context, like) : null;
  if (half === null) return null;
  const { dtype: narrow } = context.tensor(half.weight)!;
  const type = context.tensor(weight);
  const args = { ...argsOf(made), self: half.weight };
  return { ...half, weight: context.emit(made.op, args, type && { ...type, dtype: narrow }, like) };
}

const TRANSPOSITIONS: ReadonlySet<OpName> = new Set(["aten::t", "aten::transpose.int", "aten::permute"]);
