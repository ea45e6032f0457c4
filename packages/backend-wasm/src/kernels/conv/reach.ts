import type { ConvolutionWindow } from "@pt2/engine";

/** What windows reach along an axis of a convolution: its elements, and zeros around and between them. */
export interface Reach {
  /** How many there are in all. */
  readonly size: number;
  /** How many elements are reached, from which one on, where that one lies, and how far apart they lie. */
  readonly count: number;
  readonly first: number;
  readonly at: number;
  readonly apart: number;
  /** From window to window, and from position to position of one. */
  readonly step: number;
  readonly dilation: number;
}

/**
 * Returns what is reached along an axis of `input` elements. A transposed convolution is one with stride 1 over elements
 * that its stride moves apart.
 */
export function reachOf(
  { stride, padding, dilation, paddingEnd, transposed }: ConvolutionWindow,
  input: number,
  kernel: number,
  output: number,
  axis: number,
): Reach {
  const [step, before, dilated] = [stride[axis]!, padding[axis]!, dilation[axis]!];
  if (!transposed) {
    const size = before + input + paddingEnd[axis]!;
    return { size, count: input, first: 0, at: before, apart: 1, step, dilation: dilated };
  }
  const around = dilated * (kernel - 1);
  const size = output + around;
  // More padding than that leaves elements out.
  const start = around - before;
  const first = Math.max(0, Math.ceil(-start / step));
  const at = start + first * step;
  const count = Math.max(0, Math.min(input - first, Math.ceil((size - at) / step)));
  return { size, count, first, at, apart: step, step: 1, dilation: dilated };
}
