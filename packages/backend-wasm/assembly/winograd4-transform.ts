// Winograd F(4x4, 3x3): the transforms of one tile, SIMD along channels. The points are 0, ±√½, ±√2 and infinity: their
// rounding errors are five times smaller than those of the usual 0, ±1, ±2 and infinity, for the same work. There are at least
// four channels: the last vector begins early enough to end with them.
import { clamp } from "./conv-vector";
import { floats } from "./conv-window";

const HALF_ROOT: f32 = 0.7071067811865476;
const ROOT: f32 = 1.4142135623730951;

@inline
function times(x: v128, factor: f32): v128 {
  return f32x4.mul(x, f32x4.splat(factor));
}

/** Six rows of B^T applied to six vectors, stored `step` bytes apart. */
@inline
function inputLine(d0: v128, d1: v128, d2: v128, d3: v128, d4: v128, d5: v128, dst: usize, step: usize): void {
  const even = f32x4.sub(d4, times(d2, 2));
  const odd = times(f32x4.sub(d3, times(d1, 2)), HALF_ROOT);
  const near = f32x4.sub(d4, times(d2, 0.5));
  const far = times(f32x4.sub(d3, times(d1, 0.5)), ROOT);
  v128.store(dst, f32x4.add(f32x4.sub(d0, times(d2, 2.5)), d4));
  v128.store((dst += step), f32x4.add(even, odd));
  v128.store((dst += step), f32x4.sub(even, odd));
  v128.store((dst += step), f32x4.add(near, far));
  v128.store((dst += step), f32x4.sub(near, far));
  v128.store(dst + step, f32x4.add(f32x4.sub(d1, times(d3, 2.5)), d5));
}

/** B^T d B of one tile: pixels from the pointer table, the result to 36 planes `step` bytes apart. */
export function inputTile(table: usize, channels: i32, line: usize, dst: usize, step: usize): void {
  for (let at: usize = 0, end = floats(channels); at < end; at += 16) {
    at = min(at, end - 16);
    for (let j: usize = 0; j < 6; j++) {
      const p = table + (j << 2);
      inputLine(
        v128.load(load<usize>(p) + at),
        v128.load(load<usize>(p, 24) + at),
        v128.load(load<usize>(p, 48) + at),
        v128.load(load<usize>(p, 72) + at),
        v128.load(load<usize>(p, 96) + at),
        v128.load(load<usize>(p, 120) + at),
        line + (j << 4),
        96,
      );
    }
    let q = line;
    for (let out = dst + at, end = out + 36 * step; out < end; out += 6 * step, q += 96) {
      inputLine(
        v128.load(q),
        v128.load(q, 16),
        v128.load(q, 32),
        v128.load(q, 48),
        v128.load(q, 64),
        v128.load(q, 80),
        out,
        step,
      );
    }
  }
}

// Rows 1 to 3 of A^T, of the sums and differences of the points ±√½ (12) and ±√2 (34).
@inline
function line1(d12: v128, d34: v128): v128 {
  return times(f32x4.add(d12, f32x4.add(d34, d34)), HALF_ROOT);
}

@inline
function line2(s12: v128, s34: v128): v128 {
  return f32x4.add(times(s12, 0.5), f32x4.add(s34, s34));
}

@inline
function line3(d12: v128, d34: v128): v128 {
  return times(f32x4.add(times(d12, 0.5), times(d34, 4)), HALF_ROOT);
}

/** A^T m A of one tile, bias and clamp: `rows` x `columns` pixels of the output at `dst`, `pixel` bytes apart; `line` holds 24 vectors. */
export function outputTile(
  src: usize,
  step: usize,
  channels: i32,
  line: usize,
  bias: usize,
  dst: usize,
  pixel: usize,
  rowBytes: usize,
  rows: i32,
  columns: i32,
  lo: v128,
  hi: v128,
): void {
  for (let at: usize = 0, end = floats(channels); at < end; at += 16) {
    at = min(at, end - 16);
    // First along the rows of the tile: plane (i, j) becomes line[row][j].
    for (let j: usize = 0; j < 6; j++) {
      const p = src + at + j * step;
      const m1 = v128.load(p + 6 * step);
      const m2 = v128.load(p + 12 * step);
      const m3 = v128.load(p + 18 * step);
      const m4 = v128.load(p + 24 * step);
      const s12 = f32x4.add(m1, m2);
      const d12 = f32x4.sub(m1, m2);
      const s34 = f32x4.add(m3, m4);
      const d34 = f32x4.sub(m3, m4);
      const q = line + (j << 4);
      v128.store(q, f32x4.add(f32x4.add(v128.load(p), s12), s34));
      v128.store(q, line1(d12, d34), 96);
      v128.store(q, line2(s12, s34), 192);
      v128.store(q, f32x4.add(line3(d12, d34), v128.load(p + 30 * step)), 288);
    }
    const b = bias ? v128.load(bias + at) : f32x4.splat(0);
    let q = line;
    let out = dst + at;
    for (let row = 0; row < rows; row++, q += 96, out += rowBytes) {
      const m1 = v128.load(q, 16);
      const m2 = v128.load(q, 32);
      const m3 = v128.load(q, 48);
      const m4 = v128.load(q, 64);
      const s12 = f32x4.add(m1, m2);
      const d12 = f32x4.sub(m1, m2);
      const s34 = f32x4.add(m3, m4);
      const d34 = f32x4.sub(m3, m4);
      const first = f32x4.add(f32x4.add(v128.load(q), s12), s34);
      v128.store(out, clamp(f32x4.add(first, b), lo, hi));
      if (columns > 1) v128.store(out + pixel, clamp(f32x4.add(line1(d12, d34), b), lo, hi));
      if (columns > 2) v128.store(out + 2 * pixel, clamp(f32x4.add(line2(s12, s34), b), lo, hi));
      if (columns > 3) {
        const last = f32x4.add(line3(d12, d34), v128.load(q, 80));
        v128.store(out + 3 * pixel, clamp(f32x4.add(last, b), lo, hi));
      }
    }
  }
}
