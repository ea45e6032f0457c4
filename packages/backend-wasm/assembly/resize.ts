/**
 * Resamples the middle axis of [outer, inLength, inner]: element (o, j, i) of the output is the weighted sum over
 * `taps` t of element (o, index[j][t], i) of the input. Computes `count` lines (o, j) from `start` on. `tables` holds the
 * indices (i32 [outLength][taps]) and behind them the weights (f32, same shape). One tap copies.
 */
export function resizeAxis(
  input: usize,
  output: usize,
  start: i32,
  count: i32,
  inLength: i32,
  outLength: i32,
  inner: i32,
  taps: i32,
  tables: usize,
): void {
  const line = <usize>inner << 2;
  const whole = line & ~15;
  const toWeight = (<usize>outLength * <usize>taps) << 2;
  let j = start % outLength;
  let p = input + <usize>(start / outLength) * <usize>inLength * line;
  let q = output + <usize>start * line;
  for (let i = 0; i < count; i++, q += line) {
    const entry = tables + ((<usize>j * <usize>taps) << 2);
    if (taps == 1) copyLine(p + <usize>load<i32>(entry) * line, q, line);
    else if (taps == 2) twoTaps(p, entry, toWeight, line, whole, q);
    else manyTaps(p, entry, toWeight, taps, line, whole, q);
    if (++j == outLength) j = 0, p += <usize>inLength * line;
  }
}

@inline
function copyLine(src: usize, dst: usize, bytes: usize): void {
  const end = dst + bytes;
  for (const last = dst + (bytes & ~15); dst < last; dst += 16, src += 16) v128.store(dst, v128.load(src));
  for (; dst < end; dst += 4, src += 4) store<f32>(dst, load<f32>(src));
}

@inline
function twoTaps(input: usize, entry: usize, toWeight: usize, line: usize, whole: usize, dst: usize): void {
  const p = input + <usize>load<i32>(entry) * line;
  const q = input + <usize>load<i32>(entry, 4) * line;
  const a = load<f32>(entry + toWeight);
  const b = load<f32>(entry + toWeight, 4);
  const av = f32x4.splat(a);
  const bv = f32x4.splat(b);
  let at: usize = 0;
  for (; at < whole; at += 16) {
    v128.store(dst + at, f32x4.add(f32x4.mul(v128.load(p + at), av), f32x4.mul(v128.load(q + at), bv)));
  }
  for (; at < line; at += 4) store<f32>(dst + at, load<f32>(p + at) * a + load<f32>(q + at) * b);
}

@inline
function manyTaps(
  input: usize,
  entry: usize,
  toWeight: usize,
  taps: i32,
  line: usize,
  whole: usize,
  dst: usize,
): void {
  const end = entry + (<usize>taps << 2);
  let at: usize = 0;
  for (; at < whole; at += 16) {
    let sum = f32x4.splat(0);
    for (let e = entry; e < end; e += 4) {
      const x = v128.load(input + <usize>load<i32>(e) * line + at);
      sum = f32x4.add(sum, f32x4.mul(x, v128.load32_splat(e + toWeight)));
    }
    v128.store(dst + at, sum);
  }
  for (; at < line; at += 4) {
    let sum: f32 = 0;
    for (let e = entry; e < end; e += 4) sum += load<f32>(input + <usize>load<i32>(e) * line + at) * load<f32>(e + toWeight);
    store<f32>(dst + at, sum);
  }
}
