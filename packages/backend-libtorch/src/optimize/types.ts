import type { SymInt, TensorType } from "@pt2/graph";

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
