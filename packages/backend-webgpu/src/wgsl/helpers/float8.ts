/** Rounding to the nearest float of eight bits, ties to even. */
export const FLOAT8 = {
  // A value that is too large becomes the largest number.
  round_e4m3fn: `fn round_e4m3fn(x: f32) -> f32 {
  let b = bitcast<u32>(x);
  let m = b & 0x7fffffffu;
  let normal = min((m + 0x7ffffu + ((m >> 20u) & 1u)) & 0xfff00000u, 0x43e00000u);
  let small = bitcast<u32>(round(bitcast<f32>(m) * 512f) * 0.001953125f);
  return select(bitcast<f32>(select(normal, small, m < 0x3c800000u) | (b & 0x80000000u)), x, is_nan(x));
}`,
  round_e5m2: `fn round_e5m2(x: f32) -> f32 {
  let b = bitcast<u32>(x);
  let m = b & 0x7fffffffu;
  let r = (m + 0xfffffu + ((m >> 21u) & 1u)) & 0xffe00000u;
  let normal = select(r, 0x7f800000u, r > 0x47600000u);
  let small = bitcast<u32>(round(bitcast<f32>(m) * 65536f) * 1.52587890625e-5f);
  return select(bitcast<f32>(select(normal, small, m < 0x38800000u) | (b & 0x80000000u)), x, is_nan(x));
}`,
} as const;
