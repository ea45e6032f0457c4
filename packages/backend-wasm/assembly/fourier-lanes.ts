// Slices of tensors to and from the transforms that stand side by side, in pairs of float64.
import { swapParts } from "./fourier-steps";

@inline
function loadPair(p: usize, part: i32, isWide: i32): v128 {
  if (isWide) return part == 8 ? v128.load(p) : v128.load64_lane(p + part, v128.load64_zero(p), 1);
  return f64x2.promote_low_f32x4(part == 4 ? v128.load64_zero(p) : v128.load32_lane(p + part, v128.load32_zero(p), 1));
}

@inline
function storePair(p: usize, part: i32, isWide: i32, x: v128): void {
  if (isWide) {
    v128.store64_lane(p, x, 0);
    v128.store64_lane(p + part, x, 1);
    return;
  }
  const narrow = f32x4.demote_f64x2_zero(x);
  v128.store32_lane(p, narrow, 0);
  v128.store32_lane(p + part, narrow, 1);
}

/**
 * Reads `lanes` slices of `n` complex numbers of float32, or of float64 where `isWide`, `apart` bytes from each other: their parts are
 * `part` bytes apart, and they themselves `next`. Of each, the parts are exchanged where `isSwapped`.
 */
export function fourierRead(
  src: usize, apart: i32, lanes: i32, part: i32, next: i32, n: i32, isWide: i32, isSwapped: i32, dst: usize, dstNext: i32,
): void {
  for (; lanes > 0; lanes--, src += apart, dst += 16) {
    for (let k = 0, from = src, to = dst; k < n; k++, from += next, to += dstNext) {
      const x = loadPair(from, part, isWide);
      v128.store(to, isSwapped ? swapParts(x) : x);
    }
  }
}

/** The way back, each part times a number. */
export function fourierWrite(
  src: usize, srcNext: i32, n: i32, scale: f64, isSwapped: i32, isWide: i32,
  dst: usize, apart: i32, lanes: i32, part: i32, next: i32,
): void {
  const factor = f64x2.splat(scale);
  for (; lanes > 0; lanes--, src += 16, dst += apart) {
    for (let k = 0, from = src, to = dst; k < n; k++, from += srcNext, to += next) {
      const x = v128.load(from);
      storePair(to, part, isWide, f64x2.mul(isSwapped ? swapParts(x) : x, factor));
    }
  }
}

/** Reads slices of `n` real numbers, whose imaginary parts are zero. */
export function fourierReadReal(
  src: usize, apart: i32, lanes: i32, next: i32, n: i32, isWide: i32, dst: usize, dstNext: i32,
): void {
  for (; lanes > 0; lanes--, src += apart, dst += 16) {
    for (let k = 0, from = src, to = dst; k < n; k++, from += next, to += dstNext) {
      v128.store(to, isWide ? v128.load64_zero(from) : f64x2.promote_low_f32x4(v128.load32_zero(from)));
    }
  }
}

/** Writes the first `n` numbers of spectra of real numbers, times `scale`. The first of them is real. */
export function fourierWriteHalf(
  src: usize, srcNext: i32, n: i32, scale: f64, isWide: i32, dst: usize, apart: i32, lanes: i32, next: i32,
): void {
  const part = isWide ? 8 : 4, factor = f64x2.splat(scale);
  for (; lanes > 0; lanes--, src += 16, dst += apart) {
    storePair(dst, part, isWide, f64x2.mul(v128.load64_zero(src), factor));
    for (let k = 1, from = src + srcNext, to = dst + next; k < n; k++, from += srcNext, to += next) {
      storePair(to, part, isWide, f64x2.mul(v128.load(from), factor));
    }
  }
}

/** Reads the first halves of symmetric spectra of `size` numbers, which is odd, as whole ones with their parts exchanged. */
export function fourierReadHalf(
  src: usize, apart: i32, lanes: i32, next: i32, isWide: i32, size: i32, dst: usize, dstNext: i32,
): void {
  const part = isWide ? 8 : 4, conjugate = f64x2.replace_lane(f64x2.splat(1), 0, -1);
  for (; lanes > 0; lanes--, src += apart, dst += 16) {
    v128.store(dst, f64x2.replace_lane(f64x2.splat(0), 1, f64x2.extract_lane(loadPair(src, part, isWide), 0)));
    for (let k = 1, from = src + next; k <= size >> 1; k++, from += next) {
      const x = swapParts(loadPair(from, part, isWide));
      v128.store(dst + k * dstNext, x);
      v128.store(dst + (size - k) * dstNext, f64x2.mul(x, conjugate));
    }
  }
}

/** Writes the imaginary parts, which are the real ones of an inverse whose parts are exchanged, times `scale`. */
export function fourierWriteReal(
  src: usize, srcNext: i32, n: i32, scale: f64, isWide: i32, dst: usize, apart: i32, lanes: i32, next: i32,
): void {
  for (; lanes > 0; lanes--, src += 16, dst += apart) {
    for (let k = 0, from = src, to = dst; k < n; k++, from += srcNext, to += next) {
      const x = load<f64>(from, 8) * scale;
      if (isWide) store<f64>(to, x);
      else store<f32>(to, <f32>x);
    }
  }
}

