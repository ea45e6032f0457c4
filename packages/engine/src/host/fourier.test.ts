import { randomFloats, randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { Fourier } from "./fourier.ts";

/** The transform by its definition. */
function slow(x: Float64Array): Float64Array {
  const size = x.length / 2;
  const y = new Float64Array(2 * size);
  for (let k = 0; k < size; k++) {
    for (let j = 0; j < size; j++) {
      const angle = (-2 * Math.PI * ((j * k) % size)) / size;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      y[2 * k]! += x[2 * j]! * c - x[2 * j + 1]! * s;
      y[2 * k + 1]! += x[2 * j]! * s + x[2 * j + 1]! * c;
    }
  }
  return y;
}

// Powers of two and four, products of small primes, primes beside and beyond the largest factor, and their multiples.
test.each([
  1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 32, 34, 48, 60, 64, 77, 97, 121, 128, 143, 169, 210, 256, 361, 720,
])("a transform of length %i is the sum that defines it, and the inverse leads back", (size) => {
  const fourier = new Fourier(size);
  const next = randomUnit(size);
  for (let run = 0; run < 2; run++) {
    const x = Float64Array.from(randomFloats(next, 2 * size));
    const y = x.slice();
    fourier.transform(y, true);
    const error = (found: Float64Array, right: Float64Array): number =>
      found.reduce((worst, value, i) => Math.max(worst, Math.abs(value - right[i]!)), 0);
    expect(error(y, slow(x))).toBeLessThan(1e-12 * Math.max(size, 8));
    fourier.transform(y, false);
    expect(
      error(
        y.map((value) => value / size),
        x,
      ),
    ).toBeLessThan(1e-13);
  }
});

test.each([6, 35, 17])("transforms of length %i side by side are as each alone", (size) => {
  const fourier = new Fourier(size);
  const lanes = 3;
  const x = Float64Array.from(randomFloats(randomUnit(size), 2 * size * lanes));
  const lane = (data: Float64Array, k: number): Float64Array =>
    Float64Array.from({ length: 2 * size }, (_, i) => data[2 * ((i >> 1) * lanes + k) + (i % 2)]!);
  const all = x.slice();
  fourier.transform(all, true, lanes);
  for (let k = 0; k < lanes; k++) {
    const alone = lane(x, k);
    fourier.transform(alone, true);
    expect(lane(all, k)).toEqual(alone);
  }
});
