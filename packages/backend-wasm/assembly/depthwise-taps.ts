// The part of a depthwise window that touches the input, for one output row; steps are in bytes.
@unmanaged
export class Taps {
  channels: i32;
  planes: i32;
  rows: i32;
  columns: i32;
  planeStep: usize;
  rowStep: usize;
  columnStep: usize;
  weightPlaneStep: usize;
  /** From the weights of four channels to those of the next four. */
  groupStep: usize;
  /** Between the inputs of neighboring outputs. */
  outputStep: usize;
  /** Bytes between neighboring pixels of the output. */
  outPixel: usize;
}

/** Where channel group `g` starts, in bytes; the last one overlaps its predecessor. */
@inline
export function groupOffset(group: i32, channels: i32): usize {
  return <usize>min(group << 2, channels - 4) << 2;
}

@inline
export function biasVector(bias: usize, offset: usize): v128 {
  return bias ? v128.load(bias + offset) : f32x4.splat(0);
}
