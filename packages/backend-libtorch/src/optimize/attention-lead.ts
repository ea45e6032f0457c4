import { dense, intArg, intsArg, isSameShape, type RewriteContext, resultType } from "@pt2/engine/rewrites";
import type { Arg, Node, SymInt, TensorType } from "@pt2/graph";
import { timesSize } from "@pt2/graph/passes";

// Attention over more than four dimensions: windows, blocks and groups lie before the heads. The first dimensions become
// one, so that [batch, heads, length, size] are left.

/** The first dimensions of a tensor that become one; none of one that has four or fewer. */
export function leadOf(value: Arg | undefined, context: RewriteContext): readonly SymInt[] {
  const shape = context.tensor(value)?.shape ?? [];
  return shape.length > 4 ? shape.slice(0, -3) : [];
}

/** A type whose first dimensions are one. */
export function joinedLead(type: TensorType | undefined, lead: readonly SymInt[]): TensorType | undefined {
  if (type === undefined || lead.length === 0) return type;
  const own = type.shape.slice(0, lead.length);
  return dense(type, [own.reduce(timesSize), ...type.shape.slice(lead.length)]);
}

/**
 * Makes the first dimensions of an operand one. A mask without them is broadcast as it is. Null where some of them are
 * broadcast, or it would not be known what they were.
 */
export function joinLead(value: Arg, lead: readonly SymInt[], node: Node, context: RewriteContext): Arg | null {
  const type = context.tensor(value);
  const rank = type?.shape.length ?? 0;
  if (lead.length === 0 || rank <= 3) return value;
  const own = type!.shape.slice(0, lead.length);
  const fits = isSameShape(own, lead) || own.every((size) => size === 1);
  if (rank !== lead.length + 3 || !fits || lead.filter(isUnknown).length > 1) return null;
  const args = { self: value, start_dim: intArg(0), end_dim: intArg(lead.length - 1) };
  return context.emit("aten::flatten.using_ints", args, joinedLead(type, lead), node);
}

/** Makes of the first dimension of a result those that it was. */
export function splitLead(attention: Arg, lead: readonly SymInt[], node: Node, context: RewriteContext): Arg {
  if (lead.length === 0) return attention;
  const sizes = intsArg(lead.map((size) => (isUnknown(size) ? -1 : Number(size))));
  return context.emit(
    "aten::unflatten.int",
    { self: attention, dim: intArg(0), sizes },
    resultType(node, context),
    node,
  );
}

function isUnknown(size: SymInt): boolean {
  return typeof size === "object";
}
