/** Factors of a length that are split off; a length with a larger prime becomes a convolution. Fours take fewer steps than twos. */
const RADICES = [4, 2, 3, 5, 7, 11, 13];

/**
 * A discrete Fourier transform of one length, without normalization, of interleaved complex numbers. A length of small factors
 * is split into these, with the results in order after each step (Stockham); any other length becomes a convolution whose
 * length is a power of two (Bluestein).
 */
export class Fourier {
  /** cos and sin of 2πk/size. */
  readonly #roots: Float64Array;
  readonly #radices: readonly number[];
  readonly #spare: Float64Array;
  readonly #chirp: Chirp | null;

  constructor(size: number) {
    this.#roots = rootsOfUnity(size, size);
    const radices = radicesOf(size);
    this.#radices = radices ?? [];
    this.#spare = new Float64Array(radices === null ? 0 : 2 * size);
    this.#chirp = radices === null ? new Chirp(size) : null;
  }

  /** Transforms `x` in place; `forward` has exp(-2πi…). */
  transform(x: Float64Array, forward: boolean): void {
    // The inverse is the transform with real and imaginary parts exchanged before and after it.
    if (!forward) exchange(x);
    if (this.#chirp === null) this.#split(x);
    else this.#chirp.transform(x);
    if (!forward) exchange(x);
  }

  #split(x: Float64Array): void {
    let [from, to, stride] = [x, this.#spare, 1];
    for (const radix of this.#radices) {
      if (radix === 4) radix4Step(from, to, stride, this.#roots);
      else if (radix === 2) radix2Step(from, to, stride, this.#roots);
      else radixStep(radix, from, to, stride, this.#roots);
      [from, to, stride] = [to, from, stride * radix];
    }
    if (from !== x) x.set(from);
  }
}

/** The factors of a length; null where one is too large. */
function radicesOf(size: number): readonly number[] | null {
  const radices: number[] = [];
  let left = size;
  for (const radix of RADICES) {
    for (; left > 1 && left % radix === 0; left /= radix) radices.push(radix);
  }
  return left <= 1 ? radices : null;
}

/**
 * One step: of `stride` interleaved sequences of length n each, the sums u of the elements p + r·n/radix, times roots, become
 * n/radix sequences: y[radix·p + u] = wᵘᵖ Σ x[p + r·n/radix] ω^(ur), with w = exp(-2πi/n) and ω = exp(-2πi/radix).
 */
function radixStep(radix: number, x: Float64Array, y: Float64Array, stride: number, roots: Float64Array): void {
  const [width, whole] = [2 * stride, x.length];
  const apart = whole / radix;
  for (let p = 0, from = 0; from < apart; p++, from += width) {
    for (let u = 0; u < radix; u++) {
      const [to, at] = [radix * from + u * width, u * p * width];
      const [c, s] = [roots[at]!, roots[at + 1]!];
      for (let q = 0; q < width; q += 2) {
        let re = 0;
        let im = 0;
        for (let r = 0, k = 0; r < radix; r++) {
          const i = from + q + r * apart;
          re += x[i]! * roots[k]! + x[i + 1]! * roots[k + 1]!;
          im += x[i + 1]! * roots[k]! - x[i]! * roots[k + 1]!;
          k += u * apart;
          if (k >= whole) k -= whole;
        }
        storeTwiddled(y, to + q, re, im, c, s);
      }
    }
  }
}

/** Writes (re + i·im)·(c - i·s): a result times its twiddle factor. */
function storeTwiddled(y: Float64Array, at: number, re: number, im: number, c: number, s: number): void {
  y[at] = re * c + im * s;
  y[at + 1] = im * c - re * s;
}

function radix2Step(x: Float64Array, y: Float64Array, stride: number, roots: Float64Array): void {
  const [width, apart] = [2 * stride, x.length / 2];
  for (let from = 0; from < apart; from += width) {
    const c = roots[from]!;
    const s = roots[from + 1]!;
    for (let q = from; q < from + width; q += 2) {
      const to = from + q;
      const re = x[q]! - x[q + apart]!;
      const im = x[q + 1]! - x[q + apart + 1]!;
      y[to] = x[q]! + x[q + apart]!;
      y[to + 1] = x[q + 1]! + x[q + apart + 1]!;
      storeTwiddled(y, to + width, re, im, c, s);
    }
  }
}

function radix4Step(x: Float64Array, y: Float64Array, stride: number, roots: Float64Array): void {
  const [width, apart] = [2 * stride, x.length / 4];
  for (let from = 0; from < apart; from += width) {
    const c1 = roots[from]!;
    const s1 = roots[from + 1]!;
    const c2 = roots[2 * from]!;
    const s2 = roots[2 * from + 1]!;
    const c3 = roots[3 * from]!;
    const s3 = roots[3 * from + 1]!;
    for (let q = from; q < from + width; q += 2) {
      const q1 = q + apart;
      const q2 = q1 + apart;
      const q3 = q2 + apart;
      const sumRe = x[q]! + x[q2]!;
      const sumIm = x[q + 1]! + x[q2 + 1]!;
      const lessRe = x[q]! - x[q2]!;
      const lessIm = x[q + 1]! - x[q2 + 1]!;
      const oddRe = x[q1]! + x[q3]!;
      const oddIm = x[q1 + 1]! + x[q3 + 1]!;
      // Times -i.
      const turnedRe = x[q1 + 1]! - x[q3 + 1]!;
      const turnedIm = x[q3]! - x[q1]!;
      const to = 3 * from + q;
      y[to] = sumRe + oddRe;
      y[to + 1] = sumIm + oddIm;
      storeTwiddled(y, to + width, lessRe + turnedRe, lessIm + turnedIm, c1, s1);
      storeTwiddled(y, to + 2 * width, sumRe - oddRe, sumIm - oddIm, c2, s2);
      storeTwiddled(y, to + 3 * width, lessRe - turnedRe, lessIm - turnedIm, c3, s3);
    }
  }
}

/** Bluestein's algorithm: jk = (j² + k² - (j-k)²) / 2 turns the transform into a convolution with a chirp. */
class Chirp {
  readonly #size: number;
  readonly #padded: number;
  readonly #inner: Fourier;
  /** exp(-πi j²/size). */
  readonly #chirp: Float64Array;
  /** Transform of the conjugate chirp. */
  readonly #filter: Float64Array;

  constructor(size: number) {
    this.#size = size;
    this.#padded = 2 ** Math.ceil(Math.log2(2 * size - 1));
    this.#inner = new Fourier(this.#padded);
    this.#chirp = new Float64Array(2 * size);
    this.#filter = new Float64Array(2 * this.#padded);
    for (let j = 0; j < size; j++) {
      const angle = (Math.PI * ((j * j) % (2 * size))) / size;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      this.#chirp.set([c, -s], 2 * j);
      this.#filter.set([c, s], 2 * j);
      if (j > 0) this.#filter.set([c, s], 2 * (this.#padded - j));
    }
    this.#inner.transform(this.#filter, true);
  }

  transform(x: Float64Array): void {
    const work = new Float64Array(2 * this.#padded);
    multiply(x, this.#chirp, work, this.#size, 1);
    this.#inner.transform(work, true);
    multiply(work, this.#filter, work, this.#padded, 1 / this.#padded);
    this.#inner.transform(work, false);
    multiply(work, this.#chirp, x, this.#size, 1);
  }
}

function multiply(x: Float64Array, y: Float64Array, out: Float64Array, count: number, scale: number): void {
  for (let i = 0; i < 2 * count; i += 2) {
    const [a, b, c, d] = [x[i]!, x[i + 1]!, y[i]!, y[i + 1]!];
    out[i] = (a * c - b * d) * scale;
    out[i + 1] = (a * d + b * c) * scale;
  }
}

function exchange(x: Float64Array): void {
  for (let i = 0; i < x.length; i += 2) {
    const re = x[i]!;
    x[i] = x[i + 1]!;
    x[i + 1] = re;
  }
}

function rootsOfUnity(count: number, size: number): Float64Array {
  const roots = new Float64Array(2 * count);
  for (let k = 0; k < count; k++) {
    roots[2 * k] = Math.cos((2 * Math.PI * k) / size);
    roots[2 * k + 1] = Math.sin((2 * Math.PI * k) / size);
  }
  return roots;
}
