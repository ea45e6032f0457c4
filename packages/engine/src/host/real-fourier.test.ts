import { randomFloats, randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { Fourier } from "./fourier.ts";
import { realFourierOf } from "./real-fourier.ts";

test.each([1, 2, 3, 4, 5, 6, 9, 14, 17, 34, 60, 64, 720])(
  "real numbers of length %i have the first half of the spectrum that they have as complex ones, which leads back",
  (size) => {
    const x = Float64Array.from(randomFloats(randomUnit(size), size));
    const whole = Float64Array.from({ length: 2 * size }, (_, i) => (i % 2 === 0 ? x[i / 2]! : 0));
    new Fourier(size).transform(whole, true);
    const spectrum = new Float64Array(2 * Math.floor(size / 2) + 2);
    realFourierOf(size).forward(x, spectrum);
    for (const [i, value] of spectrum.entries()) expect(Math.abs(value - whole[i]!)).toBeLessThan(1e-13 * size);
    const back = new Float64Array(size);
    realFourierOf(size).inverse(spectrum, back);
    for (const [i, value] of back.entries()) expect(Math.abs(value / size - x[i]!)).toBeLessThan(1e-13);
  },
);

test("imaginary parts at the ends of a spectrum do not count", () => {
  for (const [size, spectrum] of [
    [4, [1, 9, 2, 3, 4, 9]],
    [3, [1, 9, 2, 3]],
  ] as const) {
    const read = (ends: number): number[] => {
      const x = new Float64Array(size);
      realFourierOf(size).inverse(
        Float64Array.from(spectrum, (value) => (value === 9 ? ends : value)),
        x,
      );
      return [...x];
    };
    expect(read(9)).toEqual(read(0));
  }
});
