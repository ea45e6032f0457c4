/**
 * Products of matrices and vectors: out[b * outNext + r] is the sum of a[b * aNext + r * aRow + k] * x[b * xNext + k] over k < `k`, for each
 * b < `batch` and r < `rows`. Strides in elements.
 */
export function dotRows(
  batch: i32, rows: i32, k: i32, a: usize, aNext: i32, aRow: i32, x: usize, xNext: i32, out: usize, outNext: i32,
): void {
  rowsOf<f32>(batch, rows, k, a, aNext, aRow, x, xNext, out, outNext);
}

/** The same of float64. */
export function dotRowsDouble(
  batch: i32, rows: i32, k: i32, a: usize, aNext: i32, aRow: i32, x: usize, xNext: i32, out: usize, outNext: i32,
): void {
  rowsOf<f64>(batch, rows, k, a, aNext, aRow, x, xNext, out, outNext);
}

@inline
function rowsOf<T>(
  batch: i32, rows: i32, k: i32, a: usize, aNext: i32, aRow: i32, x: usize, xNext: i32, out: usize, outNext: i32,
): void {
  const size = sizeof<T>();
  for (; batch > 0; batch--, a += size * aNext, x += size * xNext, out += size * outNext) {
    for (let r = 0, p = a; r < rows; r++, p += size * aRow) store<T>(out + size * r, dot<T>(p, x, k));
  }
}

/** Sixteen floats at a time, or eight doubles. */
@inline
function dot<T>(p: usize, q: usize, k: i32): T {
  const lanes: i32 = 16 / sizeof<T>();
  let sum: T = 0;
  if (k >= lanes) {
    let s0 = v128.splat<T>(0), s1 = s0, s2 = s0, s3 = s0;
    for (; k >= 4 * lanes; k -= 4 * lanes, p += 64, q += 64) {
      s0 = v128.add<T>(s0, v128.mul<T>(v128.load(p), v128.load(q)));
      s1 = v128.add<T>(s1, v128.mul<T>(v128.load(p, 16), v128.load(q, 16)));
      s2 = v128.add<T>(s2, v128.mul<T>(v128.load(p, 32), v128.load(q, 32)));
      s3 = v128.add<T>(s3, v128.mul<T>(v128.load(p, 48), v128.load(q, 48)));
    }
    for (; k >= lanes; k -= lanes, p += 16, q += 16) s0 = v128.add<T>(s0, v128.mul<T>(v128.load(p), v128.load(q)));
    s0 = v128.add<T>(v128.add<T>(s0, s1), v128.add<T>(s2, s3));
    if (sizeof<T>() == 4) s0 = v128.add<T>(s0, v128.shuffle<u32>(s0, s0, 2, 3, 0, 1));
    sum = v128.extract_lane<T>(s0, 0) + v128.extract_lane<T>(s0, 1);
  }
  for (; k > 0; k--, p += sizeof<T>(), q += sizeof<T>()) sum += load<T>(p) * load<T>(q);
  return sum;
}

/**
 * Products of a few rows and matrices whose rows lie in order: out[b * outNext + r * n + i] is the sum of x[b * xNext + r * k + j] * a[b * aNext
 * + j * aRow + i] over j < `k` and of bias[r], if there is a bias, for each r < `rows` and i < `n`, limited to `lo` and `hi`. Four rows of the
 * matrix are read at a time. Strides in elements.
 */
export function dotColumns(
  batch: i32, rows: i32, n: i32, k: i32, a: usize, aNext: i32, aRow: i32, x: usize, xNext: i32, bias: usize,
  out: usize, outNext: i32, outRow: i32, lo: f32, hi: f32,
): void {
  columnsOf<f32>(batch, rows, n, k, a, aNext, aRow, x, xNext, bias, out, outNext, outRow, lo, hi);
}

/** The same of float64. */
export function dotColumnsDouble(
  batch: i32, rows: i32, n: i32, k: i32, a: usize, aNext: i32, aRow: i32, x: usize, xNext: i32, bias: usize,
  out: usize, outNext: i32, outRow: i32, lo: f64, hi: f64,
): void {
  columnsOf<f64>(batch, rows, n, k, a, aNext, aRow, x, xNext, bias, out, outNext, outRow, lo, hi);
}

