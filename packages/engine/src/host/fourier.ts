/**
 * A discrete Fourier transform of one length, without normalization, of interleaved complex numbers. A power of two is split
 * into halves; any other length becomes a convolution whose length is a power of two (Bluestein).
 */
export class Fourier {
  readonly #size: number;
  /** cos and sin of 2πk/size. */
  readonly #roots: Float64Array;
  readonly #chirp: Chirp | null;

  constructor(size: number) {
    this.#size = size;
    this.#roots = rootsOfUnity(size, size);
    this.#chirp = (size & (size - 1)) === 0 ? null : new Chirp(size);
  }

  /** Transforms `x` in place; `forward` has exp(-2πi…). */
  transform(x: Float64Array, forward: boolean): void {
    // The inverse is the transform with real and imaginary parts exchanged before and after it.
    if (!forward) exchange(x);
    if (this.#chirp === null) this.#powerOfTwo(x);
    else this.#chirp.transform(x);
    if (!forward) exchange(x);
  }

  #powerOfTwo(x: Float64Array): void {
    const size = this.#size;
    reverseBits(x, size);
    for (let half = 1; half < size; half *= 2) {
      const step = size / (2 * half);
      for (let start = 0; start < size; start += 2 * half) {
        for (let k = 0; k < half; k++) {
          const [c, s] = [this.#roots[2 * k * step]!, -this.#roots[2 * k * step + 1]!];
          const [a, b] = [2 * (start + k), 2 * (start + k + half)];
          const re = x[b]! * c - x[b + 1]! * s;
          const im = x[b]! * s + x[b + 1]! * c;
          x[b] = x[a]! - re;
          x[b + 1] = x[a + 1]! - im;
          x[a] = x[a]! + re;
          x[a + 1] = x[a + 1]! + im;
        }
      }
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

function reverseBits(x: Float64Array, size: number): void {
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    for (const part of [0, 1]) {
      const kept = x[2 * i + part]!;
      x[2 * i + part] = x[2 * j + part]!;
      x[2 * j + part] = kept;
    }
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
