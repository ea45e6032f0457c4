import type { DType } from "@pt2/format";
import { type Arg, type Node, printSym, type SymInt, type TensorType } from "@pt2/graph";
import type { RewriteContext } from "./rewriter.ts";

/** The type of a node's first result, where that is a tensor. */
export function resultType({ outputs: [output] }: Node, context: RewriteContext): TensorType | undefined {
  return output?.kind === "value" ? context.tensor(output) : undefined;
}

/** A tensor in another dtype; one that has it already is returned itself. */
export function converted(value: Arg, dtype: DType, like: Node, context: RewriteContext): Arg {
  const type = context.tensor(value);
  if (type?.dtype === dtype) return value;
  const args = { self: value, dtype: { kind: "dtype", value: dtype } } as const;
  return context.emit("aten::to.dtype", args, type && { ...type, dtype }, like);
}

/** The type of a tensor whose last two dimensions change places. */
export function transposed(type: TensorType): TensorType {
  const swapped = <T>(list: readonly T[]): readonly T[] => [...list.slice(0, -2), ...list.slice(-2).toReversed()];
  return { ...type, shape: swapped(type.shape), strides: swapped(type.strides) };
}

/** The type of a dense result of another shape. Only known sizes count for its strides. */
export function dense(like: TensorType | undefined, shape: readonly SymInt[] | undefined): TensorType | undefined {
  if (like === undefined || shape === undefined) return undefined;
  let next = 1;
  const strides = shape.toReversed().map((size) => {
    const stride = next;
    next *= typeof size === "object" ? 1 : Number(size);
    return stride;
  });
  return { ...like, shape, strides: strides.reverse(), storageOffset: 0 };
}

/** Whether two sizes are known to be the same: equal numbers, or one expression. */
export function isSameSize(one: SymInt | undefined, other: SymInt | undefined): boolean {
  return one !== undefined && other !== undefined && printSym(one) === printSym(other);
}

/** Whether two shapes are known to be the same. */
export function isSameShape(one: readonly SymInt[] | undefined, other: readonly SymInt[] | undefined): boolean {
  return one?.length === other?.length && one?.every((size, i) => isSameSize(size, other?.[i])) === true;
}
