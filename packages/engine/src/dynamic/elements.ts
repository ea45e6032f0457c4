import { viewAs } from "@pt2/backend";
import { bitsToFloat, DTYPES, isSmallFloat } from "@pt2/format";
import type { HostData } from "../staged/run-value.ts";

/** Reads elements as numbers, int64 as bigints; a half as the number that its bits mean. */
export function reader({ dtype, bytes }: HostData): (index: number) => number | bigint {
  const array = viewAs(dtype, bytes);
  if (isSmallFloat(dtype)) return (index) => bitsToFloat(dtype, Number(array[index]));
  return (index) => array[index]!;
}

/** Whether an element is not zero: NaN is true, -0 is not. */
export function isTruthy(tensor: HostData): (index: number) => boolean {
  const read = reader(tensor);
  // int64 elements are bigints: 0n is as false as 0; NaN is not.
  const truthy = (value: number | bigint): boolean => Number.isNaN(value) || Boolean(value);
  if (DTYPES[tensor.dtype].kind !== "complex") return (index) => truthy(read(index));
  return (index) => truthy(read(2 * index)) || truthy(read(2 * index + 1));
}
