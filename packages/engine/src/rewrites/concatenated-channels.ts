import { normalDim } from "@pt2/format";
import { type Arg, argOf, type TensorType } from "@pt2/graph";
import { numberOf } from "./literals.ts";
import type { RewriteContext } from "./rewriter.ts";

/** The dimension of channels. */
const CHANNELS = 1;

/** A tensor whose channels a concatenation takes. */
export interface ConcatenatedChannels {
  readonly value: Arg;
  readonly type: TensorType;
}

/**
 * The tensors whose channels a concatenation puts together, where one argument alone reads it; null for other values. An empty
 * operand, which may have any rank, is none of them.
 */
export function concatenatedChannels(
  value: Arg | undefined,
  context: RewriteContext,
): readonly ConcatenatedChannels[] | null {
  const cat = context.definition(value);
  const tensors = cat && argOf(cat, "tensors");
  if (cat === undefined || !(cat.op === "aten::cat" || cat.op === "pt2::cat")) return null;
  if (tensors?.kind !== "list" || !context.isReadOnce(value)) return null;
  const rank = context.tensor(value)?.shape.length ?? 0;
  const dim = numberOf(argOf(cat, "dim")) ?? 0;
  if (normalDim(dim, rank) !== CHANNELS || rank < 3) return null;
  const parts = tensors.items.flatMap((item): ConcatenatedChannels[] => {
    const type = context.tensor(item);
    return type?.shape.length === rank ? [{ value: item, type }] : [];
  });
  return parts.length === tensors.items.length ? parts : null;
}
