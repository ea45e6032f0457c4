import { DTYPES, type DType } from "@pt2/format";

/** Wraps to the range of an integer dtype by keeping the low bits in two's complement. */
export function wrap(dtype: DType, x: bigint): number | bigint {
  const { itemsize, kind } = DTYPES[dtype];
  const wrapped = kind === "uint" ? BigInt.asUintN(itemsize * 8, x) : BigInt.asIntN(itemsize * 8, x);
  return itemsize === 8 ? wrapped : Number(wrapped);
}
