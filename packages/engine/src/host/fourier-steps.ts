/** What a step of a transform works on: interleaved sequences of complex numbers. */
export interface StepShape {
  /** Complex numbers in all. */
  readonly count: number;
  /** Sequences that earlier steps split one transform into. */
  readonly stride: number;
  /** Transforms side by side: the same element of each stands together. */
  readonly lanes: number;
}

/** cos and sin of 2πk/size, of the length of the whole transform. */
type Roots = Float64Array;

/**
 * One step of Stockham's algorithm: of the interleaved sequences of length n each, the sums u of the elements p + r·n/radix, times
 * roots, become n/radix sequences: y[radix·p + u] = wᵘᵖ Σ x[p + r·n/radix] ω^(ur), with w = exp(-2πi/n) and ω = exp(-2πi/radix).
 * Radices of 2 to 5 are written out; others take the elements r and radix - r together, whose roots are conjugate.
 */
export function step(radix: number, x: Float64Array, y: Float64Array, shape: StepShape, roots: Roots): void {
  if (radix === 4) step4(x, y, shape, roots);
  else if (radix === 2) step2(x, y, shape, roots);
  else if (radix === 3) step3(x, y, shape, roots);
  else if (radix === 5) step5(x, y, shape, roots);
  else oddStep(radix, x, y, shape, roots);
}

/** Writes (re + i·im)·(c - i·s): a result times its twiddle factor. */
function storeTwiddled(y: Float64Array, at: number, re: number, im: number, c: number, s: number): void {
  y[at] = re * c + im * s;
  y[at + 1] = im * c - re * s;
}

function step2(x: Float64Array, y: Float64Array, { count, stride, lanes }: StepShape, roots: Roots): void {
  const width = 2 * stride * lanes;
  for (let from = 0, k = 0; from < count; from += width, k += 2 * stride) {
    const c = roots[k]!;
    const s = roots[k + 1]!;
    for (let q = from; q < from + width; q += 2) {
      const q1 = q + count;
      const to = from + q;
      const re = x[q]! - x[q1]!;
      const im = x[q + 1]! - x[q1 + 1]!;
      y[to] = x[q]! + x[q1]!;
      y[to + 1] = x[q + 1]! + x[q1 + 1]!;
      storeTwiddled(y, to + width, re, im, c, s);
    }
  }
}

function step3(x: Float64Array, y: Float64Array, { count, stride, lanes }: StepShape, roots: Roots): void {
  const width = 2 * stride * lanes;
  const apart = (2 * count) / 3;
  const sine = Math.sqrt(3) / 2;
  for (let from = 0, k = 0; from < apart; from += width, k += 2 * stride) {
    const c1 = roots[k]!;
    const s1 = roots[k + 1]!;
    const c2 = roots[2 * k]!;
    const s2 = roots[2 * k + 1]!;
    for (let q = from; q < from + width; q += 2) {
      const q1 = q + apart;
      const q2 = q1 + apart;
      const sumRe = x[q1]! + x[q2]!;
      const sumIm = x[q1 + 1]! + x[q2 + 1]!;
      // Times -i.
      const turnedRe = sine * (x[q1 + 1]! - x[q2 + 1]!);
      const turnedIm = sine * (x[q2]! - x[q1]!);
      const halfRe = x[q]! - sumRe / 2;
      const halfIm = x[q + 1]! - sumIm / 2;
      const to = 2 * from + q;
      y[to] = x[q]! + sumRe;
      y[to + 1] = x[q + 1]! + sumIm;
      storeTwiddled(y, to + width, halfRe + turnedRe, halfIm + turnedIm, c1, s1);
      storeTwiddled(y, to + 2 * width, halfRe - turnedRe, halfIm - turnedIm, c2, s2);
    }
  }
}

