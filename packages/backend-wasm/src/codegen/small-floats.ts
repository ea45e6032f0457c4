// Floats of 16 and 8 bits, which WebAssembly lacks, as bits in i32x4.
import type { DType } from "@pt2/format";
import type { Node, NodeGraph } from "./nodes.ts";

/** What the bits of a float16 were encoded from. */
const ENCODED = new WeakMap<Node, Node>();

/** Decodes the bits of a small float to float32, exactly. */
export function decode(g: NodeGraph, dtype: DType, bits: Node): Node {
  const from = dtype === "float16" ? ENCODED.get(bits) : undefined;
  if (from !== undefined) return roundFloat16(g, from);
  if (dtype === "bfloat16") return g.op("i32x4.shl", bits, g.i32(16));
  if (dtype === "float8_e4m3fn") return decodeE4m3fn(g, bits);
  // The other float8 is the upper byte of a float16.
  return decodeFloat16(g, dtype === "float8_e5m2" ? g.op("i32x4.shl", bits, g.i32(8)) : bits);
}

function decodeFloat16(g: NodeGraph, bits: Node): Node {
  const magnitude = g.op("v128.and", bits, g.i32x4(0x7fff));
  const sign = g.op("i32x4.shl", g.op("v128.xor", bits, magnitude), g.i32(16));
  // Multiplying moves the exponent to its new bias and normalizes what was denormal.
  const value = g.op("f32x4.mul", g.op("i32x4.shl", magnitude, g.i32(13)), g.f32x4(2 ** 112));
  const special = g.op("v128.and", g.op("i32x4.gt_s", magnitude, g.i32x4(0x7bff)), g.i32x4(0x7f800000));
  return g.op("v128.or", g.op("v128.or", value, special), sign);
}

/** Returns the nearest float16 as float32: what encoding and decoding would give, in less than half of the operations. */
function roundFloat16(g: NodeGraph, x: Node): Node {
  const magnitude = g.op("v128.and", x, g.i32x4(0x7fffffff));
  const exponent = g.op("i32x4.max_s", g.op("v128.and", x, g.i32x4(0x7f800000)), g.i32x4(113 << 23));
  // As in `encode`, but one and a half times the power, which numbers of both signs leave between the same powers of two.
  const power = g.op("i32x4.add", exponent, g.i32x4((13 << 23) + (1 << 22)));
  const places = g.op("f32x4.sub", g.op("f32x4.add", x, power), power);
  // What became zero has the sign that it had.
  const rounded = g.op("v128.or", places, g.op("v128.xor", x, magnitude));
  const isBeyond = g.op("i32x4.gt_s", magnitude, g.i32x4(0x477fefff));
  return g.op("v128.bitselect", g.op("f32x4.mul", x, g.f32x4(Number.POSITIVE_INFINITY)), rounded, isBeyond);
}

/** Decodes a float8 without infinities: its largest bits are NaN. */
function decodeE4m3fn(g: NodeGraph, bits: Node): Node {
  const magnitude = g.op("v128.and", bits, g.i32x4(0x7f));
  const sign = g.op("i32x4.shl", g.op("v128.xor", bits, magnitude), g.i32(24));
  const value = g.op("f32x4.mul", g.op("i32x4.shl", magnitude, g.i32(20)), g.f32x4(2 ** 120));
  const special = g.op("v128.and", g.op("i32x4.eq", magnitude, g.i32x4(0x7f)), g.i32x4(0x7fc00000));
  return g.op("v128.or", g.op("v128.or", value, special), sign);
}

/**
 * How a float8 is rounded from a float32: the bits that are dropped, the difference of the biases, and what exceeds the
 * largest number.
 */
const FLOAT8 = {
  float8_e4m3fn: { dropped: 20, rebias: 120, unit: 2 ** -9, overflow: 0x7e },
  float8_e5m2: { dropped: 21, rebias: 112, unit: 2 ** -16, overflow: 0x7c },
} as const;

/**
 * Returns the bits of the nearest float8, ties to even. A value that is too large becomes the largest e4m3fn, or an
 * infinite e5m2.
 */
function encodeFloat8(g: NodeGraph, dtype: keyof typeof FLOAT8, x: Node): Node {
  const { dropped, rebias, unit, overflow } = FLOAT8[dtype];
  const magnitude = g.op("v128.and", x, g.i32x4(0x7fffffff));
  const sign = g.op("i32x4.shr_u", g.op("v128.xor", x, magnitude), g.i32(24));
  const biased = g.op("i32x4.add", magnitude, g.i32x4(-(rebias << 23) + 2 ** (dropped - 1) - 1));
  const rounded = g.op("i32x4.add", biased, isOdd(g, dropped, magnitude));
  const normal = g.op("i32x4.shr_u", rounded, g.i32(dropped));
  // For a denormal, adding the number whose last place is the unit leaves the result in the low bits.
  const added = g.f32x4(unit * 2 ** 23);
  const small = g.op("i32x4.sub", g.op("f32x4.add", magnitude, added), added);
  const finite = g.op("v128.bitselect", small, normal, g.op("i32x4.lt_s", magnitude, g.i32x4((rebias + 1) << 23)));
  const bits = g.op("v128.or", g.op("i32x4.min_s", finite, g.i32x4(overflow)), sign);
  return g.op("v128.bitselect", g.i32x4(0x7f), bits, g.op("f32x4.ne", x, x));
}

function isOdd(g: NodeGraph, shift: number, bits: Node): Node {
  return g.op("v128.and", g.op("i32x4.shr_u", bits, g.i32(shift)), g.i32x4(1));
}

/** Returns the bits of the nearest small float, ties to even. */
export function encode(g: NodeGraph, dtype: DType, x: Node): Node {
  if (dtype === "float8_e4m3fn" || dtype === "float8_e5m2") return encodeFloat8(g, dtype, x);
  if (dtype === "bfloat16") {
    const rounded = g.op("i32x4.add", g.op("i32x4.add", x, g.i32x4(0x7fff)), isOdd(g, 16, x));
    const bits = g.op("i32x4.shr_u", rounded, g.i32(16));
    return g.op("v128.bitselect", g.i32x4(0x7fc0), bits, g.op("f32x4.ne", x, x));
  }
  const magnitude = g.op("v128.and", x, g.i32x4(0x7fffffff));
  const sign = g.op("i32x4.shr_u", g.op("v128.xor", x, magnitude), g.i32(16));
  // What is too large is infinite, as 2^16 is.
  const limited = g.op("i32x4.min_s", magnitude, g.i32x4(0x47800000));
  const exponent = g.op("i32x4.max_s", g.op("v128.and", limited, g.i32x4(0x7f800000)), g.i32x4(113 << 23));
  // Added to a power of two that is 2^13 times as large as its own, or as that of the least normal float16, a number is rounded to a
  // multiple of a float16's last place, and how many there are of it is in the low bits.
  const power = g.op("i32x4.add", exponent, g.i32x4(13 << 23));
  const places = g.op("i32x4.sub", g.op("f32x4.add", limited, power), power);
  const rebiased = g.op("i32x4.sub", g.op("i32x4.shr_u", exponent, g.i32(13)), g.i32x4(113 << 10));
  const notNumber = g.op("v128.and", g.op("i32x4.gt_s", magnitude, g.i32x4(0x7f800000)), g.i32x4(0x200));
  const bits = g.op("v128.or", g.op("v128.or", g.op("i32x4.add", rebiased, places), notNumber), sign);
  ENCODED.set(bits, x);
  return bits;
}
