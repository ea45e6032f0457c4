import { Box, Boxes, ENTRY, HEADER, locate } from "./pool-boxes";

/** Neighboring pixels of few channels that are reduced together. */
@inline
const RUN: i32 = 16;

@inline
function combine(mean: bool, x: v128, y: v128): v128 {
  return mean ? f32x4.add(x, y) : f32x4.pmax(x, y);
}

/** Lanes of `seen` and those where `x` is NaN: `f32x4.max` would keep NaN too, but takes eight instructions. */
@inline
function noteNaN(mean: bool, seen: v128, x: v128): v128 {
  return mean ? seen : v128.or(seen, f32x4.ne(x, x));
}

@inline
function finish(mean: bool, x: v128, nan: v128, extent: v128): v128 {
  return mean ? f32x4.div(x, extent) : v128.or(x, nan);
}

/** Reduces one box for `vectors` (1 or 4) neighboring vectors of channels at `src`. */
@inline
function reduceVectors(mean: bool, vectors: i32, b: Boxes, box: Box, src: usize, dst: usize): void {
  const pixel = <usize>b.channels << 2;
  const step = <usize>b.stepW * pixel;
  let s0 = f32x4.splat(mean ? 0 : -Infinity);
  let s1 = s0, s2 = s0, s3 = s0;
  let n0 = i32x4.splat(0);
  let n1 = n0, n2 = n0, n3 = n0;
  for (let d = box.d0; d < box.d1; d += b.stepD) {
    for (let h = box.h0; h < box.h1; h += b.stepH) {
      let p = src + <usize>((d * b.inH + h) * b.inW + box.w0) * pixel;
      for (let w = box.w0; w < box.w1; w += b.stepW, p += step) {
        let x = v128.load(p);
        s0 = combine(mean, s0, x);
        n0 = noteNaN(mean, n0, x);
        if (vectors > 1) {
          x = v128.load(p, 16);
          s1 = combine(mean, s1, x);
          n1 = noteNaN(mean, n1, x);
          x = v128.load(p, 32);
          s2 = combine(mean, s2, x);
          n2 = noteNaN(mean, n2, x);
          x = v128.load(p, 48);
          s3 = combine(mean, s3, x);
          n3 = noteNaN(mean, n3, x);
        }
      }
    }
  }
  const extent = f32x4.splat(<f32>box.extent);
  v128.store(dst, finish(mean, s0, n0, extent));
  if (vectors > 1) {
    v128.store(dst, finish(mean, s1, n1, extent), 16);
    v128.store(dst, finish(mean, s2, n2, extent), 32);
    v128.store(dst, finish(mean, s3, n3, extent), 48);
  }
}

@inline
function reduceScalar(mean: bool, b: Boxes, box: Box, src: usize, dst: usize): void {
  const pixel = <usize>b.channels << 2;
  let sum: f32 = mean ? 0 : -Infinity;
  let seen = false;
  for (let d = box.d0; d < box.d1; d += b.stepD) {
    for (let h = box.h0; h < box.h1; h += b.stepH) {
      for (let w = box.w0; w < box.w1; w += b.stepW) {
        const x = load<f32>(src + <usize>((d * b.inH + h) * b.inW + w) * pixel);
        if (mean) sum += x;
        else {
          // As vectors do: the first of two zeros stays, and NaN has all bits.
          if (sum < x) sum = x;
          if (x != x) seen = true;
        }
      }
    }
  }
  if (seen) store<i32>(dst, -1);
  else store<f32>(dst, mean ? sum / <f32>box.extent : sum);
}

/** Whether the boxes of the outputs from `index` on, and before `end`, are those of neighboring pixels of one row. */
function isEvenRun(b: Boxes, index: i32, end: i32): bool {
  const x = index % b.outW;
  if (x + RUN > b.outW || index + RUN > end) return false;
  const w = changetype<usize>(b) + HEADER + <usize>(b.outD + b.outH + x) * ENTRY;
  for (let i = 1; i < RUN; i++) {
    const next = w + <usize>i * ENTRY;
    const isNext = load<i32>(next) == load<i32>(w) + i && load<i32>(next, 4) == load<i32>(w, 4) + i;
    if (!isNext || load<i32>(next, 8) != load<i32>(w, 8)) return false;
  }
  return true;
}

@inline
function reduceBoxes(mean: bool, boxes: usize, input: usize, start: i32, count: i32, output: usize, box: Box): void {
  const b = changetype<Boxes>(boxes);
  for (let index = start, end = start + count; index < end; ) {
    locate(b, index, box);
    const run = b.channels < 4 && isEvenRun(b, index, end) ? RUN : 1;
    const channels = b.channels * run;
    index += run;
    const src = input + box.image;
    const dst = output + box.output;
    let c = 0;
    for (; c + 16 <= channels; c += 16) reduceVectors(mean, 4, b, box, src + (<usize>c << 2), dst + (<usize>c << 2));
    for (; c + 4 <= channels; c += 4) reduceVectors(mean, 1, b, box, src + (<usize>c << 2), dst + (<usize>c << 2));
    for (; c < channels; c++) reduceScalar(mean, b, box, src + (<usize>c << 2), dst + (<usize>c << 2));
  }
}

/** Maximum of each box for output pixels [start, start + count); NaN wins. `work` is 64 bytes of scratch. */
export function poolMax(boxes: usize, input: usize, start: i32, count: i32, output: usize, work: usize): void {
  reduceBoxes(false, boxes, input, start, count, output, changetype<Box>(work));
}

/** Mean of each box: the sum over the box divided by its extent or by the common divisor. */
export function poolMean(boxes: usize, input: usize, start: i32, count: i32, output: usize, work: usize): void {
  reduceBoxes(true, boxes, input, start, count, output, changetype<Box>(work));
}
