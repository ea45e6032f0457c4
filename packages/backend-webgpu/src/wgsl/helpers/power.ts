import { polynomial } from "../literal.ts";
import type { Helpers } from "./helper-declarations.ts";

/** (log(x) / 2s - 1 - s²/3) / s⁴ in s² for s = (x - 1) / (x + 1). */
const LOG_SERIES = [
  6.0000002384e-1, 4.2857143283e-1, 3.3333334327e-1, 2.7272811532e-1, 2.3066075146e-1, 2.0697501302e-1,
];

// The built-in pow multiplies a rounded logarithm: it is far off where the result is large, and unspecified for
// negative bases.
export const POWER: Helpers = {
  high_part: "fn high_part(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u); }",
  // log2 of a positive finite float, given its bits, in two floats: after FreeBSD's e_powf.c. Products of high parts
  // are exact, with or without fused multiplication.
  log2_pair: `fn log2_pair(bits: u32) -> vec2<f32> {
  let denormal = bits < 0x800000u;
  let b = select(bits, bitcast<u32>(f32(bits)), denormal);
  let j = b & 0x7fffffu;
  let wide = j > 0x1cc471u && j < 0x5db3d7u;
  let above = j >= 0x5db3d7u;
  let n = f32(b >> 23u) - select(127f, 276f, denormal) + select(0f, 1f, above);
  let m = (j | 0x3f800000u) - select(0u, 0x800000u, above);
  let a = bitcast<f32>(m);
  let base = select(1f, 1.5f, wide);
  let numerator = a - base;
  let inverse = 1f / (a + base);
  let s = numerator * inverse;
  let sh = high_part(s);
  let dh = bitcast<f32>((((m >> 1u) & 0xfffff000u) | 0x20000000u) + 0x400000u + select(0u, 0x200000u, wide));
  let dl = a - (dh - base);
  let sl = inverse * ((numerator - sh * dh) - sh * dl);
  let z = s * s;
  let r = z * z * ${polynomial("z", LOG_SERIES)} + sl * (sh + s);
  let q = sh * sh;
  let th = high_part(3f + q + r);
  let tl = r - ((th - 3f) - q);
  let u = sh * th;
  let v = sl * th + tl * s;
  let ph = high_part(u + v);
  let pl = v - (ph - u);
  let zh = 9.6191406250e-1f * ph;
  let zl = -1.1736857402e-4f * ph + pl * 9.6179670095e-1f + select(0f, 1.56322085e-6f, wide);
  let whole = select(0f, 5.84960938e-1f, wide);
  let high = high_part(((zh + zl) + whole) + n);
  return vec2<f32>(high, zl - (((high - n) - whole) - zh));
}`,
  pow_f32: `fn pow_f32(x: f32, y: f32) -> f32 {
  let bx = bitcast<u32>(x);
  let by = bitcast<u32>(y);
  let a = bx & 0x7fffffffu;
  let b = by & 0x7fffffffu;
  if (b == 0u || bx == 0x3f800000u) { return 1f; }
  if (by == 0x3f800000u) { return x; }
  if (a > 0x7f800000u || b > 0x7f800000u) { return f32_bits(0x7fc00000u); }
  if (b == 0x7f800000u) {
    if (a == 0x3f800000u) { return 1f; }
    return f32_bits(select(0u, 0x7f800000u, (a > 0x3f800000u) == (by == b)));
  }
  let small = b < 0x4b800000u;
  let integer = !small || y == trunc(y);
  let odd = small && integer && (i32(y) & 1i) == 1i;
  let sign = select(0u, bx & 0x80000000u, odd);
  if (a == 0u || a == 0x7f800000u) { return f32_bits(sign | select(0u, 0x7f800000u, (a != 0u) == (by == b))); }
  if (a != bx && !integer) { return f32_bits(0x7fc00000u); }
  let log = log2_pair(a);
  let yh = high_part(y);
  let low = (y - yh) * log.x + y * log.y;
  let high = yh * log.x;
  let z = high + low;
  if (z >= 128f) { return f32_bits(sign | 0x7f800000u); }
  if (z < -150f) { return f32_bits(sign); }
  let n = round(z);
  return f32_bits(sign | bitcast<u32>(scale_f32(exp2((high - n) + low), i32(n))));
}`,
};
