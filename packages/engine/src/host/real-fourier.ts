import { fourierOf, rootsOfUnity } from "./fourier.ts";
import { plansOf } from "./fourier-plans.ts";

/**
 * Transforms of real numbers, without normalization, to and from the first half of their spectrum: size/2 + 1 interleaved
 * complex numbers, of which the first, and the last of an even size, are real. An even size takes a complex transform of half
 * of it: elements 2j are the real parts, elements 2j + 1 the imaginary parts.
 */
export interface RealFourier {
  forward(x: Float64Array, spectrum: Float64Array): void;
  inverse(spectrum: Float64Array, x: Float64Array): void;
}

/** Returns the transform of a length. */
export const realFourierOf: (size: number) => RealFourier = plansOf((size) =>
  size % 2 === 0 ? even(size) : odd(size),
);

function even(size: number): RealFourier {
  const fourier = fourierOf(size / 2);
  const work = new Float64Array(size);
  const roots = rootsOfUnity(size / 2, size);
  return {
    // With Z the transform of half the size: E = (Z[k] + conj Z[-k]) / 2 is that of the elements 2j, O = (Z[k] - conj Z[-k]) / 2i
    // that of the elements 2j + 1, and X[k] = E + exp(-2πik/size) O.
    forward(x, spectrum) {
      work.set(x);
      fourier.transform(work, true);
      spectrum[0] = work[0]! + work[1]!;
      spectrum[1] = 0;
      spectrum[size] = work[0]! - work[1]!;
      spectrum[size + 1] = 0;
      for (let k = 2, m = size - 2; k <= m; k += 2, m -= 2) {
        const evenRe = (work[k]! + work[m]!) / 2;
        const evenIm = (work[k + 1]! - work[m + 1]!) / 2;
        const oddRe = (work[k + 1]! + work[m + 1]!) / 2;
        const oddIm = (work[m]! - work[k]!) / 2;
        const c = roots[k]!;
        const s = roots[k + 1]!;
        const re = oddRe * c + oddIm * s;
        const im = oddIm * c - oddRe * s;
        spectrum[m] = evenRe - re;
        spectrum[m + 1] = im - evenIm;
        spectrum[k] = evenRe + re;
        spectrum[k + 1] = evenIm + im;
      }
    },
    // The same backwards: Z = E + iO, twice as large, which makes up for half the size.
    inverse(spectrum, x) {
      work[0] = spectrum[0]! + spectrum[size]!;
      work[1] = spectrum[0]! - spectrum[size]!;
      for (let k = 2, m = size - 2; k <= m; k += 2, m -= 2) {
        const evenRe = spectrum[k]! + spectrum[m]!;
        const evenIm = spectrum[k + 1]! - spectrum[m + 1]!;
        const re = spectrum[k]! - spectrum[m]!;
        const im = spectrum[k + 1]! + spectrum[m + 1]!;
        const c = roots[k]!;
        const s = roots[k + 1]!;
        const oddRe = re * c - im * s;
        const oddIm = im * c + re * s;
        work[m] = evenRe + oddIm;
        work[m + 1] = oddRe - evenIm;
        work[k] = evenRe - oddIm;
        work[k + 1] = evenIm + oddRe;
      }
      fourier.transform(work, false);
      x.set(work);
    },
  };
}

function odd(size: number): RealFourier {
  const fourier = fourierOf(size);
  const work = new Float64Array(2 * size);
  return {
    forward(x, spectrum) {
      for (let i = 0; i < size; i++) {
        work[2 * i] = x[i]!;
        work[2 * i + 1] = 0;
      }
      fourier.transform(work, true);
      spectrum.set(work.subarray(0, size + 1));
      spectrum[1] = 0;
    },
    inverse(spectrum, x) {
      work.set(spectrum);
      work[1] = 0;
      for (let k = 2; k <= size; k += 2) {
        work[2 * size - k] = spectrum[k]!;
        work[2 * size - k + 1] = -spectrum[k + 1]!;
      }
      fourier.transform(work, false);
      for (let i = 0; i < size; i++) x[i] = work[2 * i]!;
    },
  };
}
