/**
 * WGSL that declares `divide(a, b)`: a quotient of numbers that are not zero, rounded as on a CPU. GPUs may be 2.5 units
 * in the last place off, where 21 / 7 is less than 3 and begins a bin one element early. What is missing is computed
 * from halves of 12 bits, whose products are exact, with or without fused multiplication (Dekker, 1971), and added.
 */
export const DIVIDE = `fn upper_half(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u); }
fn divide(a: f32, b: f32) -> f32 {
  let q = a / b;
  if (is_nan(q) || is_inf(q)) { return q; }
  let qh = upper_half(q);
  let ql = q - qh;
  let bh = upper_half(b);
  let bl = b - bh;
  let rest = ((a - qh * bh) - qh * bl - ql * bh) - ql * bl;
  return q + rest / b;
}
`;
