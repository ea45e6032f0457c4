// The softmax of attention: scores are scaled and masked, and a row that attends to nothing has weight zero everywhere.
import { rowMax } from "./extremes";
import { loadTail, storeTail } from "./lanes";
import { scaleRow, softmaxRow } from "./softmax";

/** No mask. */
export const MASK_NONE: i32 = 0;
/** A float mask, added to the scores. */
export const MASK_FLOAT: i32 = 1;
/** A byte mask: 0 keeps a key out. */
export const MASK_BOOL: i32 = 2;

/**
 * Turns a row of scores into weights, in place: softmax(scores * scale + mask). A row whose scores are all -infinity gets
 * zeros, as PyTorch's scaled_dot_product_attention gives; a NaN makes the row NaN. `maskStep` counts elements.
 */
export function weights(p: usize, n: i32, scale: f32, mask: usize, kind: i32, maskStep: i32): void {
  scaleRow(p, n, scale);
  if (kind == MASK_FLOAT) addMask(p, n, mask, maskStep);
  else if (kind == MASK_BOOL) keep(p, n, mask, maskStep);
  const max = rowMax(p, n);
  if (max == -Infinity) memory.fill(p, 0, <usize>n << 2);
  else softmaxRow(p, p, n, max);
}

function addMask(p: usize, n: i32, mask: usize, step: i32): void {
  if (step == 1) {
    const end = p + (<usize>(n & ~3) << 2);
    for (; p < end; p += 16, mask += 16) v128.store(p, f32x4.add(v128.load(p), v128.load(mask)));
    const zero = f32x4.splat(0);
    if (n & 3) storeTail(p, f32x4.add(loadTail(p, n & 3, zero), loadTail(mask, n & 3, zero)), n & 3);
  } else {
    for (let i = 0; i < n; i++, p += 4, mask += <usize>step << 2) store<f32>(p, load<f32>(p) + load<f32>(mask));
  }
}

function keep(p: usize, n: i32, mask: usize, step: i32): void {
  for (let i = 0; i < n; i++, p += 4, mask += <usize>step) if (!load<u8>(mask)) store<f32>(p, -Infinity);
}