function step4(x: Float64Array, y: Float64Array, { count, stride, lanes }: StepShape, roots: Roots): void {
  const width = 2 * stride * lanes;
  const apart = count / 2;
  for (let from = 0, k = 0; from < apart; from += width, k += 2 * stride) {
    const c1 = roots[k]!;
    const s1 = roots[k + 1]!;
    const c2 = roots[2 * k]!;
    const s2 = roots[2 * k + 1]!;
    const c3 = roots[3 * k]!;
    const s3 = roots[3 * k + 1]!;
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

function step5(x: Float64Array, y: Float64Array, { count, stride, lanes }: StepShape, roots: Roots): void {
  const width = 2 * stride * lanes;
  const apart = (2 * count) / 5;
  const [cosine1, sine1] = [Math.cos((2 * Math.PI) / 5), Math.sin((2 * Math.PI) / 5)];
  const [cosine2, sine2] = [Math.cos((4 * Math.PI) / 5), Math.sin((4 * Math.PI) / 5)];
  for (let from = 0, k = 0; from < apart; from += width, k += 2 * stride) {
    const c1 = roots[k]!;
    const s1 = roots[k + 1]!;
    const c2 = roots[2 * k]!;
    const s2 = roots[2 * k + 1]!;
    const c3 = roots[3 * k]!;
    const s3 = roots[3 * k + 1]!;
    const c4 = roots[4 * k]!;
    const s4 = roots[4 * k + 1]!;
    for (let q = from; q < from + width; q += 2) {
      const q1 = q + apart;
      const q2 = q1 + apart;
      const q3 = q2 + apart;
      const q4 = q3 + apart;
      const re = x[q]!;
      const im = x[q + 1]!;
      const outerRe = x[q1]! + x[q4]!;
      const outerIm = x[q1 + 1]! + x[q4 + 1]!;
      const innerRe = x[q2]! + x[q3]!;
      const innerIm = x[q2 + 1]! + x[q3 + 1]!;
      const outerLessRe = x[q1]! - x[q4]!;
      const outerLessIm = x[q1 + 1]! - x[q4 + 1]!;
      const innerLessRe = x[q2]! - x[q3]!;
      const innerLessIm = x[q2 + 1]! - x[q3 + 1]!;
      const evenRe1 = re + cosine1 * outerRe + cosine2 * innerRe;
      const evenIm1 = im + cosine1 * outerIm + cosine2 * innerIm;
      const evenRe2 = re + cosine2 * outerRe + cosine1 * innerRe;
      const evenIm2 = im + cosine2 * outerIm + cosine1 * innerIm;
      // Times -i.
      const oddRe1 = sine1 * outerLessIm + sine2 * innerLessIm;
      const oddIm1 = -sine1 * outerLessRe - sine2 * innerLessRe;
      const oddRe2 = sine2 * outerLessIm - sine1 * innerLessIm;
      const oddIm2 = sine1 * innerLessRe - sine2 * outerLessRe;
      const to = 4 * from + q;
      y[to] = re + outerRe + innerRe;
      y[to + 1] = im + outerIm + innerIm;
      storeTwiddled(y, to + width, evenRe1 + oddRe1, evenIm1 + oddIm1, c1, s1);
      storeTwiddled(y, to + 2 * width, evenRe2 + oddRe2, evenIm2 + oddIm2, c2, s2);
      storeTwiddled(y, to + 3 * width, evenRe2 - oddRe2, evenIm2 - oddIm2, c3, s3);
      storeTwiddled(y, to + 4 * width, evenRe1 - oddRe1, evenIm1 - oddIm1, c4, s4);
    }
  }
}

function oddStep(
  radix: number,
  x: Float64Array,
  y: Float64Array,
  { count, stride, lanes }: StepShape,
  roots: Roots,
): void {
  const width = 2 * stride * lanes;
  const apart = (2 * count) / radix;
  const half = (radix - 1) / 2;
  const [cosines, sines] = [Math.cos, Math.sin].map((wave) =>
    Float64Array.from({ length: radix }, (_, r) => wave((2 * Math.PI * r) / radix)),
  ) as [Float64Array, Float64Array];
  // Of each pair its sum, then its difference.
  const pairs = new Float64Array(4 * half);
  for (let from = 0, k = 0; from < apart; from += width, k += 2 * stride) {
    for (let q = from; q < from + width; q += 2) {
      const to = (radix - 1) * from + q;
      const re = x[q]!;
      const im = x[q + 1]!;
      let allRe = re;
      let allIm = im;
      for (let r = 1, at = 0; r <= half; r++, at += 4) {
        const a = q + r * apart;
        const b = q + (radix - r) * apart;
        pairs[at] = x[a]! + x[b]!;
        pairs[at + 1] = x[a + 1]! + x[b + 1]!;
        pairs[at + 2] = x[a]! - x[b]!;
        pairs[at + 3] = x[a + 1]! - x[b + 1]!;
        allRe += pairs[at]!;
        allIm += pairs[at + 1]!;
      }
      y[to] = allRe;
      y[to + 1] = allIm;
      for (let u = 1; u <= half; u++) {
        let evenRe = re;
        let evenIm = im;
        let oddRe = 0;
        let oddIm = 0;
        for (let at = 0, turn = u; at < 4 * half; at += 4) {
          const c = cosines[turn]!;
          const s = sines[turn]!;
          evenRe += c * pairs[at]!;
          evenIm += c * pairs[at + 1]!;
          // Times -i.
          oddRe += s * pairs[at + 3]!;
          oddIm -= s * pairs[at + 2]!;
          turn += u;
          if (turn >= radix) turn -= radix;
        }
        const one = u * k;
        const other = (radix - u) * k;
        storeTwiddled(y, to + u * width, evenRe + oddRe, evenIm + oddIm, roots[one]!, roots[one + 1]!);
        storeTwiddled(y, to + (radix - u) * width, evenRe - oddRe, evenIm - oddIm, roots[other]!, roots[other + 1]!);
      }
    }
  }
}
