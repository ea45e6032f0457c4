import type { DType } from "./dtype.ts";

/** Floating-point dtypes without a JavaScript typed array; their tensors hold raw bits. */
export type SmallFloat =
  | "float16"
  | "bfloat16"
  | "float8_e4m3fn"
  | "float8_e5m2"
  | "float8_e4m3fnuz"
  | "float8_e5m2fnuz"
  | "float8_e8m0fnu";

interface Format {
  readonly bytes: 1 | 2;
  readonly mantissa: number;
  readonly bias: number;
  /** Bits of the largest finite number. */
  readonly largest: number;
  /** The bits that larger numbers become. */
  readonly overflow: number;
  readonly nan: number;
  /** `fnuz` formats have one zero, and NaN where the negative one would be. */
  readonly signedZero: boolean;
}

type Signed = Exclude<SmallFloat, "float8_e8m0fnu">;

const FORMATS: Readonly<Record<Signed, Format>> = {
  float16: { bytes: 2, mantissa: 10, bias: 15, largest: 0x7bff, overflow: 0x7c00, nan: 0x7e00, signedZero: true },
  bfloat16: { bytes: 2, mantissa: 7, bias: 127, largest: 0x7f7f, overflow: 0x7f80, nan: 0x7fc0, signedZero: true },
  float8_e4m3fn: { bytes: 1, mantissa: 3, bias: 7, largest: 0x7e, overflow: 0x7e, nan: 0x7f, signedZero: true },
  float8_e5m2: { bytes: 1, mantissa: 2, bias: 15, largest: 0x7b, overflow: 0x7c, nan: 0x7f, signedZero: true },
  float8_e4m3fnuz: { bytes: 1, mantissa: 3, bias: 8, largest: 0x7f, overflow: 0x80, nan: 0x80, signedZero: false },
  float8_e5m2fnuz: { bytes: 1, mantissa: 2, bias: 16, largest: 0x7f, overflow: 0x80, nan: 0x80, signedZero: false },
};

/** Returns whether a dtype is one of {@link SmallFloat}. */
export function isSmallFloat(dtype: DType): dtype is SmallFloat {
  return dtype === "float8_e8m0fnu" || Object.hasOwn(FORMATS, dtype);
}

/** Converts bits to the number they represent, exactly. */
export function bitsToFloat(dtype: SmallFloat, bits: number): number {
  if (dtype === "float8_e8m0fnu") return bits === 0xff ? Number.NaN : 2 ** (bits - 127);
  const { bytes, mantissa, bias, largest, overflow, nan, signedZero } = FORMATS[dtype];
  const signBit = 1 << (8 * bytes - 1);
  if (!signedZero && bits === nan) return Number.NaN;
  const magnitude = bits & (signBit - 1);
  const sign = (bits & signBit) === 0 ? 1 : -1;
  if (magnitude > largest)
    return magnitude === overflow && overflow !== nan ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  const exponent = magnitude >> mantissa;
  const fraction = magnitude & ((1 << mantissa) - 1);
  const significand = exponent === 0 ? fraction : fraction + (1 << mantissa);
  return sign * significand * 2 ** (Math.max(1, exponent) - bias - mantissa);
}

/** Converts a number to bits, rounded once to nearest, ties to even; overflow is handled as PyTorch does. */
export function floatToBits(dtype: SmallFloat, value: number): number {
  if (dtype === "float8_e8m0fnu") return powerBits(value);
  const { bytes, mantissa, bias, largest, overflow, nan, signedZero } = FORMATS[dtype];
  if (Number.isNaN(value)) return nan;
  const negative = value < 0 || Object.is(value, -0);
  const magnitude = roundedMagnitude(Math.abs(value), mantissa, bias);
  if (magnitude > largest && !signedZero) return nan;
  const bits = magnitude > largest ? overflow : magnitude;
  if (bits === 0 && !signedZero) return 0;
  return negative ? bits | (1 << (8 * bytes - 1)) : bits;
}

const SCRATCH = new DataView(new ArrayBuffer(8));

/** The bits without the sign, of which none is lost in a double's upper word. A carry runs into the exponent, as it should. */
function roundedMagnitude(value: number, mantissa: number, bias: number): number {
  SCRATCH.setFloat64(0, value);
  const word = SCRATCH.getUint32(0);
  const exponent = (word >>> 20) - 1023;
  if (exponent > 1023) return Number.POSITIVE_INFINITY;
  // A product with a power of two is exact, so this rounds once.
  if (exponent < 1 - bias) return roundHalfEven(value * 2 ** (bias - 1 + mantissa));
  const lost = 20 - mantissa;
  const kept = word >>> lost;
  const rest = word & ((1 << lost) - 1);
  const half = 1 << (lost - 1);
  const goesUp = rest > half || (rest === half && ((kept & 1) === 1 || SCRATCH.getUint32(4) !== 0));
  return kept - ((1023 - bias) << mantissa) + (goesUp ? 1 : 0);
}

/** Rounds to an integer, ties to even; the sign of zero is kept. */
export function roundHalfEven(value: number): number {
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 52) return value;
  const floor = Math.floor(value);
  const rest = value - floor;
  const rounded = rest < 0.5 || (rest === 0.5 && floor % 2 === 0) ? floor : floor + 1;
  return rounded === 0 && (value < 0 || Object.is(value, -0)) ? -0 : rounded;
}

/** Converts to float8_e8m0fnu, which holds only powers of two; PyTorch drops the sign and rounds ties up. */
function powerBits(value: number): number {
  SCRATCH.setFloat32(0, value);
  const bits = SCRATCH.getUint32(0);
  const exponent = (bits >>> 23) & 0xff;
  if (exponent === 0xff) return 0xff;
  const half = 0x400000;
  const fraction = bits & 0x7fffff;
  return fraction > half || (fraction === half && exponent > 0) ? exponent + 1 : exponent;
}

/** Converts a tensor's bits to float32 numbers, exactly: float32 contains every small float. */
export function bitsToFloat32(dtype: SmallFloat, bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const width = dtype === "float16" || dtype === "bfloat16" ? 2 : 1;
  const numbers = new Float32Array(Math.floor(bytes.byteLength / width));
  if (dtype === "bfloat16") {
    const words = new Uint32Array(numbers.buffer);
    for (let i = 0; i < words.length; i++) words[i] = (bytes[2 * i]! << 16) | (bytes[2 * i + 1]! << 24);
    return numbers;
  }
  const table = tableOf(dtype);
  if (width === 1) for (let i = 0; i < numbers.length; i++) numbers[i] = table[bytes[i]!]!;
  else for (let i = 0; i < numbers.length; i++) numbers[i] = table[bytes[2 * i]! | (bytes[2 * i + 1]! << 8)]!;
  return numbers;
}

const TABLES = new Map<SmallFloat, Float32Array>();

function tableOf(dtype: SmallFloat): Float32Array {
  const held = TABLES.get(dtype);
  if (held !== undefined) return held;
  const table = Float32Array.from({ length: dtype === "float16" ? 65536 : 256 }, (_, bits) => bitsToFloat(dtype, bits));
  TABLES.set(dtype, table);
  return table;
}
