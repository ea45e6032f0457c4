// Resampling of images of bytes: sums with weights of 16 bits, which are bytes again. Reads and writes nothing beyond the image.

/** Weights that are read at once. */
@inline
const TAPS: i32 = 8;

/** A sum as a byte: rounded, and limited. */
@inline
function byteOf(sum: i32, shift: i32): i32 {
  return max(0, min(255, sum >> shift));
}

/** The sum of `taps` bytes, `step` bytes apart, each times its weight. */
@inline
function sumOf(p: usize, step: usize, weights: usize, taps: i32, initial: i32): i32 {
  let sum = initial;
  for (let t = 0; t < taps; t++, p += step, weights += 2) sum += <i32>load<u8>(p) * <i32>load<i16>(weights);
  return sum;
}

/** Four sums of neighboring bytes, the parts of which are to be added. */
@inline
function partsOf(p: usize, weights: usize, taps: i32): v128 {
  let sum = i32x4.dot_i16x8_s(v128.load8x8_u(p), v128.load(weights));
  for (let t = TAPS; t < taps; t += TAPS) {
    sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load8x8_u(p + t), v128.load(weights + (<usize>t << 1))));
  }
  return sum;
}

@inline
function addPairs(a: v128, b: v128): v128 {
  return i32x4.add(v128.shuffle<i32>(a, b, 0, 2, 4, 6), v128.shuffle<i32>(a, b, 1, 3, 5, 7));
}

/**
 * Resamples `lines` lines of `length` bytes to `outLength`. Output j is the sum of `taps` bytes from `starts[j]` (i32) on, times the
 * weights `weights[j]` (i16), divided by 2 to the power of `shift`. Eight taps at a time are read where they are a multiple of 8.
 */
export function resizeByteColumns(
  input: usize, output: usize, lines: i32, length: i32, outLength: i32, taps: i32, shift: i32, starts: usize, weights: usize,
): void {
  const initial = 1 << (shift - 1), row = <usize>taps << 1, initials = i32x4.splat(initial);
  const isVector = taps % TAPS == 0;
  for (let line = 0; line < lines; line++, input += length) {
    let s = starts, w = weights;
    let j = 0;
    if (isVector) for (; j + 4 <= outLength; j += 4, s += 16, w += row << 2, output += 4) {
      const a = partsOf(input + load<i32>(s), w, taps), b = partsOf(input + load<i32>(s, 4), w + row, taps);
      const c = partsOf(input + load<i32>(s, 8), w + 2 * row, taps), d = partsOf(input + load<i32>(s, 12), w + 3 * row, taps);
      const sum = i32x4.shr_s(i32x4.add(addPairs(addPairs(a, b), addPairs(c, d)), initials), shift);
      const words = i16x8.narrow_i32x4_s(sum, sum);
      v128.store32_lane(output, i8x16.narrow_i16x8_u(words, words), 0);
    }
    for (; j < outLength; j++, s += 4, w += row, output++) {
      store<u8>(output, byteOf(sumOf(input + load<i32>(s), 1, w, taps, initial), shift));
    }
  }
}

/** Two lines of eight bytes each, times two weights: the sums of the first four columns, and of the others. */
@inline
function lowerSums(a: v128, b: v128, pair: v128): v128 {
  return i32x4.dot_i16x8_s(v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11), pair);
}

@inline
function upperSums(a: v128, b: v128, pair: v128): v128 {
  return i32x4.dot_i16x8_s(v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15), pair);
}

/** Eight columns of a line. */
@inline
function eightColumns(p: usize, width: i32, weights: usize, taps: i32, shift: i32, initials: v128, output: usize): void {
  let low = initials, high = initials;
  let t = 0;
  for (; t + 2 <= taps; t += 2, p += width << 1, weights += 4) {
    const pair = v128.load32_splat(weights), a = v128.load8x8_u(p), b = v128.load8x8_u(p + width);
    low = i32x4.add(low, lowerSums(a, b, pair));
    high = i32x4.add(high, upperSums(a, b, pair));
  }
  if (t < taps) {
    const pair = i32x4.splat(<i32>load<u16>(weights)), a = v128.load8x8_u(p);
    low = i32x4.add(low, lowerSums(a, a, pair));
    high = i32x4.add(high, upperSums(a, a, pair));
  }
  const words = i16x8.narrow_i32x4_s(i32x4.shr_s(low, shift), i32x4.shr_s(high, shift));
  v128.store64_lane(output, i8x16.narrow_i16x8_u(words, words), 0);
}

/**
 * Resamples images of `length` lines of `width` bytes to `outLength` lines: computes `count` of all lines from line `start` on. Tables as
 * in `resizeByteColumns`, for any number of taps.
 */
export function resizeByteRows(
  input: usize, output: usize, start: i32, count: i32, length: i32, outLength: i32, width: i32, taps: i32, shift: i32,
  starts: usize, weights: usize,
): void {
  const initial = 1 << (shift - 1), initials = i32x4.splat(initial);
  let j = start % outLength;
  let image = input + <usize>(start / outLength) * <usize>length * <usize>width;
  let q = output + <usize>start * <usize>width;
  for (let line = 0; line < count; line++, q += width) {
    const p = image + <usize>load<i32>(starts + (<usize>j << 2)) * <usize>width;
    const w = weights + ((<usize>j * <usize>taps) << 1);
    if (width < 8) {
      for (let x = 0; x < width; x++) store<u8>(q + x, byteOf(sumOf(p + x, width, w, taps, initial), shift));
    } else {
      for (let x = 0; x + 8 < width; x += 8) eightColumns(p + x, width, w, taps, shift, initials, q + x);
      // The last eight may have been computed in part.
      eightColumns(p + width - 8, width, w, taps, shift, initials, q + width - 8);
    }
    if (++j == outLength) j = 0, image += <usize>length * <usize>width;
  }
}
