import { bitsToFloat, DTYPES, type DType, isSmallFloat } from "@pt2/format";
import type { TypedArray } from "@pt2/registry";

/** An element as JavaScript values: a bigint for 64-bit integers, a pair for complex numbers, else a number. */
export type Element = number | bigint | readonly [re: number, im: number];

/**
 * Returns a function that reads the element at an index. Floats narrower than 32 bits are numbers, as tensors have
 * them in `data`, or bits.
 */
export function elementsOf(dtype: DType, data: TypedArray): (index: number) => Element {
  const isNumbers = data instanceof Float32Array;
  if (dtype === "complex32" && !isNumbers) {
    const half = (at: number): number => bitsToFloat("float16", Number(data[at]!));
    return (index) => [half(2 * index), half(2 * index + 1)];
  }
  if (DTYPES[dtype].kind === "complex") return (index) => [Number(data[2 * index]!), Number(data[2 * index + 1]!)];
  if (isSmallFloat(dtype) && !isNumbers) return (index) => bitsToFloat(dtype, Number(data[index]!));
  return (index) => data[index]!;
}

/** Converts the flat index of an element to one index per dimension: `[3, 0, 7]`. */
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

/** Formats an element. */
export function elementText(element: Element): string {
  if (typeof element === "bigint") return String(element);
  if (typeof element === "number") return Number.isInteger(element) ? String(element) : element.toPrecision(6);
  return `${elementText(element[0])}+${elementText(element[1])}j`;
}
