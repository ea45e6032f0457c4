import { bitsToFloat, DTYPES, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import type { ScalarValue } from "./typed.ts";
import { wrap } from "./wrap.ts";

const scratch = new DataView(new ArrayBuffer(8));

/** Rounds to the nearest bfloat16, ties to even: what `floatToBits` gives, in a tenth of its time. */
function roundToBfloat16(x: number): number {
  if (!Number.isFinite(x)) return x;
  scratch.setFloat32(0, x);
  const bits = scratch.getUint32(0);
  scratch.setUint32(0, (bits + 0x7fff + ((bits >>> 16) & 1)) & 0xffff0000);
  return scratch.getFloat32(0);
}

/**
 * Rounds a float32 to the nearest float16, ties to even; numbers from 65520 on become infinite. This is what `floatToBits`
 * gives, in a tenth of its time.
 */
function roundToFloat16(x: number): number {
  const magnitude = Math.abs(x);
  if (magnitude < 2 ** -14) {
    // The spacing stays 2^-24, which is that of float32 from a half on.
    const rounded = Math.fround(magnitude + 0.5) - 0.5;
    return x > 0 ? rounded : x < 0 ? -rounded : x;
  }
  if (!(magnitude < 65520)) return x * Number.POSITIVE_INFINITY;
  scratch.setFloat32(0, x);
  const bits = scratch.getUint32(0);
  scratch.setUint32(0, (bits + 0xfff + ((bits >>> 13) & 1)) & 0xffffe000);
  return scratch.getFloat32(0);
}

/**
 * Truncates as the 64- or 32-bit x86 conversion does: NaN and numbers out of range give the smallest integer. For uint64
 * numbers from 2^63 on are converted without these, and those from 2^64 on become 0.
 */
function truncated(dtype: DType, x: number): bigint {
  if (dtype === "uint64" && x >= 2 ** 63) return x < 2 ** 64 ? BigInt(x) : 0n;
  // Dtypes up to int32 use a signed 32-bit conversion, uint8 and the others a signed 64-bit one.
  const isShort = dtype === "int32" || (DTYPES[dtype].itemsize < 4 && dtype !== "uint8");
  const bits = isShort ? 31n : 63n;
  const whole = Number.isFinite(x) ? BigInt(Math.trunc(x)) : 1n << 64n;
  return whole >= 1n << bits || whole < -(1n << bits) ? -(1n << bits) : whole;
}

/** Converts a value as `Tensor.to` does on x86: floats are truncated to integers, integers wrap, NaN is true. */
export function convert(to: DType, x: ScalarValue): ScalarValue {
  switch (DTYPES[to].kind) {
    case "bool":
      return Boolean(x) || Number.isNaN(x);
    case "int":
    case "uint":
      return wrap(to, typeof x === "number" ? truncated(to, x) : BigInt(x));
    default:
      return toFloat(to, x);
  }
}

/** Rounds a value to a floating point dtype. */
export function toFloat(to: DType, x: ScalarValue): number {
  if (to === "float64") return Number(x);
  const single = typeof x === "bigint" ? bigintToFloat32(x) : Math.fround(Number(x));
  if (to === "float32") return single;
  if (to === "float16") return roundToFloat16(single);
  if (to === "bfloat16" || !isSmallFloat(to)) return roundToBfloat16(single);
  return bitsToFloat(to, floatToBits(to, single));
}

/**
 * Rounds once; a conversion by way of float64 would round twice. The lost bits set a sticky bit, which keeps ties
 * apart.
 */
function bigintToFloat32(x: bigint): number {
  const magnitude = x < 0n ? -x : x;
  const sticky =
    magnitude >= 1n << 53n ? ((magnitude >> 12n) << 12n) | (magnitude & 0xfffn ? 1n << 12n : 0n) : magnitude;
  return Math.fround(Number(x < 0n ? -sticky : sticky));
}
