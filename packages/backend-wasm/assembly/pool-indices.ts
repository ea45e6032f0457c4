import { Box, Boxes, locate } from "./pool-boxes";

/**
 * Maximum of each box and, as int64, where it is: the flat position within depth * height * width. Of equals the first
 * wins, of NaNs the last, as in PyTorch.
 */
export function poolMaxIndices(
  boxes: usize,
  input: usize,
  start: i32,
  count: i32,
  output: usize,
  indices: usize,
  work: usize,
): void {
  const b = changetype<Boxes>(boxes);
  const box = changetype<Box>(work);
  const pixel = <usize>b.channels << 2;
  for (let index = start; index < start + count; index++) {
    locate(b, index, box);
    const first = (box.d0 * b.inH + box.h0) * b.inW + box.w0;
    const src = input + box.image;
    let at: usize = 0;
    for (; at + 16 <= pixel; at += 16) {
      let most = f32x4.splat(-Infinity);
      let where = i32x4.splat(first);
      for (let d = box.d0; d < box.d1; d += b.stepD) {
        for (let h = box.h0; h < box.h1; h += b.stepH) {
          const line = (d * b.inH + h) * b.inW;
          for (let w = line + box.w0; w < line + box.w1; w += b.stepW) {
            const x = v128.load(src + <usize>w * pixel + at);
            const better = v128.or(f32x4.gt(x, most), f32x4.ne(x, x));
            most = v128.bitselect(x, most, better);
            where = v128.bitselect(i32x4.splat(w), where, better);
          }
        }
      }
      v128.store(output + box.output + at, most);
      const to = indices + ((box.output + at) << 1);
      v128.store(to, i64x2.extend_low_i32x4_u(where));
      v128.store(to, i64x2.extend_high_i32x4_u(where), 16);
    }
    for (; at < pixel; at += 4) {
      let most: f32 = -Infinity;
      let where = first;
      for (let d = box.d0; d < box.d1; d += b.stepD) {
        for (let h = box.h0; h < box.h1; h += b.stepH) {
          const line = (d * b.inH + h) * b.inW;
          for (let w = line + box.w0; w < line + box.w1; w += b.stepW) {
            const x = load<f32>(src + <usize>w * pixel + at);
            if (x > most || x != x) {
              most = x;
              where = w;
            }
          }
        }
      }
      store<f32>(output + box.output + at, most);
      store<i64>(indices + ((box.output + at) << 1), where);
    }
  }
}
