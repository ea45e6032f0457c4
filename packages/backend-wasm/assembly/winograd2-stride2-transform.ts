// Winograd's algorithm for stride 2: the transforms of one tile of 2x2 outputs from 5x5 pixels, SIMD along channels, of which
// there are at least four. Along each axis the taps 0 and 2 meet pixels of even index only, as in F(2, 2), and tap 1 the others:
//   y0 = (d0 - d2) w0 + d2 (w0 + w2) + d1 w1
//   y1 = d2 (w0 + w2) + (d4 - d2) w2 + d3 w1
import { clamp } from "./conv-vector";
import { floats } from "./conv-window";

/** Where the five points of a column or row go. */
@inline
function points(d0: v128, d1: v128, d2: v128, d3: v128, d4: v128, to: usize, step: usize): void {
  v128.store(to, f32x4.sub(d0, d2));
  v128.store(to + step, d2);
  v128.store(to + 2 * step, f32x4.sub(d4, d2));
  v128.store(to + 3 * step, d1);
  v128.store(to + 4 * step, d3);
}

/** The points of one tile: pixels from the pointer table, the result to 25 planes `step` bytes apart; `line` holds 25 vectors. */
export function inputTile(table: usize, channels: i32, line: usize, dst: usize, step: usize): void {
  for (let at: usize = 0, end = floats(channels); at < end; at += 16) {
    at = min(at, end - 16);
    for (let j: usize = 0; j < 5; j++) {
      const p = table + (j << 2);
      points(
        v128.load(load<usize>(p) + at), v128.load(load<usize>(p, 20) + at), v128.load(load<usize>(p, 40) + at),
        v128.load(load<usize>(p, 60) + at), v128.load(load<usize>(p, 80) + at), line + (j << 4), 80,
      );
    }
    for (let i: usize = 0, q = line, out = dst + at; i < 5; i++, q += 80, out += 5 * step) {
      points(v128.load(q), v128.load(q, 16), v128.load(q, 32), v128.load(q, 48), v128.load(q, 64), out, step);
    }
  }
}

/** The outputs of one tile with bias and clamp: `rows` x `columns` pixels at `dst`, `pixel` bytes apart; `line` holds 10 vectors. */
export function outputTile(
  src: usize, step: usize, channels: i32, line: usize, bias: usize, dst: usize, pixel: usize, rowBytes: usize,
  rows: i32, columns: i32, lo: v128, hi: v128,
): void {
  for (let at: usize = 0, end = floats(channels); at < end; at += 16) {
    at = min(at, end - 16);
    for (let j: usize = 0; j < 5; j++) {
      const p = src + at + j * step;
      const m1 = v128.load(p + 5 * step);
      v128.store(line + (j << 4), f32x4.add(f32x4.add(v128.load(p), m1), v128.load(p + 15 * step)));
      v128.store(line + (j << 4), f32x4.add(f32x4.add(m1, v128.load(p + 10 * step)), v128.load(p + 20 * step)), 80);
    }
    const b = bias ? v128.load(bias + at) : f32x4.splat(0);
    for (let row = 0, q = line, out = dst + at; row < rows; row++, q += 80, out += rowBytes) {
      const m1 = f32x4.add(v128.load(q, 16), b);
      v128.store(out, clamp(f32x4.add(f32x4.add(v128.load(q), m1), v128.load(q, 48)), lo, hi));
      if (columns > 1) v128.store(out + pixel, clamp(f32x4.add(f32x4.add(m1, v128.load(q, 32)), v128.load(q, 64)), lo, hi));
    }
  }
}
