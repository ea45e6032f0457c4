/**
 * Resamples the middle axis of [outer, length, inner]: element (o, j, i) of the output is the weighted sum over
 * `counts[j]` (i32) elements (o, starts[j] + t, i) of the input, in order. Computes `count` lines (o, j) from `start` on. `weights`
 * has `taps` doubles for each j.
 */
export function resizeDoubles(
  input: usize, output: usize, start: i32, count: i32, length: i32, outLength: i32, inner: i32, taps: i32,
  starts: usize, counts: usize, weights: usize,
): void {
  const line = <usize>inner << 3;
  let j = start % outLength;
  let image = input + <usize>(start / outLength) * <usize>length * line;
  let q = output + <usize>start * line;
  for (let i = 0; i < count; i++, q += line) {
    const p = image + <usize>load<i32>(starts + (<usize>j << 2)) * line;
    const end = weights + ((<usize>j * <usize>taps) << 3), last = end + (<usize>load<i32>(counts + (<usize>j << 2)) << 3);
    let at: usize = 0;
    for (; at + 16 <= line; at += 16) {
      let sum = f64x2.mul(v128.load(p + at), v128.load64_splat(end));
      for (let w = end + 8, from = p + at + line; w < last; w += 8, from += line) {
        sum = f64x2.add(sum, f64x2.mul(v128.load(from), v128.load64_splat(w)));
      }
      v128.store(q + at, sum);
    }
    if (at < line) {
      let sum = load<f64>(p + at) * load<f64>(end);
      for (let w = end + 8, from = p + at + line; w < last; w += 8, from += line) sum += load<f64>(from) * load<f64>(w);
      store<f64>(q + at, sum);
    }
    if (++j == outLength) j = 0, image += <usize>length * line;
  }
}
