import { bitsToFloat, DTYPES, type DType, isSmallFloat } from "@pt2/format";
import type { TypedArray } from "../tensor.ts";

/** An element as a number: a bigint where the dtype has 64-bit integers, a pair for complex ones. */
export type Element = number | bigint | readonly [re: number, im: number];

/** Reads elements of a tensor by index. */
export function elementsOf(dtype: DType, data: TypedArray): (index: number) => Element {
  if (dtype === "complex32") {
    const half = (at: number): number => bitsToFloat("float16", Number(data[at]!));
    return (index) => [half(2 * index), half(2 * index + 1)];
  }
  if (DTYPES[dtype].kind === "complex") return (index) => [Number(data[2 * index]!), Number(data[2 * index + 1]!)];
  if (isSmallFloat(dtype)) return (index) => bitsToFloat(dtype, Number(data[index]!));
  return (index) => data[index]!;
}

/** `[3, 0, 7]`: where an element is. */
export function indexOf(flat: number, shape: readonly number[]): readonly number[] {
  let rest = flat;
  return shape
    .toReversed()
    .map((size) => {
      const at = rest % size;
      rest = Math.floor(rest / size);
      return at;
    })
    .reverse();
}

/** An element for people. */
export function elementText(element: Element): string {
  if (typeof element === "bigint") return String(element);
  if (typeof element === "number") return Number.isInteger(element) ? String(element) : element.toPrecision(6);
  return `${elementText(element[0])}+${elementText(element[1])}j`;
}