/** Bytes of a row of results that stay in the first cache while they grow. */
@inline
const BLOCK: usize = 4096;

@inline
function columnsOf<T>(
  batch: i32, rows: i32, n: i32, k: i32, a: usize, aNext: i32, aRow: i32, x: usize, xNext: i32, bias: usize,
  out: usize, outNext: i32, outRow: i32, lo: T, hi: T,
): void {
  const size = sizeof<T>(), row = size * aRow, end = size * n;
  const clamps = lo != -Infinity || hi != Infinity;
  for (; batch > 0; batch--, a += size * aNext, x += size * xNext, out += size * outNext) {
    for (let start: usize = 0; start < end; start += BLOCK) {
      const bytes = min(BLOCK, end - start);
      for (let r = 0, at = x, to = out + start; r < rows; r++, to += size * outRow) {
        let i = 0, from = a + start;
        fill<T>(to, bytes, bias ? load<T>(bias + size * r) : 0);
        for (; i + 4 <= k; i += 4, from += 4 * row, at += 4 * size) addRows<T>(to, bytes, from, row, at);
        for (; i < k; i++, from += row, at += size) addRow<T>(to, bytes, from, load<T>(at));
        if (clamps) limit<T>(to, bytes, lo, hi);
      }
    }
  }
}

@inline
function fill<T>(to: usize, bytes: usize, value: T): void {
  const end = to + bytes;
  for (; to + 16 <= end; to += 16) v128.store(to, v128.splat<T>(value));
  for (; to < end; to += sizeof<T>()) store<T>(to, value);
}

@inline
function limit<T>(to: usize, bytes: usize, lo: T, hi: T): void {
  const end = to + bytes, low = v128.splat<T>(lo), high = v128.splat<T>(hi);
  for (; to + 16 <= end; to += 16) v128.store(to, v128.min<T>(v128.max<T>(v128.load(to), low), high));
  for (; to < end; to += sizeof<T>()) store<T>(to, min<T>(max<T>(load<T>(to), lo), hi));
}

@inline
function addRows<T>(to: usize, bytes: usize, r0: usize, row: usize, x: usize): void {
  const x0 = load<T>(x), x1 = load<T>(x, sizeof<T>()), x2 = load<T>(x, 2 * sizeof<T>()), x3 = load<T>(x, 3 * sizeof<T>());
  const r1 = r0 + row, r2 = r1 + row, r3 = r2 + row, end = to + bytes;
  const v0 = v128.splat<T>(x0), v1 = v128.splat<T>(x1), v2 = v128.splat<T>(x2), v3 = v128.splat<T>(x3);
  let at: usize = 0;
  for (; to + 16 <= end; to += 16, at += 16) {
    const low = v128.add<T>(v128.mul<T>(v128.load(r0 + at), v0), v128.mul<T>(v128.load(r1 + at), v1));
    const high = v128.add<T>(v128.mul<T>(v128.load(r2 + at), v2), v128.mul<T>(v128.load(r3 + at), v3));
    v128.store(to, v128.add<T>(v128.load(to), v128.add<T>(low, high)));
  }
  for (; to < end; to += sizeof<T>(), at += sizeof<T>()) {
    const low = load<T>(r0 + at) * x0 + load<T>(r1 + at) * x1;
    store<T>(to, load<T>(to) + (low + (load<T>(r2 + at) * x2 + load<T>(r3 + at) * x3)));
  }
}

@inline
function addRow<T>(to: usize, bytes: usize, from: usize, x: T): void {
  const end = to + bytes;
  const v = v128.splat<T>(x);
  for (; to + 16 <= end; to += 16, from += 16) v128.store(to, v128.add<T>(v128.load(to), v128.mul<T>(v128.load(from), v)));
  for (; to < end; to += sizeof<T>(), from += sizeof<T>()) store<T>(to, load<T>(to) + load<T>(from) * x);
}
