// 16-bit floats, which WebAssembly does not know, as bits in i32x4.
import type { DType } from "@pt2/format";
import type { Node, NodeGraph } from "./nodes.ts";

/** float32 from the bits of a float16 or bfloat16, exactly. */
export function decodeHalf(g: NodeGraph, dtype: DType, bits: Node): Node {
  if (dtype === "bfloat16") return g.op("i32x4.shl", bits, g.i32(16));
  const magnitude = g.op("v128.and", bits, g.i32x4(0x7fff));
  const sign = g.op("i32x4.shl", g.op("v128.xor", bits, magnitude), g.i32(16));
  // Multiplying moves the exponent to its new bias and normalises what was denormal.
  const value = g.op("f32x4.mul", g.op("i32x4.shl", magnitude, g.i32(13)), g.f32x4(2 ** 112));
  const special = g.op("v128.and", g.op("i32x4.gt_s", magnitude, g.i32x4(0x7bff)), g.i32x4(0x7f800000));
  return g.op("v128.or", g.op("v128.or", value, special), sign);
}

/** Bits of the nearest float16 or bfloat16, ties to even. */
export function encodeHalf(g: NodeGraph, dtype: DType, x: Node): Node {
  const odd = (shift: number, of: Node): Node => g.op("v128.and", g.op("i32x4.shr_u", of, g.i32(shift)), g.i32x4(1));
  if (dtype === "bfloat16") {
    const rounded = g.op("i32x4.add", g.op("i32x4.add", x, g.i32x4(0x7fff)), odd(16, x));
    const bits = g.op("i32x4.shr_u", rounded, g.i32(16));
    return g.op("v128.bitselect", g.i32x4(0x7fc0), bits, g.op("f32x4.ne", x, x));
  }
  const magnitude = g.op("v128.and", x, g.i32x4(0x7fffffff));
  const sign = g.op("i32x4.shr_u", g.op("v128.xor", x, magnitude), g.i32(16));
  // Normal: the exponent is rebiased and half of the last place added, as an even last place needs a little less.
  const biased = g.op("i32x4.add", magnitude, g.i32x4((-112 << 23) + 0xfff));
  const normal = g.op("i32x4.shr_u", g.op("i32x4.add", biased, odd(13, magnitude)), g.i32(13));
  // Denormal: adding one half leaves the result in the low bits, rounded by the addition.
  const small = g.op("i32x4.sub", g.op("f32x4.add", magnitude, g.f32x4(0.5)), g.i32x4(0x3f000000));
  const finite = g.op("v128.bitselect", small, normal, g.op("i32x4.lt_s", magnitude, g.i32x4(113 << 23)));
  const notNumber = g.op("i32x4.gt_s", magnitude, g.i32x4(0x7f800000));
  const special = g.op("v128.bitselect", g.i32x4(0x7e00), g.i32x4(0x7c00), notNumber);
  const large = g.op("i32x4.gt_s", magnitude, g.i32x4(0x477fffff));
  return g.op("v128.or", g.op("v128.bitselect", special, finite, large), sign);
}
