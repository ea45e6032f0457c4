/** The table by which one axis of an image of bytes is resampled, in integers. */
export interface ByteTable {
  /** For each output the first input that it is a sum of, and how many follow it. */
  readonly starts: Int32Array;
  readonly counts: Int32Array;
  /** The weights of each output, `taps` of which belong to it. */
  readonly weights: Int32Array;
  readonly taps: number;
  /** What sums are divided by is 2 to the power of it. */
  readonly shift: number;
}

/** One axis of an `upsample_*` op that is computed in double precision: of bytes, and of doubles. */
export interface ExactResize {
  readonly isCubic: boolean;
  readonly inLength: number;
  readonly outLength: number;
  readonly scale: number | null;
  readonly alignCorners: boolean;
  readonly antialias: boolean;
}

/** The inputs from `start` on that an output is a sum of. */
export interface ResizeRow {
  readonly start: number;
  readonly weights: readonly number[];
}

/**
 * Makes the table of an axis as PyTorch does: weights in double precision, times the greatest power of two that lets the largest
 * fit into 16 bits.
 */
export function byteTable(resize: ExactResize): ByteTable {
  const rows = resizeRows(resize);
  const largest = rows.reduce((most, { weights }) => Math.max(most, ...weights), 0);
  let shift = 0;
  while (shift < 22 && Math.trunc(0.5 + largest * 2 ** (shift + 1)) < 2 ** 15) shift++;
  const taps = rows.reduce((most, { weights }) => Math.max(most, weights.length), 1);
  const all = new Int32Array(rows.length * taps);
  for (const [at, { weights }] of rows.entries()) {
    // Rounded away from zero where they are in the middle.
    all.set(
      weights.map((weight) => Math.trunc(weight * 2 ** shift + (weight < 0 ? -0.5 : 0.5))),
      at * taps,
    );
  }
  return {
    starts: Int32Array.from(rows, ({ start }) => start),
    counts: Int32Array.from(rows, ({ weights }) => weights.length),
    ...{ weights: all, taps, shift },
  };
}

/** Returns what each output is a sum of, as PyTorch computes it. */
export function resizeRows(resize: ExactResize): readonly ResizeRow[] {
  const step = stepOf(resize);
  const rowAt = resize.antialias ? antialiasRow : plainRow;
  return Array.from({ length: resize.outLength }, (_, at) => rowAt(resize, step, at));
}

function stepOf({ inLength, outLength, scale, alignCorners }: ExactResize): number {
  if (alignCorners) return outLength > 1 ? (inLength - 1) / (outLength - 1) : 0;
  return scale !== null && scale > 0 ? 1 / scale : inLength / outLength;
}

function triangle(x: number): number {
  return Math.max(1 - Math.abs(x), 0);
}

/** The Keys filter: A is -0.5 where it is stretched, as in PIL, and -0.75 elsewhere. */
function keys(x: number, A: number): number {
  const t = Math.abs(x);
  if (t < 1) return ((A + 2) * t - (A + 3)) * t * t + 1;
  return t < 2 ? ((A * t - 5 * A) * t + 8 * A) * t - 4 * A : 0;
}

function antialiasRow({ isCubic, inLength }: ExactResize, step: number, at: number): ResizeRow {
  const stretch = Math.max(step, 1);
  const support = (isCubic ? 2 : 1) * stretch;
  const center = step * (at + 0.5);
  const start = Math.max(Math.trunc(center - support + 0.5), 0);
  const end = Math.min(Math.trunc(center + support + 0.5), inLength);
  const raw = Array.from({ length: Math.max(end - start, 0) }, (_, i) => {
    const x = (start + i - center + 0.5) * (1 / stretch);
    return isCubic ? keys(x, -0.5) : triangle(x);
  });
  const total = raw.reduce((sum, weight) => sum + weight, 0);
  return { start, weights: raw.map((weight) => (total === 0 ? weight : weight / total)) };
}

function plainRow({ isCubic, inLength, alignCorners }: ExactResize, step: number, at: number): ResizeRow {
  const source = alignCorners ? step * at : step * (at + 0.5) - 0.5;
  const real = isCubic || alignCorners ? source : Math.max(source, 0);
  const index = Math.min(Math.floor(real), inLength - 1);
  const past = Math.min(Math.max(real - index, 0), 1);
  const support = isCubic ? 2 : 1;
  const first = index - support + 1;
  const start = Math.max(first, 0);
  const weights = new Array<number>(Math.min(index + support + 1, inLength) - start).fill(0);
  for (let j = 0; j < 2 * support; j++) {
    const x = j + 1 - support - past;
    // An input beyond the image counts as the one at its end.
    const to = Math.min(Math.max(first + j - start, 0), weights.length - 1);
    weights[to]! += isCubic ? keys(x, -0.75) : triangle(x);
  }
  return { start, weights };
}
