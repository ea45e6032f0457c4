// Bessel functions of the orders 0 and 1, in double precision, as PyTorch computes them. It leaves out the first 1 of
// some of Cephes' denominators, which costs half of the digits of J and Y next to 5.
import { FIRST_MODIFIED, OSCILLATING, SECOND_MODIFIED } from "./bessel-coefficients.ts";
import { chebyshev, horner } from "./series.ts";

/** The Bessel function of the first kind, J. */
export function besselJ(order: 0 | 1, x: number): number {
  const size = Math.abs(x);
  const sign = order === 1 && x < 0 ? -1 : 1;
  if (!(size <= 5)) return sign * wave(order, size, 0);
  const square = x * x;
  if (order === 0 && size < 1e-5) return 1 - square / 4;
  const { zeros, first } = OSCILLATING[order];
  const over = horner(square, first[0]);
  const under = horner(square, first[1]);
  if (order === 0) return ((square - zeros[0]) * (square - zeros[1]) * over) / under;
  return (over / under) * x * (square - zeros[0]) * (square - zeros[1]);
}

/** The Bessel function of the second kind, Y. */
export function besselY(order: 0 | 1, x: number): number {
  if (x <= 0) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (!(x <= 5)) return wave(order, x, 1);
  const square = x * x;
  const { second } = OSCILLATING[order];
  const rest = horner(square, second[0]) / horner(square, second[1]);
  const log = besselJ(order, x) * Math.log(x);
  return order === 0 ? rest + (2 / Math.PI) * log : x * rest + (2 / Math.PI) * (log - 1 / x);
}

/** Hankel's form of J, and a quarter of a turn later that of Y. */
function wave(order: 0 | 1, x: number, kind: 0 | 1): number {
  const { cosine, sine } = OSCILLATING[order];
  const square = 25 / (x * x);
  const p = horner(square, cosine[0]) / horner(square, cosine[1]);
  const q = (5 / x) * (horner(square, sine[0]) / horner(square, sine[1]));
  const phase = x - (order / 2 + 0.25) * Math.PI;
  const c = Math.cos(phase);
  const s = Math.sin(phase);
  return ((kind === 0 ? p * c - q * s : p * s + q * c) * Math.sqrt(2 / Math.PI)) / Math.sqrt(x);
}

/** The modified Bessel function of the first kind, I; `scaled` multiplies it by exp(-|x|). */
export function besselI(order: 0 | 1, x: number, scaled = false): number {
  const size = Math.abs(x);
  const { near, far } = FIRST_MODIFIED[order];
  const growth = scaled ? 1 : Math.exp(size);
  const value =
    size <= 8
      ? growth * (order === 0 ? 1 : size) * chebyshev(size / 2 - 2, near)
      : (growth * chebyshev(32 / size - 2, far)) / Math.sqrt(size);
  return order === 1 && x < 0 ? -value : value;
}

/** The modified Bessel function of the second kind, K; `scaled` multiplies it by exp(x). */
export function besselK(order: 0 | 1, x: number, scaled = false): number {
  if (x <= 0) return x === 0 ? Number.POSITIVE_INFINITY : Number.NaN;
  const { near, far } = SECOND_MODIFIED[order];
  if (!(x <= 2)) return ((scaled ? 1 : Math.exp(-x)) * chebyshev(8 / x - 2, far)) / Math.sqrt(x);
  const rest = chebyshev(x * x - 2, near);
  const log = Math.log(0.5 * x) * besselI(order, x);
  return (order === 0 ? rest - log : log + rest / x) * (scaled ? Math.exp(x) : 1);
}
