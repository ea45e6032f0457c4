import type { Spatial } from "@pt2/engine";

/** One axis of a pooling: a (start, end, extent) triple per output index; positions in a box are `step` apart. */
export interface AxisBoxes {
  readonly size: number;
  readonly step: number;
  readonly triples: readonly number[];
}

/** The boxes along depth, height and width. */
export type PoolBoxes = readonly [AxisBoxes, AxisBoxes, AxisBoxes];

/** A sliding window, as in `max_pool2d` and `avg_pool2d`. */
export interface PoolWindow {
  readonly input: Spatial;
  readonly kernel: Spatial;
  readonly stride: Spatial;
  readonly padding: Spatial;
  readonly dilation?: Spatial;
  readonly ceilMode?: boolean;
  /** Means also divide by the padding inside the window, but not by what `ceilMode` adds behind it. */
  readonly countIncludePad?: boolean;
}

function outputSize(input: number, reach: number, stride: number, padding: number, ceilMode: boolean): number {
  const size = Math.floor((input + 2 * padding - reach - 1 + (ceilMode ? stride - 1 : 0)) / stride) + 1;
  // With ceilMode, the last window has to begin inside the input or the padding before it, as in PyTorch.
  return ceilMode && (size - 1) * stride >= input + padding ? size - 1 : size;
}

/** The boxes of a sliding window. */
export function slidingBoxes(window: PoolWindow): PoolBoxes {
  const along = (axis: 0 | 1 | 2): AxisBoxes => {
    const [input, stride, padding] = [window.input[axis], window.stride[axis], window.padding[axis]];
    const step = window.dilation?.[axis] ?? 1;
    const reach = (window.kernel[axis] - 1) * step;
    const size = outputSize(input, reach, stride, padding, window.ceilMode ?? false);
    const triples = Array.from({ length: size }, (_, index) => {
      const origin = index * stride - padding;
      const start = origin < 0 ? origin + Math.ceil(-origin / step) * step : origin;
      const end = Math.min(origin + reach + 1, input);
      const extent = window.countIncludePad ? Math.min(origin + reach + 1, input + padding) - origin : end - start;
      return [start, end, extent];
    }).flat();
    return { size, step, triples };
  };
  return [along(0), along(1), along(2)];
}

/** The boxes of adaptive pooling to `output`: every input position is in at least one. */
export function adaptiveBoxes(input: Spatial, output: Spatial): PoolBoxes {
  const along = (axis: 0 | 1 | 2): AxisBoxes => {
    const size = output[axis];
    const triples = Array.from({ length: size }, (_, index) => {
      const start = Math.floor((index * input[axis]) / size);
      const end = Math.ceil(((index + 1) * input[axis]) / size);
      return [start, end, end - start];
    }).flat();
    return { size, step: 1, triples };
  };
  return [along(0), along(1), along(2)];
}
