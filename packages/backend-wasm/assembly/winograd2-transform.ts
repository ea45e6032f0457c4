// Winograd F(2x2, 3x3): the transforms of one tile, SIMD along channels. There are at least four: the last vector begins
// early enough to end with them.
import { clamp } from "./conv-vector";
import { floats } from "./conv-window";

/** B^T d B of one tile: pixels from the pointer table, the result to 16 planes `step` bytes apart. */
export function inputTile(table: usize, channels: i32, line: usize, dst: usize, step: usize): void {
  for (let at: usize = 0, end = floats(channels); at < end; at += 16) {
    at = min(at, end - 16);
    for (let j: usize = 0; j < 4; j++) {
      const p = table + (j << 2);
      const d1 = v128.load(load<usize>(p, 16) + at);
      const d2 = v128.load(load<usize>(p, 32) + at);
      const q = line + (j << 4);
      v128.store(q, f32x4.sub(v128.load(load<usize>(p) + at), d2));
      v128.store(q, f32x4.add(d1, d2), 64);
      v128.store(q, f32x4.sub(d2, d1), 128);
      v128.store(q, f32x4.sub(d1, v128.load(load<usize>(p, 48) + at)), 192);
    }
    let q = line;
    for (let out = dst + at, end = out + 16 * step; out < end; out += 4 * step, q += 64) {
      const d1 = v128.load(q, 16);
      const d2 = v128.load(q, 32);
      v128.store(out, f32x4.sub(v128.load(q), d2));
      v128.store(out + step, f32x4.add(d1, d2));
      v128.store(out + 2 * step, f32x4.sub(d2, d1));
      v128.store(out + 3 * step, f32x4.sub(d1, v128.load(q, 48)));
    }
  }
}

/** A^T m A of one tile, bias and clamp: `rows` x `columns` pixels of the output at `dst`, `pixel` bytes apart; `line` holds 8 vectors. */
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
    for (let j: usize = 0; j < 4; j++) {
      const p = src + at + j * step;
      const m1 = v128.load(p + 4 * step);
      const m2 = v128.load(p + 8 * step);
      v128.store(line + (j << 4), f32x4.add(f32x4.add(v128.load(p), m1), m2));
      v128.store(line + (j << 4), f32x4.sub(f32x4.sub(m1, m2), v128.load(p + 12 * step)), 64);
    }
    const b = bias ? v128.load(bias + at) : f32x4.splat(0);
    let q = line;
    let out = dst + at;
    for (let row = 0; row < rows; row++, q += 64, out += rowBytes) {
      const m1 = f32x4.add(v128.load(q, 16), b);
      const m2 = v128.load(q, 32);
      v128.store(out, clamp(f32x4.add(f32x4.add(v128.load(q), m1), m2), lo, hi));
      if (columns > 1) v128.store(out + pixel, clamp(f32x4.sub(f32x4.sub(m1, m2), v128.load(q, 48)), lo, hi));
    }
  }
}
