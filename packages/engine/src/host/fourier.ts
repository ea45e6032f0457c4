import { plansOf } from "./fourier-plans.ts";
import { step } from "./fourier-steps.ts";

/** Factors of a length that are split off; a length with a larger prime becomes a convolution. Fours take fewer steps than twos. */
const RADICES = [4, 2, 3, 5, 7, 11, 13];
/** Factors of the lengths of convolutions, whose steps are the fastest. */
const FAST_RADICES = [4, 2, 3, 5];

/**
 * A discrete Fourier transform of one length, without normalization, of interleaved complex numbers. A length of small factors
 * is split into these, with the results in order after each step (Stockham); any other length becomes a convolution of a length
 * of small factors (Bluestein).
 */
export class Fourier {
  readonly size: number;
  /** cos and sin of 2πk/size. */
  readonly #roots: Float64Array;
  readonly #radices: readonly number[] | null;
  #spare = new Float64Array(0);
  #chirp: Chirp | null = null;

  constructor(size: number) {
    this.size = size;
    this.#radices = radicesOf(size);
    this.#roots = rootsOfUnity(this.#radices === null ? 0 : size, size);
  }

  /** Transforms `x` in place: one transform, or several side by side. `forward` has exp(-2πi…). */
  transform(x: Float64Array, forward: boolean, lanes = 1): void {
    // The inverse is the transform with real and imaginary parts exchanged before and after it.
    if (!forward) exchange(x);
    if (this.#radices !== null) this.#split(x, this.#radices, lanes);
    else {
      this.#chirp ??= new Chirp(this.size);
      this.#chirp.transform(x, lanes);
    }
    if (!forward) exchange(x);
  }

  #split(x: Float64Array, radices: readonly number[], lanes: number): void {
    if (this.#spare.length < x.length) this.#spare = new Float64Array(x.length);
    const count = this.size * lanes;
    let [from, to, stride]: [Float64Array, Float64Array, number] = [x, this.#spare, 1];
    for (const radix of radices) {
      step(radix, from, to, { count, stride, lanes }, this.#roots);
      [from, to, stride] = [to, from, stride * radix];
    }
    if (from !== x) x.set(from.subarray(0, x.length));
  }
}

/** Returns the transform of a length. */
export const fourierOf: (size: number) => Fourier = plansOf((size) => new Fourier(size));

/** Returns the factors of a length; null where one is too large. */
export function radicesOf(size: number, allowed: readonly number[] = RADICES): readonly number[] | null {
  const radices: number[] = [];
  let left = size;
  for (const radix of allowed) {
    for (; left > 1 && left % radix === 0; left /= radix) radices.push(radix);
  }
  return left <= 1 ? radices : null;
}

/** What Bluestein's algorithm multiplies by. In both tables, real and imaginary parts alternate. */
export interface ChirpTables {
  /** The length of the convolution, at least 2 * size - 1. */
  readonly padded: number;
  /** exp(-πi j²/size). */
  readonly chirp: Float64Array;
  /** The transform of the conjugate chirp, divided by what the inverse has to be divided by. */
  readonly filter: Float64Array;
}

/** Makes the tables of a length: jk = (j² + k² - (j-k)²) / 2 turns its transform into a convolution with a chirp. */
export function chirpTables(size: number): ChirpTables {
  const padded = paddedSize(size);
  const chirp = new Float64Array(2 * size);
  const filter = new Float64Array(2 * padded);
  for (let j = 0; j < size; j++) {
    const angle = (Math.PI * ((j * j) % (2 * size))) / size;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    chirp.set([c, -s], 2 * j);
    filter.set([c / padded, s / padded], 2 * j);
    if (j > 0) filter.set([c / padded, s / padded], 2 * (padded - j));
  }
  fourierOf(padded).transform(filter, true);
  return { padded, chirp, filter };
}

/** Returns the length of the convolution that the transform of a length becomes. */
export function paddedSize(size: number): number {
  let padded = 2 * size - 1;
  while (radicesOf(padded, FAST_RADICES) === null) padded++;
  return padded;
}

/** Bluestein's algorithm. */
class Chirp {
  readonly #size: number;
  readonly #tables: ChirpTables;
  readonly #inner: Fourier;
  #work = new Float64Array(0);

  constructor(size: number) {
    this.#size = size;
    this.#tables = chirpTables(size);
    this.#inner = new Fourier(this.#tables.padded);
  }

  transform(x: Float64Array, lanes: number): void {
    const { padded, chirp, filter } = this.#tables;
    if (this.#work.length !== 2 * padded * lanes) this.#work = new Float64Array(2 * padded * lanes);
    const work = this.#work;
    multiply(x, chirp, work, lanes);
    work.fill(0, x.length);
    this.#inner.transform(work, true, lanes);
    multiply(work, filter, work, lanes);
    this.#inner.transform(work, false, lanes);
    multiply(work.subarray(0, 2 * this.#size * lanes), chirp, x, lanes);
  }
}

/** Multiplies the elements of several sequences side by side by those of one. */
function multiply(x: Float64Array, y: Float64Array, out: Float64Array, lanes: number): void {
  for (let i = 0, j = 0; i < x.length; j += 2) {
    const c = y[j]!;
    const d = y[j + 1]!;
    for (const end = i + 2 * lanes; i < end; i += 2) {
      const a = x[i]!;
      const b = x[i + 1]!;
      out[i] = a * c - b * d;
      out[i + 1] = a * d + b * c;
    }
  }
}

function exchange(x: Float64Array): void {
  for (let i = 0; i < x.length; i += 2) {
    const re = x[i]!;
    x[i] = x[i + 1]!;
    x[i + 1] = re;
  }
}

/** Returns cos and sin of 2πk/size for the first k. */
export function rootsOfUnity(count: number, size: number): Float64Array {
  const roots = new Float64Array(2 * count);
  for (let k = 0; k < count; k++) {
    roots[2 * k] = Math.cos((2 * Math.PI * k) / size);
    roots[2 * k + 1] = Math.sin((2 * Math.PI * k) / size);
  }
  return roots;
}
