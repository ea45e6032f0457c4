import type { Shader } from "@pt2/backend-webgpu";
import { thresholdOf } from "./threshold.ts";

/**
 * Returns WGSL that declares `overlaps(a, area of a, b, area of b)`: whether the intersection of two boxes, divided by their
 * union, is more than `threshold`, as float32 arithmetic on a CPU finds it. A box with NaN overlaps none.
 *
 * Sums and products are kept apart, so that no compiler fuses or reorders them. No quotient is computed, since GPUs do not
 * round it as CPUs do. What remains is that a GPU may take numbers below 2^-126 for zero: areas, that is.
 */
export function declareOverlaps(shader: Shader, threshold: number): string {
  const head = "fn overlaps(a: vec4<f32>, area_a: f32, b: vec4<f32>, area_b: f32) -> bool {";
  // No quotient is more than 1: the intersection is in each of the boxes. NaN is exceeded by nothing.
  if (!(threshold < 1)) return `${head} return false; }\n`;
  shader.u32("zero", 0);
  // A quotient that is a number is 0 or more.
  if (threshold < 0) return `${PARTS}${head} ${WHOLE} return !is_nan(whole) && whole != 0f; }\n`;
  const { low, high, mantissa, exponent } = thresholdOf(threshold);
  shader.f32("low", low).f32("high", high);
  shader.u32("mantissa", mantissa).i32("exponent", exponent);
  return `${PARTS}${EXCEEDS}${head}
  ${WHOLE}
  if (inner <= 0f || (bitcast<u32>(whole) & 0x7f800000u) == 0x7f800000u || inner < p.low * whole) { return false; }
  return inner > p.high * whole || exceeds(bitcast<u32>(inner), bitcast<u32>(whole));
}
`;
}

const WHOLE = `let size = max(min(a.zw, b.zw) - max(a.xy, b.xy), vec2<f32>());
  let inner = apart(size.x * size.y);
  let whole = apart(area_a + area_b) - inner;`;

const PARTS = "fn apart(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ p.zero); }\n";

/**
 * `exceeds(x, y)`: whether x > threshold · y, for bits of two positive floats. Both sides are integers of 24 and 49 bits here,
 * times a power of two: where they are about equal, the 24 last bits of the larger one decide nothing.
 */
const EXCEEDS = `fn exceeds(x: u32, y: u32) -> bool {
  let shift = i32(x >> 23u) - i32(y >> 23u) - p.exponent - 24;
  if (shift < 0 || shift > 8) { return shift > 0; }
  let m = (x & 0x7fffffu) | 0x800000u;
  let n = (y & 0x7fffffu) | 0x800000u;
  // The product in parts of 12 bits.
  let cross = (n >> 12u) * (p.mantissa & 0xfffu) + (n & 0xfffu) * (p.mantissa >> 12u);
  let low = (n & 0xfffu) * (p.mantissa & 0xfffu) + ((cross & 0xfffu) << 12u);
  let high = (n >> 12u) * (p.mantissa >> 12u) + (cross >> 12u) + (low >> 24u);
  return (m << u32(shift)) > high;
}
`;