/**
 * Writes the first half of the spectrum of `size` real numbers, which is even, for each of `lanes`: size/2 + 1 complex numbers `next`
 * bytes apart, times `scale`. `work` is the transform of half the length of these numbers in pairs, `roots` are cos and sin of 2πk/size.
 */
export function fourierSpectrum(
  work: usize, workNext: i32, size: i32, roots: usize, scale: f64, isWide: i32, dst: usize, apart: i32, lanes: i32, next: i32,
): void {
  for (; lanes > 0; lanes--, work += 16, dst += apart) spectrum(work, workNext, size, roots, scale, isWide, dst, next);
}

function spectrum(
  work: usize, workNext: i32, size: i32, roots: usize, scale: f64, isWide: i32, dst: usize, next: i32,
): void {
  const part = isWide ? 8 : 4, half = size >> 1, factor = f64x2.splat(scale);
  const first = v128.load(work);
  const re = f64x2.extract_lane(first, 0), im = f64x2.extract_lane(first, 1);
  storePair(dst, part, isWide, f64x2.mul(f64x2.replace_lane(f64x2.splat(0), 0, re + im), factor));
  storePair(dst + half * next, part, isWide, f64x2.mul(f64x2.replace_lane(f64x2.splat(0), 0, re - im), factor));
  const conjugate = f64x2.replace_lane(f64x2.splat(1), 1, -1), halves = f64x2.splat(0.5);
  for (let k = 1, m = half - 1; k <= m; k++, m--) {
    const a = v128.load(work + k * workNext), b = v128.load(work + m * workNext);
    // (re + re, im - im) and (im + im, re of b - re of a), halved.
    const sum = f64x2.add(a, b), less = f64x2.sub(a, b), more = f64x2.sub(b, a);
    const even = f64x2.mul(v128.shuffle<i64>(sum, less, 0, 3), halves);
    const odd = f64x2.mul(v128.shuffle<i64>(sum, more, 1, 2), halves);
    const root = roots + (<usize>k << 4);
    const sine = f64x2.mul(v128.load64_splat(root + 8), conjugate);
    const turned = f64x2.add(f64x2.mul(odd, v128.load64_splat(root)), f64x2.mul(swapParts(odd), sine));
    const other = v128.shuffle<i64>(f64x2.sub(even, turned), f64x2.sub(turned, even), 0, 3);
    storePair(dst + m * next, part, isWide, f64x2.mul(other, factor));
    storePair(dst + k * next, part, isWide, f64x2.mul(f64x2.add(even, turned), factor));
  }
}

/**
 * Reads the first half of a symmetric spectrum for the inverse to `size` real numbers, which is even, for each of `lanes`: writes the
 * transform of half the length of these numbers in pairs, twice as large, with its parts exchanged.
 */
export function fourierFold(
  src: usize, apart: i32, lanes: i32, next: i32, isWide: i32, size: i32, roots: usize, work: usize, workNext: i32,
): void {
  for (; lanes > 0; lanes--, src += apart, work += 16) fold(src, next, isWide, size, roots, work, workNext);
}

function fold(src: usize, next: i32, isWide: i32, size: i32, roots: usize, work: usize, workNext: i32): void {
  const half = size >> 1, part = isWide ? 8 : 4;
  const first = f64x2.extract_lane(loadPair(src, part, isWide), 0);
  const last = f64x2.extract_lane(loadPair(src + half * next, part, isWide), 0);
  v128.store(work, f64x2.replace_lane(f64x2.splat(first - last), 1, first + last));
  const conjugate = f64x2.replace_lane(f64x2.splat(-1), 1, 1);
  for (let k = 1, m = half - 1; k <= m; k++, m--) {
    const a = loadPair(src + k * next, part, isWide), b = loadPair(src + m * next, part, isWide);
    const sum = f64x2.add(a, b), less = f64x2.sub(a, b);
    const even = v128.shuffle<i64>(sum, less, 0, 3), rest = v128.shuffle<i64>(less, sum, 0, 3);
    const root = roots + (<usize>k << 4);
    const sine = f64x2.mul(v128.load64_splat(root + 8), conjugate);
    // (re·c - im·s, im·c + re·s).
    const odd = f64x2.add(f64x2.mul(rest, v128.load64_splat(root)), f64x2.mul(swapParts(rest), sine));
    const evenRe = f64x2.extract_lane(even, 0), evenIm = f64x2.extract_lane(even, 1);
    const oddRe = f64x2.extract_lane(odd, 0), oddIm = f64x2.extract_lane(odd, 1);
    // With parts exchanged: the imaginary one first.
    v128.store(work + m * workNext, f64x2.replace_lane(f64x2.splat(oddRe - evenIm), 1, evenRe + oddIm));
    v128.store(work + k * workNext, f64x2.replace_lane(f64x2.splat(evenIm + oddRe), 1, evenRe - oddIm));
  }
}
