import { viewAs } from "@pt2/backend";
import { DTYPES, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import { convert } from "@pt2/registry/scalar";

/** Returns the bytes of one element of a dtype, little-endian; a complex one gets an imaginary part of zero. */
export function elementBytes(dtype: DType, value: number | bigint): Uint8Array {
  const bytes = new Uint8Array(DTYPES[dtype].itemsize);
  const array = viewAs(dtype, bytes);
  if (isSmallFloat(dtype)) array[0] = floatToBits(dtype, Number(value));
  else if (DTYPES[dtype].kind === "complex") array[0] = Number(value);
  else {
    const converted = convert(dtype, value);
    array[0] = typeof converted === "boolean" ? Number(converted) : converted;
  }
  return bytes;
}
