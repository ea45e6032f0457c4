/** The table by which one axis is resampled: for each output index it has `taps` input indices and as many weights. */
export interface AxisTable {
  readonly inLength: number;
  readonly outLength: number;
  readonly taps: number;
  readonly indices: Int32Array;
  readonly weights: Float32Array;
}

/** Interpolation modes of `torch.nn.functional.interpolate`; `linear` is one axis of bi- and trilinear. */
export type ResizeMode = "nearest" | "nearest-exact" | "linear" | "cubic";

/** One axis of an `upsample_*` op; `scale` is the op's scale factor where the program gives one. */
export interface AxisResize {
  readonly mode: ResizeMode;
  readonly inLength: number;
  readonly outLength: number;
  readonly scale?: number | undefined;
  readonly alignCorners?: boolean;
  readonly antialias?: boolean;
  /** Whether `nearest` copies as many elements, or each twice, whatever the scale factor is: that of small images does. */
  readonly copies?: boolean;
}

/** Returns whether PyTorch resizes to so many elements with a kernel of its own for small images. */
export function isSmallImage(size: readonly number[]): boolean {
  return size.length === 2 && size[0]! + size[1]! <= 128;
}

const { fround, floor, min, max, abs } = Math;

/** Input positions per output position, rounded to float32 as PyTorch computes it. */
function stepOf({ inLength, outLength, scale, alignCorners }: AxisResize): number {
  if (alignCorners) return outLength > 1 ? fround((inLength - 1) / (outLength - 1)) : 0;
  return fround(scale !== undefined && scale > 0 ? 1 / scale : inLength / outLength);
}

function sourceOf(resize: AxisResize, step: number, at: number): number {
  return resize.alignCorners ? fround(step * at) : fround(fround(step * (at + 0.5)) - 0.5);
}

/** Weights of the four neighbors of a point `t` past the second one; PyTorch uses A = -0.75. */
function cubicWeights(t: number, A: number): readonly number[] {
  const near = (x: number): number => ((A + 2) * x - (A + 3)) * x * x + 1;
  const far = (x: number): number => ((A * x - 5 * A) * x + 8 * A) * x - 4 * A;
  return [far(t + 1), near(t), near(1 - t), far(2 - t)];
}

type Taps = readonly (readonly [index: number, weight: number])[];

function nearestTap(resize: AxisResize, step: number, at: number): Taps {
  const { inLength, outLength, mode } = resize;
  if (mode === "nearest" && resize.copies && outLength === inLength) return [[at, 1]];
  if (mode === "nearest" && resize.copies && outLength === 2 * inLength) return [[at >> 1, 1]];
  const source = fround((mode === "nearest" ? at : at + 0.5) * step);
  return [[min(floor(source), inLength - 1), 1]];
}

function linearTaps(resize: AxisResize, step: number, at: number): Taps {
  if (resize.inLength === resize.outLength) {
    return [
      [at, 1],
      [at, 0],
    ];
  }
  const last = resize.inLength - 1;
  const source = max(sourceOf(resize, step, at), 0);
  const index = min(floor(source), last);
  const weight = min(max(fround(source - index), 0), 1);
  return [
    [index, fround(1 - weight)],
    [min(index + 1, last), weight],
  ];
}

function cubicTaps(resize: AxisResize, step: number, at: number): Taps {
  const source = sourceOf(resize, step, at);
  const index = floor(source);
  const weights = cubicWeights(fround(source - index), -0.75);
  return weights.map((weight, i) => [min(max(index - 1 + i, 0), resize.inLength - 1), weight] as const);
}

function triangle(x: number): number {
  return max(1 - abs(x), 0);
}

/** The Keys filter with A = -0.5, as PIL and PyTorch's antialiased modes use it. */
function keys(x: number): number {
  const t = abs(x);
  if (t < 1) return cubicWeights(t, -0.5)[1] as number;
  return t < 2 ? (cubicWeights(t - 1, -0.5)[0] as number) : 0;
}

function antialiasTaps(resize: AxisResize, step: number, at: number): Taps {
  if (resize.inLength === resize.outLength) return [[at, 1]];
  const [filter, radius] = resize.mode === "cubic" ? [keys, 2] : [triangle, 1];
  const stretch = max(step, 1);
  const support = radius * stretch;
  const center = fround(step * (at + 0.5));
  const start = max(Math.trunc(fround(center - support + 0.5)), 0);
  const end = min(Math.trunc(fround(center + support + 0.5)), resize.inLength);
  const raw = Array.from({ length: end - start }, (_, i) => filter((start + i - center + 0.5) / stretch));
  const total = raw.reduce((sum, weight) => sum + weight, 0);
  return raw.map((weight, i) => [start + i, total === 0 ? weight : weight / total] as const);
}

function tapsOf(resize: AxisResize): (step: number, at: number) => Taps {
  if (resize.mode === "nearest" || resize.mode === "nearest-exact") return (step, at) => nearestTap(resize, step, at);
  if (resize.antialias) return (step, at) => antialiasTaps(resize, step, at);
  return (step, at) => (resize.mode === "cubic" ? cubicTaps : linearTaps)(resize, step, at);
}

/** The table of one axis; outputs with fewer taps than the widest repeat their last index with weight 0. */
export function resizeTable(resize: AxisResize): AxisTable {
  const { inLength, outLength } = resize;
  const step = stepOf(resize);
  const taps = tapsOf(resize);
  const rows = Array.from({ length: outLength }, (_, at) => taps(step, at));
  const width = max(1, ...rows.map((row) => row.length));
  const indices = new Int32Array(outLength * width);
  const weights = new Float32Array(outLength * width);
  for (const [at, row] of rows.entries()) {
    for (let t = 0; t < width; t++) {
      indices[at * width + t] = (row[t] ?? row.at(-1))?.[0] ?? 0;
      weights[at * width + t] = row[t]?.[1] ?? 0;
    }
  }
  return { inLength, outLength, taps: width, indices, weights };
}
