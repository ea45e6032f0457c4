// What transforms of lengths with factors above 5 need: steps of any odd radix, and the products of Bluestein's algorithm.
import { sine, swapParts, turnedDifference, twiddled } from "./fourier-steps";

/** Writes the sum and the turned difference of two elements, and gives the first. */
@inline
function pairUp(x: usize, y: usize, to: usize): v128 {
  const a = v128.load(x), b = v128.load(y), sum = f64x2.add(a, b);
  v128.store(to, sum);
  v128.store(to, turnedDifference(a, b), 16);
  return sum;
}

/** Stores two sums, which belong to conjugate roots, times their twiddle factors. */
@inline
function storeBoth(even: v128, odd: v128, one: usize, rootOne: usize, other: usize, rootOther: usize): void {
  v128.store(one, twiddled(f64x2.add(even, odd), v128.load64_splat(rootOne), sine(rootOne)));
  v128.store(other, twiddled(f64x2.sub(even, odd), v128.load64_splat(rootOther), sine(rootOther)));
}

/** One column of a step, or two side by side. `root` is the one of this column in bytes, `pairs` has room as below. */
@inline
function oddColumns(
  two: bool, radix: i32, x: usize, y: usize, width: usize, apart: usize, roots: usize, root: usize, waves: usize, pairs: usize,
): void {
  const half = radix >> 1, round = <usize>radix << 4, end = pairs + (<usize>half << 6);
  const x0 = v128.load(x), x1 = two ? v128.load(x, 16) : x0;
  let all0 = x0, all1 = x1;
  for (let at = pairs, p = x + apart, q = x + (radix - 1) * apart; at < end; at += 64, p += apart, q -= apart) {
    all0 = f64x2.add(all0, pairUp(p, q, at));
    if (two) all1 = f64x2.add(all1, pairUp(p + 16, q + 16, at + 32));
  }
  v128.store(y, all0);
  if (two) v128.store(y, all1, 16);
  for (let u = 1; u <= half; u++) {
    let even0 = x0, even1 = x1, odd0 = f64x2.splat(0), odd1 = odd0;
    for (let at = pairs, turn: usize = <usize>u << 4; at < end; at += 64) {
      const c = v128.load64_splat(waves + turn), s = v128.load64_splat(waves + turn, 8);
      even0 = f64x2.add(even0, f64x2.mul(c, v128.load(at)));
      odd0 = f64x2.add(odd0, f64x2.mul(s, v128.load(at, 16)));
      if (two) {
        even1 = f64x2.add(even1, f64x2.mul(c, v128.load(at, 32)));
        odd1 = f64x2.add(odd1, f64x2.mul(s, v128.load(at, 48)));
      }
      turn += <usize>u << 4;
      if (turn >= round) turn -= round;
    }
    const one = y + u * width, other = y + (radix - u) * width;
    const rootOne = roots + u * root, rootOther = roots + (radix - u) * root;
    storeBoth(even0, odd0, one, rootOne, other, rootOther);
    if (two) storeBoth(even1, odd1, one + 16, rootOne, other + 16, rootOther);
  }
}

/**
 * One step of an odd radix, as `fourierStep`. `waves` are cos and sin of 2πr/radix. Elements r and radix - r, whose roots are conjugate,
 * are taken together: `pairs` has room for 64 bytes for each two of them.
 */
export function fourierOddStep(
  radix: i32, x: usize, y: usize, count: i32, stride: i32, lanes: i32, roots: usize, waves: usize, pairs: usize,
): void {
  const width = <usize>(stride * lanes) << 4, apart = <usize>(count / radix) << 4, next = <usize>stride << 4;
  for (let end = x + apart, root: usize = 0; x < end; y += (radix - 1) * width, root += next) {
    const last = x + width;
    for (; x + 32 <= last; x += 32, y += 32) oddColumns(true, radix, x, y, width, apart, roots, root, waves, pairs);
    if (x < last) {
      oddColumns(false, radix, x, y, width, apart, roots, root, waves, pairs);
      x += 16, y += 16;
    }
  }
}

/**
 * Multiplies `n` complex numbers of `lanes` sequences side by side by those at `by`, in place, and clears what is behind them up to the
 * number `padded`. Parts are exchanged before that where `isSwapped` is 1, and after it where it is 2.
 */
export function fourierMultiply(x: usize, by: usize, n: i32, padded: i32, lanes: i32, isSwapped: i32): void {
  const width = <usize>lanes << 4;
  const end = x + n * width, rest = <usize>(padded - n) * width;
  for (; x < end; by += 16) {
    const c = v128.load64_splat(by), d = v128.load64_splat(by, 8), s = f64x2.mul(d, f64x2.replace_lane(f64x2.splat(1), 0, -1));
    for (const last = x + width; x < last; x += 16) {
      let a = v128.load(x);
      if (isSwapped == 1) a = swapParts(a);
      const product = f64x2.add(f64x2.mul(a, c), f64x2.mul(swapParts(a), s));
      v128.store(x, isSwapped == 2 ? swapParts(product) : product);
    }
  }
  memory.fill(x, 0, rest);
}
