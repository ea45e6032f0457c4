/** The input positions of an axis that an output element reads, and their share of its divisor. */
export interface AxisWindow {
  readonly positions: readonly number[];
  /** Where the window begins, but not before the axis: behind it, if the window has no position, as dilated ones may. */
  readonly first: number;
  /** The number of positions that the divisor of a mean counts, with the padding if that counts. */
  readonly counted: number;
}

/** Sliding windows along one axis. */
export interface Sliding {
  readonly size: number;
  readonly outputs: number;
  readonly kernel: number;
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
  readonly countIncludePad: boolean;
}

/** Returns the windows of all output positions. In ceil mode the last may reach beyond the padding, which never counts. */
export function slidingWindows(axis: Sliding): readonly AxisWindow[] {
  return Array.from({ length: axis.outputs }, (_, o) => {
    const start = o * axis.stride - axis.padding;
    const positions = Array.from({ length: axis.kernel }, (_, k) => start + k * axis.dilation).filter(
      (at) => at >= 0 && at < axis.size,
    );
    const end = Math.min(start + axis.kernel, axis.size + axis.padding);
    const first = start < 0 ? start + Math.ceil(-start / axis.dilation) * axis.dilation : start;
    return { positions, first, counted: axis.countIncludePad ? end - start : positions.length };
  });
}

/** Windows that divide an axis as evenly as PyTorch's adaptive pooling does. */
export function adaptiveWindows(size: number, outputs: number): readonly AxisWindow[] {
  return Array.from({ length: outputs }, (_, o) => {
    const [start, end] = [Math.floor((o * size) / outputs), Math.ceil(((o + 1) * size) / outputs)];
    return { positions: Array.from({ length: end - start }, (_, i) => start + i), first: start, counted: end - start };
  });
}
