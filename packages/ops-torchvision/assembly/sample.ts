// Samples of a feature map whose channels lie side by side.

/** Adds `a · p + b · q + c · r + d · s` to `to`, each of `count` floats. */
@inline
export function addSample(
  to: usize,
  count: i32,
  p: usize,
  q: usize,
  r: usize,
  s: usize,
  a: f32,
  b: f32,
  c: f32,
  d: f32,
): void {
  const va = f32x4.splat(a), vb = f32x4.splat(b), vc = f32x4.splat(c), vd = f32x4.splat(d);
  const whole = <usize>(count & ~3) << 2, end = <usize>count << 2;
  let i: usize = 0;
  for (; i < whole; i += 16) {
    const one = f32x4.add(f32x4.mul(va, v128.load(p + i)), f32x4.mul(vb, v128.load(q + i)));
    const two = f32x4.add(f32x4.mul(vc, v128.load(r + i)), f32x4.mul(vd, v128.load(s + i)));
    v128.store(to + i, f32x4.add(v128.load(to + i), f32x4.add(one, two)));
  }
  for (; i < end; i += 4) {
    const sum = a * load<f32>(p + i) + b * load<f32>(q + i) + c * load<f32>(r + i) + d * load<f32>(s + i);
    store<f32>(to + i, load<f32>(to + i) + sum);
  }
}
