import { DTYPES, type DType } from "@pt2/format";
import type { Scalar } from "../../tensor-meta.ts";

/** The value that loses every comparison for the maximum: minus infinity, or the smallest integer. */
export function lowest(dtype: DType): Scalar {
  const { kind, itemsize } = DTYPES[dtype];
  if (kind === "float") return { float: Number.NEGATIVE_INFINITY };
  if (kind !== "int") return 0;
  return itemsize === 8 ? -(2n ** 63n) : -(2 ** (8 * itemsize - 1));
}
