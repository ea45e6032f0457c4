// Reductions over a dimension that has others inside it: [outer, n, inner] to [outer, inner].

@inline
const SUM: i32 = 0;
@inline
const MAX: i32 = 1;
@inline
const MIN: i32 = 2;
/** Rows that are summed before their sum joins the sum of the others: two short sums err less than a long one. */
const SUM_BLOCK: i32 = 128;

/** dst[o, i] = sum over n of src[o, n, i], / divisor. */
export function sumColumns(src: usize, dst: usize, outer: i32, n: i32, inner: i32, divisor: f32): void {
  columns(SUM, src, dst, outer, n, inner, divisor);
}

/** dst[o, i] = the largest src[o, n, i], NaN when there is one. */
export function maxColumns(src: usize, dst: usize, outer: i32, n: i32, inner: i32): void {
  columns(MAX, src, dst, outer, n, inner, 1);
}

/** dst[o, i] = the smallest src[o, n, i], NaN when there is one. */
export function minColumns(src: usize, dst: usize, outer: i32, n: i32, inner: i32): void {
  columns(MIN, src, dst, outer, n, inner, 1);
}

@inline
function columns(op: i32, src: usize, dst: usize, outer: i32, n: i32, inner: i32, divisor: f32): void {
  const row = <usize>inner << 2;
  for (let o = 0; o < outer; o++, src += <usize>n * row) {
    let i = 0;
    let p = src;
    for (; i + 8 <= inner; i += 8, p += 32, dst += 32) eight(op, p, dst, n, row, divisor);
    for (; i < inner; i++, p += 4, dst += 4) one(op, p, dst, n, row, divisor);
  }
}

@inline
function eight(op: i32, src: usize, dst: usize, n: i32, row: usize, divisor: f32): void {
  const start = f32x4.splat(op == SUM ? 0 : op == MAX ? -Infinity : Infinity);
  const zero = f32x4.splat(0);
  let a = start, b = start, nanA = zero, nanB = zero;
  for (; n > 0; n -= SUM_BLOCK) {
    let x = start, y = start;
    for (let left = min(n, SUM_BLOCK); left > 0; left--, src += row) {
      const p = v128.load(src), q = v128.load(src, 16);
      x = merge(op, x, p);
      y = merge(op, y, q);
      if (op != SUM) {
        nanA = v128.or(nanA, f32x4.ne(p, p));
        nanB = v128.or(nanB, f32x4.ne(q, q));
      }
    }
    a = merge(op, a, x);
    b = merge(op, b, y);
  }
  if (op == SUM) {
    a = f32x4.div(a, f32x4.splat(divisor));
    b = f32x4.div(b, f32x4.splat(divisor));
  }
  // A lane that is all ones is a NaN.
  v128.store(dst, v128.or(a, nanA));
  v128.store(dst, v128.or(b, nanB), 16);
}

/** Without NaN in either, or with one in a sum. */
@inline
function merge(op: i32, x: v128, y: v128): v128 {
  if (op == SUM) return f32x4.add(x, y);
  return op == MAX ? f32x4.pmax(x, y) : f32x4.pmin(x, y);
}

@inline
function one(op: i32, src: usize, dst: usize, n: i32, row: usize, divisor: f32): void {
  if (op == SUM) {
    let sum: f64 = 0;
    for (; n > 0; n--, src += row) sum += load<f32>(src);
    store<f32>(dst, <f32>(sum / divisor));
  } else {
    let most: f32 = op == MAX ? -Infinity : Infinity;
    for (; n > 0; n--, src += row) {
      const x = load<f32>(src);
      most = op == MAX ? max<f32>(most, x) : min<f32>(most, x);
    }
    store<f32>(dst, most);
  }
}
