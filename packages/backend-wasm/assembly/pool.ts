import { Box, Boxes, locate } from "./pool-boxes";

@inline
function combine(mean: bool, x: v128, y: v128): v128 {
  return mean ? f32x4.add(x, y) : f32x4.max(x, y);
}

/** Reduces one box for `vectors` neighbouring vectors of channels at `src`. */
@inline
function reduceVectors(mean: bool, vectors: i32, b: Boxes, box: Box, src: usize, dst: usize): void {
  const pixel = <usize>b.channels << 2;
  let s0 = f32x4.splat(mean ? 0 : -Infinity);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  for (let d = box.d0; d < box.d1; d += b.stepD) {
    for (let h = box.h0; h < box.h1; h += b.stepH) {
      let p = src + <usize>((d * b.inH + h) * b.inW + box.w0) * pixel;
      for (let w = box.w0; w < box.w1; w += b.stepW, p += <usize>b.stepW * pixel) {
        s0 = combine(mean, s0, v128.load(p));
        if (vectors > 1) s1 = combine(mean, s1, v128.load(p, 16));
        if (vectors > 2) s2 = combine(mean, s2, v128.load(p, 32));
        if (vectors > 3) s3 = combine(mean, s3, v128.load(p, 48));
      }
    }
  }
  const extent = f32x4.splat(<f32>box.extent);
  v128.store(dst, mean ? f32x4.div(s0, extent) : s0);
  if (vectors > 1) v128.store(dst, mean ? f32x4.div(s1, extent) : s1, 16);
  if (vectors > 2) v128.store(dst, mean ? f32x4.div(s2, extent) : s2, 32);
  if (vectors > 3) v128.store(dst, mean ? f32x4.div(s3, extent) : s3, 48);
}

@inline
function reduceScalar(mean: bool, b: Boxes, box: Box, src: usize, dst: usize): void {
  const pixel = <usize>b.channels << 2;
  let sum: f32 = mean ? 0 : -Infinity;
  for (let d = box.d0; d < box.d1; d += b.stepD) {
    for (let h = box.h0; h < box.h1; h += b.stepH) {
      for (let w = box.w0; w < box.w1; w += b.stepW) {
        const x = load<f32>(src + <usize>((d * b.inH + h) * b.inW + w) * pixel);
        sum = mean ? sum + x : max<f32>(sum, x);
      }
    }
  }
  store<f32>(dst, mean ? sum / <f32>box.extent : sum);
}

@inline
function reduceBoxes(mean: bool, boxes: usize, input: usize, start: i32, count: i32, output: usize, box: Box): void {
  const b = changetype<Boxes>(boxes);
  const channels = b.channels;
  for (let index = start; index < start + count; index++) {
    locate(b, index, box);
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
