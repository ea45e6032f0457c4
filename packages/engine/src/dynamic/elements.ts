import { viewAs } from "@pt2/backend";
import { bitsToFloat, DTYPES, type DType, isSmallFloat } from "@pt2/format";
import type { HostData } from "../staged/run-value.ts";

/** Reads elements as numbers, int64 as bigints; a half as the number that its bits mean. */
export function reader({ dtype, bytes }: HostData): (index: number) => number | bigint {
  const array = viewAs(dtype, bytes);
  if (isSmallFloat(dtype)) return (index) => bitsToFloat(dtype, Number(array[index]));
  return (index) => array[index]!;
}

/** Whether an element is not zero: NaN is true, -0 is not. */
export function isTruthy(tensor: HostData): (index: number) => boolean {
  const { dtype, bytes } = tensor;
  const array = viewAs(isWide(dtype) ? "int32" : dtype, bytes);
  if (isSmallFloat(dtype)) {
    const read = reader(tensor);
    return (index) => read(index) !== 0;
  }
  // An integer of 64 bits is two words, as a complex number is two parts.
  if (isWide(dtype) || DTYPES[dtype].kind === "complex") {
    return (index) => array[2 * index] !== 0 || array[2 * index + 1] !== 0;
  }
  return (index) => array[index] !== 0;
}

/** Whether elements are integers that arrays have as bigints. */
function isWide(dtype: DType): boolean {
  return dtype === "int64" || dtype === "uint64";
}
